"""An executor of tasks in one worker process, which is replaced when it dies."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from jaxlint.base.runtime.crash import Crash
from jaxlint.frontends.pools.worker import Examine, WorkerEndedError, WorkerProcess, started
from jaxlint.results.merge import Examined

# Attempts at one file: something else may have ended the first worker.
_ATTEMPTS = 2


class Executor:
    """Examines files in a worker process: `worker`, or a new one, or its replacements.

    When a worker dies, another one tries its file once more. If that one dies too, the result for
    the file is a crash. `start` starts a worker, or raises OSError or WorkerEndedError.
    """

    def __init__(
        self, worker: WorkerProcess | None = None, start: Callable[[], WorkerProcess] = started
    ) -> None:
        self._worker = worker
        self._start = start

    def examined(
        self, session: Hashable, data: Callable[[], bytes], files: Sequence[str]
    ) -> Iterator[tuple[str, Examined]]:
        """The result for each file, in order. `data` pickles the session for a worker that has not
        loaded it. Raises OSError or WorkerEndedError if no worker can be started."""
        left = list(files)
        # How the workers ended that tried the first of the remaining files.
        ends: list[str] = []
        while left:
            try:
                worker = self._started_worker()
            except (OSError, WorkerEndedError):
                if ends:
                    yield left.pop(0), _crashed(ends)
                raise
            try:
                worker.load(session, data)
                worker.send(Examine(session, tuple(left)))
                while left:
                    examined = worker.receive()
                    ends.clear()
                    yield left.pop(0), examined
            except WorkerEndedError as end:
                self.close()
                ends.append(str(end))
                if len(ends) == _ATTEMPTS:
                    yield left.pop(0), _crashed(ends)
                    ends.clear()

    def close(self) -> None:
        """Ends the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _started_worker(self) -> WorkerProcess:
        if self._worker is None:
            self._worker = self._start()
        return self._worker


def _crashed(ends: Sequence[str]) -> Examined:
    return Examined(crash=Crash(f"the process that examined it {ends[-1]}"))
