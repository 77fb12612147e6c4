"""The life of a child process: greet the parent, take its jobs, work until none is left."""

from __future__ import annotations

import gc
import os
import platform
import re
import site
import sys

from jaxlint.verify.child.isolation.guard import (
    Guard,
    TimeOutError,
    adopt_orphans,
    limit_resources,
    time_limit,
)
from jaxlint.verify.child.process.channel import Channel
from jaxlint.verify.protocol import Config, Job, Ready

_OLDEST_PYTHON = (3, 10)
_OLDEST_JAX = (0, 4, 30)
_SELFTEST_SECONDS = 30.0


def serve() -> None:
    """Serves the parent until it has nothing more to do."""
    channel = Channel()
    config = channel.receive()
    if not isinstance(config, Config):
        return
    _move_home(config.writable)
    limit_resources(config.memory)
    adopt_orphans()
    channel.send(_ready())
    jobs: list[Job] = []
    message = channel.receive()
    while isinstance(message, Job):
        jobs.append(message)
        message = channel.receive()
    if message is None:
        return
    from jaxlint.verify.child.process.worker import Worker

    sys.argv = [""]
    sys.path.extend(path for path in config.paths if path not in sys.path)
    guard = Guard(config.writable)
    worker = Worker(config, jobs, channel, guard)
    guard.install()
    # What is there by now stays; collecting it time and again would cost more than the work.
    gc.freeze()
    while message is not None:
        worker.work(message)
        message = channel.receive()


def _move_home(directory: str) -> None:
    """Moves what programs keep for themselves; Python's own packages stay where they are."""
    if site.USER_BASE:
        os.environ["PYTHONUSERBASE"] = site.USER_BASE
    for name in ("HOME", "USERPROFILE"):
        os.environ[name] = directory
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = os.path.join(directory, name.lower())


def _ready() -> Ready:
    """Whether this interpreter and its JAX will do."""
    python = platform.python_version()
    if sys.version_info < _OLDEST_PYTHON:
        return Ready(python=python, problem=f"Python {python} is older than 3.10")
    try:
        import jax
    except ModuleNotFoundError as error:
        return Ready(python=python, problem=f"{sys.executable} has no {error.name}")
    except Exception as error:  # A broken installation may raise anything.
        text = " ".join(str(error).split())
        problem = f"{sys.executable} cannot import jax: {type(error).__name__}: {text}"
        return Ready(python=python, problem=problem)
    version = str(getattr(jax, "__version__", "0"))
    if tuple(map(int, re.findall(r"\d+", version)[:3])) < _OLDEST_JAX:
        return Ready(python=python, problem=f"{sys.executable} has JAX {version}")
    return Ready(version, python, _problem())


def _problem() -> str:
    """Why what this JAX shows cannot be trusted; empty if it can."""
    try:
        with time_limit(_SELFTEST_SECONDS):
            from jaxlint.verify.child.process.selftest import selftest

            return selftest()
    except (Exception, TimeOutError) as error:  # A JAX that is unlike any we know.
        return f"the self-test ended with {type(error).__name__}: {error}"
