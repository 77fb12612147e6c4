"""Shared by all tests."""

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# A busy machine is no defect of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell that starts a command in the background lets it ignore interrupts, and processes inherit
# that. Those that tests start are interrupted by some of them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling is much of the time that JAX takes here, and what it compiles runs once.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

# The same small programs are compiled by many tests, in processes that inherit this. Each worker
# of pytest has a directory of its own: what JAX writes there can be read before it is whole.
if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
    _compiled = tempfile.mkdtemp(prefix="jaxlint-compiled-")
    atexit.register(shutil.rmtree, _compiled, ignore_errors=True)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = _compiled
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
if "PYTEST_XDIST_WORKER" in os.environ:
    _around, _worker = os.environ["JAX_COMPILATION_CACHE_DIR"], os.environ["PYTEST_XDIST_WORKER"]
    os.environ["JAX_COMPILATION_CACHE_DIR"] = os.path.join(_around, _worker)

# The key of the cache is a secret of the user's; that of the tests is their own.
if "JAXLINT_CACHE_KEY" not in os.environ:
    _secrets = tempfile.mkdtemp(prefix="jaxlint-key-")
    atexit.register(shutil.rmtree, _secrets, ignore_errors=True)
    os.environ["JAXLINT_CACHE_KEY"] = os.path.join(_secrets, "cache.key")
