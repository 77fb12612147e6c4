"""Batches of files for worker processes, and the number of workers that a run is worth."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from jaxlint.base.dataclass import slotted
from jaxlint.project.project import Universe
from jaxlint.session.session import Session

# The largest batch is this fraction of one worker's part of the remaining work. Efforts are
# estimates, often wrong by a factor of three: enough work must remain when a batch takes longer.
_FRACTION = 4
# The least effort of a batch, in bytes of source.
_LEAST_EFFORT = 4_000
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


def batches(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, ...]]:
    """The tasks in batches for this number of workers. A worker takes the next one when it is free.

    The order is kept, except for tasks that are larger than a batch: they come first, so that no
    worker begins one at the end. A batch holds neighbours of one project, which import mostly the
    same modules. Large batches come first, small ones last.
    """
    left = sum(task.effort for task in tasks)
    most = left // (_FRACTION * workers)
    large = [task for task in tasks if task.effort > most]
    for task in sorted(large, key=lambda task: -task.effort):
        left -= task.effort
        yield (task,)
    batch: list[Task] = []
    held = 0
    for task in tasks:
        if task.effort > most:
            continue
        full = held + task.effort > max(left // (_FRACTION * workers), _LEAST_EFFORT)
        if batch and (full or not task.is_near(batch[0])):
            yield tuple(batch)
            left -= held
            batch, held = [], 0
        batch.append(task)
        held += task.effort
    if batch:
        yield tuple(batch)


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
