"""Tasks that run on the workers of a Dask cluster.

The files of a task are examined in a separate process: a file that ends its process does no harm
to the Dask worker, which others may use too, and the threads of a worker do not wait for each
other. The processes stay for the next task, and end when none comes for a while.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import cache

import jaxlint
from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import ClusterError
from jaxlint.frontends.pools.executor import Executor
from jaxlint.frontends.pools.transfer import joined
from jaxlint.frontends.pools.worker import WorkerEndedError
from jaxlint.project.plugins import MODELS, RULES, offered
from jaxlint.results.merge import Examined
from jaxlint.verify.protocol import Config, Job, Miss, Observation

# Idle processes are ended after this time.
_IDLE_SECONDS = 30.0

Traits = tuple[tuple[str, str], ...]


@cache
def traits() -> Traits:
    """What must be equal on the client and the workers for equal findings, by name."""
    return (
        ("jaxlint", jaxlint.__version__),
        ("Python", ".".join(map(str, sys.version_info[:2]))),
        ("the system", os.name),
        ("the list of plugins", _plugins()),
    )


def _plugins() -> str:
    points = [*offered(RULES), *offered(MODELS)]
    named = sorted({f"{point.name} {point.dist.version if point.dist else ''}" for point in points})
    return ", ".join(named) or "empty"


def difference(here: Traits, there: Traits) -> str:
    """The first difference between two environments in words, "" if there is none."""
    for (name, mine), (_, other) in zip(here, there, strict=True):
        if mine != other:
            return f"{name} is {other} there and {mine} here"
    return ""


def examine(
    expected: Traits, key: str, files: Sequence[str], chunks: Sequence[bytes]
) -> list[Examined]:
    """The results for files. `chunks` are of the pickled session, which has this key."""
    _compare(expected)
    executor = _idle.acquired()
    try:
        return [one for _, one in executor.examined(key, lambda: joined(chunks), files)]
    except (OSError, WorkerEndedError) as error:
        message = f"the Dask worker on {platform.node()} cannot start processes: {error}"
        raise ClusterError(message) from None
    finally:
        _idle.release(executor)


@slotted(frozen=True)
class Verified:
    """What the verifier says of some jobs, as if it were at home, and its version of JAX. With a
    `problem`, nothing can be verified on this worker."""

    answers: tuple[Observation | Miss, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""


def verify(
    expected: Traits,
    config: Config,
    python: str,
    jobs: Sequence[Job],
    numbers: Sequence[int],
    chunks: Sequence[bytes],
) -> Verified:
    """Puts the jobs with these numbers to the JAX of an interpreter, that of the worker if
    `python` is empty; `chunks` are of the source tree."""
    from jaxlint.frontends.pools import remote_paths
    from jaxlint.verify.run import Verification, VerifyError

    _compare(expected)
    with tempfile.TemporaryDirectory(prefix="jaxlint-", ignore_cleanup_errors=True) as folder:
        there = os.path.realpath(folder)
        remote_paths.unpack(joined(chunks), there)
        verification = Verification(
            remote_paths.config_there(config, there), python or sys.executable
        )
        try:
            found = list(verification.execute(remote_paths.jobs_there(jobs, there), numbers))
        except VerifyError as error:
            return Verified(problem=f"on the Dask worker {platform.node()}, {error}")
        answers = tuple(remote_paths.here(answer, there) for answer in found)
        return Verified(answers, tuple(note.replace(there, "") for note in verification.notes))


def _compare(expected: Traits) -> None:
    found = difference(expected, traits())
    if found:
        raise ClusterError(f"the Dask worker on {platform.node()} does not fit: {found}")


class _IdleExecutors:
    """Executors that no task uses."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executors: list[Executor] = []
        self._timer: threading.Timer | None = None

    def acquired(self) -> Executor:
        with self._lock:
            self._stop()
            return self._executors.pop() if self._executors else Executor()

    def release(self, executor: Executor) -> None:
        with self._lock:
            self._executors.append(executor)
            self._stop()
            self._timer = threading.Timer(_IDLE_SECONDS, self._end)
            self._timer.daemon = True
            self._timer.start()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        with self._lock:
            executors, self._executors = self._executors, []
        for executor in executors:
            executor.close()


_idle = _IdleExecutors()
