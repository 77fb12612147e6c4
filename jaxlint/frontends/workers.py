"""The workers of a run: a pool of processes or a cluster, whose results are plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from jaxlint.frontends.pools import batching
from jaxlint.session.session import Session

if TYPE_CHECKING:
    from jaxlint.frontends.pools.dask_client import Cluster
    from jaxlint.frontends.pools.process_pool import Found

# What a process must have to do, in bytes of source, to be worth its start: copies are had for
# less than new processes, which have to import everything.
_WORTH_A_COPY, _WORTH_A_START = 200_000, 1_000_000


class Workers:
    """A number of worker processes; 0 stands for as many as are worth it. With 1 there are none.

    With a cluster, its workers take their place.
    """

    def __init__(self, number: int, cluster: Cluster | None = None) -> None:
        self._number = number
        self._cluster = cluster
        self._stack = ExitStack()
        self._found: Iterator[Found] = iter(())
        self._pending: set[tuple[int, str]] = set()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, asked: Sequence[str], work: Sequence[tuple[Session, str]]) -> None:
        """Has everything examined that the reports on these files will need."""
        if self._number == 1 and self._cluster is None:
            return
        tasks = batching.tasks(work)
        if not tasks:
            return
        if self._cluster is not None:
            # Linting without a cluster needs none of this.
            from jaxlint.frontends.pools import dask_pool

            found = dask_pool.examined(self._cluster, tasks)
            self._found = self._stack.enter_context(closing(found))
        else:
            # Nor does code in which nothing is traced need any of this.
            from jaxlint.frontends.pools.process_pool import ProcessPool
            from jaxlint.frontends.pools.worker import can_fork

            least = _WORTH_A_COPY if can_fork() else _WORTH_A_START
            number = min(self._number, len(tasks)) or batching.worth(tasks, least)
            if number < 2:
                return
            pool = self._stack.enter_context(ProcessPool(number, batching.batches(tasks, number)))
            pool.start({id(task.session): task.session for task in tasks})
            self._found = pool.found()
        self._pending = {(id(task.session), task.file) for task in tasks}

    def await_entries(self, session: Session, path: str) -> None:
        """Hands a session what was found in the files that the report on this one needs.

        What was not found by others is left to the session.
        """
        if not self._pending:
            return
        for file in session.entries_for(path):
            while (id(session), file) in self._pending:
                found = next(self._found, None)
                if found is None:
                    self._pending.clear()
                    return
                owner, name, examined = found
                owner.adopt({name: examined})
                self._pending.discard((id(owner), name))
