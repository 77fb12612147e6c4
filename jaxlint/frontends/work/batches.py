"""Which files one process takes at a time, and how many processes a run is worth."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from jaxlint.base.dataclass import slotted
from jaxlint.project.project import Universe
from jaxlint.session.session import Session

# Of the work that is left, each of the processes takes such a part next. Efforts are estimates,
# often wrong by a factor of three, so much has to be left when a share turns out large.
_PART = 4
# A share is not worth less than this, in bytes of source.
_LEAST = 4_000
# What Linux lets a container's processes use: microseconds, and of how many.
_QUOTA = "/sys/fs/cgroup/cpu.max"


@slotted(frozen=True)
class Task:
    """A file to be examined, by its identity, its project, and about how much work that is."""

    session: Session
    project: Universe
    file: str
    effort: int

    def is_near(self, other: Task) -> bool:
        """Whether both are in the same project, and examined with the same settings."""
        return self.session is other.session and self.project is other.project


def tasks(work: Sequence[tuple[Session, str]]) -> list[Task]:
    """What has to be examined for the reports on these files, in the order of first need."""
    wanted: dict[tuple[int, str], Session] = {}
    for session, path in work:
        for file in session.entries_for(path):
            wanted.setdefault((id(session), file), session)
    found = []
    for (_, file), session in wanted.items():
        if not session.known(file):
            project = session.project(file)
            found.append(Task(session, project, file, project.effort(file)))
    return found


def shares(tasks: Sequence[Task], takers: int) -> Iterator[tuple[Task, ...]]:
    """The tasks in shares for so many takers, each of which comes for the next when it is done.

    The order is kept but for tasks that alone are more than a share: they come first, so that
    nobody begins with one at the end. A share is of neighbours, which have much of what they
    import in common, in one project. Large shares come first, small ones last.
    """
    left = sum(task.effort for task in tasks)
    most = left // (_PART * takers)
    large = [task for task in tasks if task.effort > most]
    for task in sorted(large, key=lambda task: -task.effort):
        left -= task.effort
        yield (task,)
    share: list[Task] = []
    held = 0
    for task in tasks:
        if task.effort > most:
            continue
        full = held + task.effort > max(left // (_PART * takers), _LEAST)
        if share and (full or not task.is_near(share[0])):
            yield tuple(share)
            left -= held
            share, held = [], 0
        share.append(task)
        held += task.effort
    if share:
        yield tuple(share)


def processors() -> int:
    """How many processors this process may use: those that it may run on, and no more than a
    container may keep busy."""
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    number = len(os.sched_getaffinity(0))
    try:
        with open(_QUOTA, encoding="ascii") as stream:
            quota, period = map(int, stream.read().split())
    except (OSError, ValueError):
        # There is no limit, or it says "max".
        return number
    return max(1, min(number, -(-quota // period)))


def worth(tasks: Sequence[Task], least: int) -> int:
    """How many processes these tasks are worth, if each should have so much to do; 1 stands for
    doing them here."""
    total = sum(task.effort for task in tasks)
    return max(1, min(processors(), len(tasks), total // least))
