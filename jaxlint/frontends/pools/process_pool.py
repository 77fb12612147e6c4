"""A pool of worker processes on this machine, with a thread for each."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from queue import Empty, SimpleQueue

from jaxlint.frontends.pools.batching import Task
from jaxlint.frontends.pools.executor import Executor
from jaxlint.frontends.pools.worker import (
    WorkerEndedError,
    WorkerProcess,
    can_fork,
    forked,
    started,
)
from jaxlint.results.merge import Examined
from jaxlint.session.session import Session

Found = tuple[Session, str, Examined]
# The longest wait before an interrupt from the keyboard is noticed.
_POLL_SECONDS = 0.5


class ProcessPool:
    """Workers that examine batches until none is left. As a context, it ends the workers.

    When a worker dies, another one tries its file once more. If that one dies too, jaxlint reports
    a crash for the file. All other files are examined as usual.
    """

    def __init__(self, number: int, batches: Iterator[tuple[Task, ...]]) -> None:
        self._number = number
        self._batches = batches
        self._lock = threading.Lock()
        self._found: SimpleQueue[Found | None] = SimpleQueue()
        self._workers: dict[threading.Thread, WorkerProcess] = {}
        self._running = 0
        self._closed = False
        self._sessions: dict[int, bytes] = {}

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            workers = list(self._workers.values())
        for worker in workers:
            worker.kill()
        for thread in list(self._workers):
            thread.join(_POLL_SECONDS)

    def start(self, sessions: Mapping[Hashable, Session]) -> None:
        """Starts the workers. If one cannot be started, the others examine its files."""
        workers: list[WorkerProcess | None] = [None] * self._number
        if can_fork():
            # New processes take less memory than copies, so they may start where copies cannot.
            with contextlib.suppress(OSError):
                workers = [*forked(self._number, sessions)]
        self._running = len(workers)
        for worker in workers:
            thread = threading.Thread(target=self._run, args=(worker,), daemon=True)
            if worker is not None:
                self._workers[thread] = worker
            thread.start()

    def found(self) -> Iterator[Found]:
        """The results as they come, until no worker is running."""
        while self._running:
            try:
                found = self._found.get(timeout=_POLL_SECONDS)
            except Empty:
                continue
            if found is None:
                self._running -= 1
            else:
                yield found

    # -- in the threads ---------------------------------------------------------------------------

    def _run(self, worker: WorkerProcess | None) -> None:
        """Runs the batches of one worker and its replacements."""
        executor = Executor(worker, self._new_worker)
        try:
            while (batch := self._next()) is not None:
                session = batch[0].session
                files = [task.file for task in batch]
                for file, examined in executor.examined(id(session), self._pickled(session), files):
                    self._found.put((session, file, examined))
        except (OSError, WorkerEndedError):
            # No replacement can be started: the other workers take the remaining batches.
            pass
        finally:
            executor.close()
            self._found.put(None)

    def _next(self) -> tuple[Task, ...] | None:
        with self._lock:
            return None if self._closed else next(self._batches, None)

    def _pickled(self, session: Session) -> Callable[[], bytes]:
        """Pickles a session, once, for workers that were not forked."""

        def data() -> bytes:
            with self._lock:
                pickled = self._sessions.get(id(session))
                if pickled is None:
                    pickled = pickle.dumps(session, pickle.HIGHEST_PROTOCOL)
                    self._sessions[id(session)] = pickled
            return pickled

        return data

    def _new_worker(self) -> WorkerProcess:
        """A new worker. Raises OSError, or WorkerEndedError once the pool is closed."""
        if self._closed:
            raise WorkerEndedError("is not needed")
        worker = started()
        with self._lock:
            self._workers[threading.current_thread()] = worker
            if not self._closed:
                return worker
        worker.close()
        raise WorkerEndedError("is not needed")
