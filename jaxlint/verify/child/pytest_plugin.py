"""A pytest plugin: `--jaxlint-record` observes what the tests trace, as `jaxlint record` does."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

import pytest

_STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the option."""
    group = parser.getgroup("jaxlint")
    group.addoption(
        "--jaxlint-record",
        action="store_true",
        help="Observe the findings of jaxlint while the tests run.",
    )
    group.addoption(
        "--jaxlint-lint",
        action="append",
        metavar="PATH",
        help="Where the findings are to be observed (default: here); may be repeated.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Starts before anything of the project is imported, once for all processes of a run."""
    known = early_config.known_args_namespace
    if not getattr(known, "jaxlint_record", False) or os.environ.get("JAXLINT_RECORDING"):
        return
    if os.environ.get("JAX_DISABLE_JIT", "0").lower() not in ("", "0", "false", "off", "no"):
        raise pytest.UsageError("--jaxlint-record: nothing is traced under JAX_DISABLE_JIT")
    if "jax" in sys.modules:
        raise pytest.UsageError("--jaxlint-record: a plugin has imported jax already")
    paths = known.jaxlint_lint or [os.curdir]
    folder = tempfile.TemporaryDirectory(prefix="jaxlint-")
    early_config.add_cleanup(folder.cleanup)
    plan = os.path.join(folder.name, "plan")
    command = [sys.executable, "-m", "jaxlint.frontends.runs.record", plan, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise pytest.UsageError(f"--jaxlint-record: {done.stderr.strip()}")
    _set(early_config, "JAXLINT_RECORDING", plan)
    path = os.environ.get("PYTHONPATH")
    _set(early_config, "PYTHONPATH", os.pathsep.join([_STARTUP, path] if path else [_STARTUP]))
    from jaxlint.verify.child.recording import session

    session.start(plan)


def pytest_unconfigure() -> None:
    """Workers may end without the handlers of `atexit`."""
    module: Any = sys.modules.get("jaxlint.verify.child.recording.session")
    if module is not None and module.current is not None:
        module.current.save()


def _set(config: pytest.Config, name: str, value: str) -> None:
    before = os.environ.get(name)

    def undo() -> None:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before

    os.environ[name] = value
    config.add_cleanup(undo)
