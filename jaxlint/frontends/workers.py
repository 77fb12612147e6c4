"""Processes that examine files for a run; what they find comes back as plain data."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType

from jaxlint.gathering import Examined
from jaxlint.session import Session
from jaxlint.settings import Settings

# Files that a process takes at a time: neighbours share what they import.
_CHUNK = 4


class Workers:
    """A pool of so many processes; with one, or with nothing to share, there is no pool."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool: ProcessPoolExecutor | None = None
        self._pending: dict[tuple[int, str], Future[dict[str, Examined]]] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def start(self, asked: Sequence[str], work: Sequence[tuple[Session, str]]) -> None:
        """Has everything examined that the reports on these files will need."""
        if self._number < 2:
            return
        wanted: dict[int, dict[str, None]] = {}
        sessions: dict[int, Session] = {}
        for session, path in work:
            sessions[id(session)] = session
            needed = wanted.setdefault(id(session), {})
            needed.update(dict.fromkeys(session.entries_for(path)))
        # A process that is started anew holds nothing of this one, threads and locks included.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self._number, mp_context=context)
        for number, files in wanted.items():
            session = sessions[number]
            listed = list(files)
            for at in range(0, len(listed), _CHUNK):
                chunk = tuple(listed[at : at + _CHUNK])
                given = (session.settings, session.surveys, tuple(asked), chunk)
                future = self._pool.submit(_examine, *given)
                self._pending.update({(number, file): future for file in chunk})

    def await_entries(self, session: Session, path: str) -> None:
        """Hands a session what was found in the files that the report on this one needs."""
        if self._pool is None:
            return
        for file in session.entries_for(path):
            future = self._pending.pop((id(session), file), None)
            if future is None:
                continue
            try:
                session.adopt(future.result())
            except BrokenProcessPool:
                # A process was killed, by lack of memory perhaps: this one does the rest.
                self._pending.clear()
                return


_sessions: dict[tuple[Settings, bool, tuple[str, ...]], Session] = {}


def _examine(
    settings: Settings, surveys: bool, asked: tuple[str, ...], files: tuple[str, ...]
) -> dict[str, Examined]:
    """Runs in a process of the pool, which keeps its session from one task to the next."""
    session = _sessions.get((settings, surveys, asked))
    if session is None:
        gc.disable()
        session = _sessions[settings, surveys, asked] = Session(settings, surveys=surveys)
        session.ask(asked)
    return {file: session.examine(file) for file in files}
