"""The processes of one run, each with a thread that deals with it."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from queue import Empty, SimpleQueue

from jaxlint.frontends.work.batches import Task
from jaxlint.frontends.work.worker_process import EndedError, Member, can_fork, forked, started
from jaxlint.frontends.work.worker_slot import Seat
from jaxlint.results.merge import Examined
from jaxlint.session.session import Session

Found = tuple[Session, str, Examined]
# An interrupt from the keyboard is seen after so many seconds at the latest.
_BLINK = 0.5


class Crew:
    """So many processes that work on shares until there are no more. As a context, it ends them.

    A process that dies costs what it was doing: another one tries the file once more, and if that
    dies too, the file is what jaxlint fails on. Everything else is done as if nothing had been.
    """

    def __init__(self, number: int, shares: Iterator[tuple[Task, ...]]) -> None:
        self._number = number
        self._shares = shares
        self._lock = threading.Lock()
        self._found: SimpleQueue[Found | None] = SimpleQueue()
        self._members: dict[threading.Thread, Member] = {}
        self._at_work = 0
        self._over = False
        self._told: dict[int, bytes] = {}

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
            members = list(self._members.values())
        for member in members:
            member.kill()
        for thread in list(self._members):
            thread.join(_BLINK)

    def start(self, sessions: Mapping[Hashable, Session]) -> None:
        """Sets the processes to work; of those that cannot be had, the others do the share."""
        members: list[Member | None] = [None] * self._number
        if can_fork():
            # Where there is no room for copies, there may be some for what is smaller.
            with contextlib.suppress(OSError):
                members = [*forked(self._number, sessions)]
        self._at_work = len(members)
        for member in members:
            thread = threading.Thread(target=self._deal, args=(member,), daemon=True)
            if member is not None:
                self._members[thread] = member
            thread.start()

    def found(self) -> Iterator[Found]:
        """What comes of the files, as it comes, until nobody is at work any more."""
        while self._at_work:
            try:
                found = self._found.get(timeout=_BLINK)
            except Empty:
                continue
            if found is None:
                self._at_work -= 1
            else:
                yield found

    # -- in the threads ---------------------------------------------------------------------------

    def _deal(self, member: Member | None) -> None:
        """Has one process, and those that take its place, work on share after share."""
        seat = Seat(member, self._another)
        try:
            while (share := self._next()) is not None:
                session = share[0].session
                files = [task.file for task in share]
                for file, examined in seat.examined(id(session), self._data(session), files):
                    self._found.put((session, file, examined))
        except (OSError, EndedError):
            # There is no other process to be had: somebody else does the rest.
            pass
        finally:
            seat.close()
            self._found.put(None)

    def _next(self) -> tuple[Task, ...] | None:
        with self._lock:
            return None if self._over else next(self._shares, None)

    def _data(self, session: Session) -> Callable[[], bytes]:
        """What a process that has not been forked has to be told of a session."""

        def data() -> bytes:
            with self._lock:
                told = self._told.get(id(session))
                if told is None:
                    told = pickle.dumps(session, pickle.HIGHEST_PROTOCOL)
                    self._told[id(session)] = told
            return told

        return data

    def _another(self) -> Member:
        """A new process. Raises OSError, or EndedError if there is nothing to be done any more."""
        if self._over:
            raise EndedError("is not needed")
        member = started()
        with self._lock:
            self._members[threading.current_thread()] = member
            if not self._over:
                return member
        member.close()
        raise EndedError("is not needed")
