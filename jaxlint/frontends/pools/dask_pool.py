"""Files examined, and findings put to real JAX, by the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.runtime.crash import Crash
from jaxlint.frontends.pools import dask_tasks, remote_paths
from jaxlint.frontends.pools.batching import Task, batches
from jaxlint.frontends.pools.dask_client import Cluster, Killed, Payload, Unit
from jaxlint.frontends.pools.process_pool import Found
from jaxlint.frontends.pools.transfer import packed
from jaxlint.results.merge import Examined
from jaxlint.verify.protocol import Config, Job, Miss, Observation, dump
from jaxlint.verify.run import VerifyError

# Parts into which the modules for one thread are divided, as some take longer than others.
_ROUNDS = 3


def examined(cluster: Cluster, tasks: Sequence[Task]) -> Generator[Found, None, None]:
    """The results of the tasks, as they come. Raises ClusterError."""
    with closing(cluster.results(_units(tasks, cluster.threads()))) as results:
        for unit, result in results:
            batch: tuple[Task, ...] = unit.about
            if isinstance(result, Killed):
                result = [Examined(crash=Crash(f"it {result.reason}"))]
            for task, one in zip(batch, result, strict=True):
                yield task.session, task.file, one


def _units(tasks: Sequence[Task], threads: int) -> Iterator[Unit]:
    files: dict[tuple[int, int], list[str]] = {}
    for task in tasks:
        files.setdefault(_place(task), []).append(task.file)
    left = {place: len(them) for place, them in files.items()}
    payloads: dict[tuple[int, int], Payload] = {}
    for batch in batches(tasks, threads):
        first, place = batch[0], _place(batch[0])
        if place not in payloads:
            payloads[place] = _payload(first, files[place])
        payload = payloads[place]
        left[place] -= len(batch)
        if not left[place]:
            # Its units hold it, and the cluster drops it when they are done.
            del payloads[place]
        yield _unit(batch, payload)


def _place(task: Task) -> tuple[int, int]:
    return id(task.session), id(task.project)


def _payload(task: Task, files: Sequence[str]) -> Payload:
    return Payload(lambda: packed(task.session, task.project, files))


def _unit(batch: tuple[Task, ...], payload: Payload) -> Unit:
    arguments = (dask_tasks.traits(), payload.key, [task.file for task in batch])
    parts = [_unit((task,), payload) for task in batch] if len(batch) > 1 else ()
    return Unit(dask_tasks.examine, arguments, payload, batch, parts)


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
        payload = Payload(lambda: remote_paths.packed(self.config.roots))
        # A process that has imported JAX is better used for several modules.
        workers = min(len(jobs), _ROUNDS * self.cluster.threads())
        for first in range(workers):
            yield self._unit(jobs, tuple(range(first, len(jobs), workers)), payload)

    def _unit(self, jobs: list[Job], numbers: tuple[int, ...], payload: Payload) -> Unit:
        arguments = (dask_tasks.traits(), self.config, self.python, jobs, numbers)
        parts = [self._unit(jobs, (one,), payload) for one in numbers] if len(numbers) > 1 else ()
        return Unit(dask_tasks.verify, arguments, payload, numbers, parts)
