"""What runs on the workers of a Dask cluster, one call for each task.

The files of a task are examined by a process of ours beside the worker's: a file that ends its
process does no harm to the worker, which may be somebody else's too, and the threads of a worker
do not wait for each other. The processes stay for the next task, and go when none comes.
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
from jaxlint.frontends.work.shipping import whole
from jaxlint.frontends.work.worker_process import EndedError
from jaxlint.frontends.work.worker_slot import Seat
from jaxlint.project.plugins import MODELS, RULES, offered
from jaxlint.results.merge import Examined
from jaxlint.verify.protocol import Config, Job, Miss, Observation

# A process that has had nothing to do for so long is ended.
_IDLE_SECONDS = 30.0

Traits = tuple[tuple[str, str], ...]


@cache
def traits() -> Traits:
    """What has to be the same here and there for the findings to be the same, by name."""
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
    """In which way there is another jaxlint there, if it is another."""
    for (name, mine), (_, other) in zip(here, there, strict=True):
        if mine != other:
            return f"{name} is {other} there and {mine} here"
    return ""


def examine(
    expected: Traits, key: str, files: Sequence[str], pieces: Sequence[bytes]
) -> list[Examined]:
    """What comes of files; `pieces` are of the session that knows them, which goes by `key`."""
    _compare(expected)
    seat = _idle.taken()
    try:
        return [one for _, one in seat.examined(key, lambda: whole(pieces), files)]
    except (OSError, EndedError) as error:
        message = f"the Dask worker on {platform.node()} cannot start processes: {error}"
        raise ClusterError(message) from None
    finally:
        _idle.put_back(seat)


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
    pieces: Sequence[bytes],
) -> Verified:
    """Puts the jobs with these numbers to the JAX of an interpreter, that of the worker if
    `python` is empty; `pieces` are of the source tree."""
    from jaxlint.frontends.work import remote_paths
    from jaxlint.verify.run import Verification, VerifyError

    _compare(expected)
    with tempfile.TemporaryDirectory(prefix="jaxlint-", ignore_cleanup_errors=True) as folder:
        there = os.path.realpath(folder)
        remote_paths.unpack(whole(pieces), there)
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


class _Idle:
    """The seats that nobody uses just now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seats: list[Seat] = []
        self._timer: threading.Timer | None = None

    def taken(self) -> Seat:
        with self._lock:
            self._stop()
            return self._seats.pop() if self._seats else Seat()

    def put_back(self, seat: Seat) -> None:
        with self._lock:
            self._seats.append(seat)
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
            seats, self._seats = self._seats, []
        for seat in seats:
            seat.close()


_idle = _Idle()
