"""Shared by all tests."""

import atexit
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from imports_of_jax import imports_jax

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


# -- the quick core, and the rest ------------------------------------------------------------------

# Directories and modules that a run of all tests leaves to `-m full`: they hold programs that are
# generated, observed or linted by the hundred, and say with more of them what other tests say with
# few. Single tests have the mark themselves.
FULL = (
    *("agreement", "benchmarking", "fuzz", "robustness", "verify", "trust/test_nothing_runs.py"),
    *("docs/test_commands.py", "docs/test_site.py", "fixes/test_cases_on_jax.py"),
    *("fixes/test_pairs.py", "fixes/test_trees.py", "frameworks/test_haiku.py"),
    *("frontends/test_dask.py", "knowledge/test_operands.py", "knowledge/test_ranks.py"),
    *("knowledge/test_tables.py", "project/test_silence.py", "project/test_silent_statements.py"),
    *("syntax/test_native.py", "test_planted.py"),
)
# Modules that take minutes, the longest first. They begin before all others, so that no worker
# ends with one of them while the others have nothing left to do.
LONG = (
    *("project/test_far_projects.py", "fuzz/test_differential.py", "trust/test_nothing_runs.py"),
    *("robustness/test_remembered_calls.py", "robustness/test_written_files.py"),
    *("robustness/test_mutated_files.py", "test_planted.py", "frontends/test_dask.py"),
)
HERE = Path(__file__).parent
_LONG = {HERE / name: at for at, name in enumerate(LONG)}
_FULL = {HERE / name for name in FULL}
_WITHOUT_JAX = str(HERE / "without_jax")


def pytest_configure(config: pytest.Config) -> None:
    """A run that names neither paths nor marks is the quick core."""
    if not config.option.markexpr and config.args_source is config.ArgsSource.TESTPATHS:
        config.option.markexpr = "not full"
    if _is_without_jax(config):
        # The processes that tests start cannot import it either.
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_WITHOUT_JAX, before]))


# -- with JAX, and without -------------------------------------------------------------------------


def _is_without_jax(config: pytest.Config) -> bool:
    return re.search(r"\bnot jax\b", config.option.markexpr) is not None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules that import JAX are not imported by a run without it."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    is_left_out = is_test and _is_without_jax(config) and imports_jax(collection_path)
    return True if is_left_out else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is in a module that imports JAX, and what is not of the quick core; puts what
    takes long first."""
    items.sort(key=lambda item: _LONG.get(item.path, len(LONG)))
    for item in items:
        if _FULL & {item.path, *item.path.parents}:
            item.add_marker("full")
        if isinstance(item, pytest.Function) and imports_jax(item.path):
            item.add_marker("jax")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test that is not marked imports no JAX."""
    before = "jax" in sys.modules
    yield
    if not before and "jax" in sys.modules and item.get_closest_marker("jax") is None:
        pytest.fail("this test imports JAX, and needs the mark `jax`")


# -- where sources are linted ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def empty_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The working directory is one without files: a source that is linted under a name has no
    project around it. In a checkout, each session would read all of that."""
    before = Path.cwd()
    made = tmp_path_factory.mktemp("empty")
    os.chdir(made)
    yield made
    os.chdir(before)
