"""A place for one process that examines files: when it dies, another one takes the place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from jaxlint.base.runtime.crash import Crash
from jaxlint.frontends.work.worker_process import Do, EndedError, Member, started
from jaxlint.results.merge import Examined

# How often a file is tried: the first time something else may have ended the process.
_TRIES = 2


class Seat:
    """Has files examined by a process, `member` or a new one, and by others after it.

    A process that dies costs what it was doing: another one tries the file once more, and if that
    dies too, the file is what jaxlint fails on. `start` starts a process, or raises OSError or
    EndedError.
    """

    def __init__(self, member: Member | None = None, start: Callable[[], Member] = started) -> None:
        self._member = member
        self._start = start

    def examined(
        self, session: Hashable, data: Callable[[], bytes], files: Sequence[str]
    ) -> Iterator[tuple[str, Examined]]:
        """What comes of each file, in turn. `data` gives the session for a process that does not
        know it. Raises OSError or EndedError if no process is to be had."""
        left = list(files)
        # Of the file that is the first of those left: how it ended the processes that tried it.
        ends: list[str] = []
        while left:
            try:
                member = self._taken()
            except (OSError, EndedError):
                if ends:
                    yield left.pop(0), _crashed(ends)
                raise
            try:
                member.teach(session, data)
                member.tell(Do(session, tuple(left)))
                while left:
                    examined = member.hear()
                    ends.clear()
                    yield left.pop(0), examined
            except EndedError as end:
                self.close()
                ends.append(str(end))
                if len(ends) == _TRIES:
                    yield left.pop(0), _crashed(ends)
                    ends.clear()

    def close(self) -> None:
        """Ends the process."""
        if self._member is not None:
            self._member.close()
            self._member = None

    def _taken(self) -> Member:
        if self._member is None:
            self._member = self._start()
        return self._member


def _crashed(ends: Sequence[str]) -> Examined:
    return Examined(crash=Crash(f"the process that examined it {ends[-1]}"))
