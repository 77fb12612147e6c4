"""Shared by all tests."""

import atexit
import os
import shutil
import tempfile

pytest_plugins = ["pytester"]

# Compiling is much of the time that JAX takes here, and what it compiles runs once.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

# The same small programs are compiled by many tests, in several processes, which inherit this.
if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
    _compiled = tempfile.mkdtemp(prefix="jaxlint-compiled-")
    atexit.register(shutil.rmtree, _compiled, ignore_errors=True)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = _compiled
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
