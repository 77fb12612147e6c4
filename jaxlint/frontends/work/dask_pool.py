"""Files examined, and findings put to real JAX, by the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.runtime.crash import Crash
from jaxlint.frontends.work import dask_tasks, remote_paths
from jaxlint.frontends.work.batches import Task, shares
from jaxlint.frontends.work.dask_client import Cluster, Killed, Parcel, Unit
from jaxlint.frontends.work.local_pool import Found
from jaxlint.frontends.work.shipping import packed
from jaxlint.results.merge import Examined
from jaxlint.verify.protocol import Config, Job, Miss, Observation, dump
from jaxlint.verify.run import VerifyError

# Into so many parts the modules for one thread are divided, as some take longer than others.
_ROUNDS = 3


def examined(cluster: Cluster, tasks: Sequence[Task]) -> Generator[Found, None, None]:
    """What comes of the tasks, as it comes. Raises ClusterError."""
    with closing(cluster.results(_units(tasks, cluster.threads()))) as results:
        for unit, result in results:
            share: tuple[Task, ...] = unit.about
            if isinstance(result, Killed):
                result = [Examined(crash=Crash(f"it {result.reason}"))]
            for task, one in zip(share, result, strict=True):
                yield task.session, task.file, one


def _units(tasks: Sequence[Task], threads: int) -> Iterator[Unit]:
    files: dict[tuple[int, int], list[str]] = {}
    for task in tasks:
        files.setdefault(_place(task), []).append(task.file)
    left = {place: len(them) for place, them in files.items()}
    parcels: dict[tuple[int, int], Parcel] = {}
    for share in shares(tasks, threads):
        first, place = share[0], _place(share[0])
        if place not in parcels:
            parcels[place] = _parcel(first, files[place])
        parcel = parcels[place]
        left[place] -= len(share)
        if not left[place]:
            # Its units hold it; the cluster need not, once they are done.
            del parcels[place]
        yield _unit(share, parcel)


def _place(task: Task) -> tuple[int, int]:
    return id(task.session), id(task.project)


def _parcel(task: Task, files: Sequence[str]) -> Parcel:
    return Parcel(lambda: packed(task.session, task.project, files))


def _unit(share: tuple[Task, ...], parcel: Parcel) -> Unit:
    arguments = (dask_tasks.traits(), parcel.key, [task.file for task in share])
    parts = [_unit((task,), parcel) for task in share] if len(share) > 1 else ()
    return Unit(dask_tasks.examine, arguments, parcel, share, parts)


@slotted()
class Verification:
    """As the verifier's own, with the JAX of the cluster's workers: each takes some modules, and
    runs them in a process of its own, on a copy of the sources. An empty `python` is the worker's.
    """

    cluster: Cluster
    config: Config
    python: str = ""
    notes: list[str] = field(default_factory=list)

    def execute(self, jobs: Iterable[Job]) -> Iterator[Observation | Miss]:
        """What real JAX shows, in the order of the jobs. Raises VerifyError and ClusterError."""
        if os.name == "nt":
            raise VerifyError("paths of Windows have no place on the workers of a Dask cluster")
        work = list(jobs)
        results = dict(self.cluster.results(self._units(work)))
        told: set[str] = set()
        for unit, result in sorted(results.items(), key=lambda pair: pair[0].about):
            if isinstance(result, Killed):
                answers = [
                    Miss(target.id, f"the process {result.reason}")
                    for number in unit.about
                    for target in work[number].targets
                ]
            elif result.problem:
                raise VerifyError(result.problem)
            else:
                answers = result.answers
                self.notes += [note for note in result.notes if note not in self.notes]
            for answer in answers:
                # Several may have imported the same module.
                if (text := dump(answer)) not in told:
                    told.add(text)
                    yield answer

    def _units(self, jobs: list[Job]) -> Iterator[Unit]:
        parcel = Parcel(lambda: remote_paths.packed(self.config.roots))
        # A process that has imported JAX is better used for several modules.
        takers = min(len(jobs), _ROUNDS * self.cluster.threads())
        for first in range(takers):
            yield self._unit(jobs, tuple(range(first, len(jobs), takers)), parcel)

    def _unit(self, jobs: list[Job], numbers: tuple[int, ...], parcel: Parcel) -> Unit:
        arguments = (dask_tasks.traits(), self.config, self.python, jobs, numbers)
        parts = [self._unit(jobs, (one,), parcel) for one in numbers] if len(numbers) > 1 else ()
        return Unit(dask_tasks.verify, arguments, parcel, numbers, parts)
