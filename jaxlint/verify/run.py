"""Runs the child processes that judge targets, and survives what the user's code does to them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace

from jaxlint.base.errors import JaxlintError
from jaxlint.verify.process import Child, Ended
from jaxlint.verify.protocol import (
    IMPORT,
    Begin,
    Config,
    Done,
    End,
    Job,
    Miss,
    Note,
    Observation,
    Ready,
    Start,
    dump,
)

_STARTING_SECONDS = 120.0
_IDLE_SECONDS = 60.0
_GRACE = 1.25
_GRACE_SECONDS = 5.0
_MOST_RESTARTS = 8


class VerifyError(JaxlintError):
    """Nothing can be verified here: the interpreter or its JAX is not there, or too old."""


class Verification:
    """Puts jobs to the JAX of an interpreter.

    `jax` is its version, once known. `notes` tell what modules did while they were imported
    that the guard lets pass: processes started, connections opened.
    """

    def __init__(self, config: Config, python: str = sys.executable) -> None:
        self.config = config
        self.python = python
        self.jax = ""
        self.notes: list[str] = []

    def execute(
        self, jobs: Iterable[Job], only: Sequence[int] | None = None
    ) -> Iterator[Observation | Miss]:
        """What real JAX shows, as it comes.

        One process works on all jobs, or `only` on those with these numbers; what it sees of the
        targets of the others it tells too. If it dies or hangs, what it was doing is given up, and
        another process goes on. Raises VerifyError.
        """
        work = tuple(jobs)
        numbers = range(len(work)) if only is None else only
        if not numbers:
            return
        with tempfile.TemporaryDirectory(
            prefix="jaxlint-", ignore_cleanup_errors=True
        ) as directory:
            writable = os.path.realpath(directory)
            config = replace(self.config, writable=writable)
            yield from _Run(self, work, numbers, config).messages()


class _Run:
    """The state of one verification over the processes that it takes."""

    def __init__(
        self, owner: Verification, jobs: tuple[Job, ...], numbers: Sequence[int], config: Config
    ) -> None:
        self.owner = owner
        self.config = config
        self.jobs = jobs
        self.pending = deque(numbers)
        self.skip: dict[int, dict[str, str]] = {number: {} for number in range(len(jobs))}
        self.given_up: dict[str, str] = {}
        self.settled: set[int] = set()
        self.observed: set[int] = set()

    def messages(self) -> Iterator[Observation | Miss]:
        while self.pending:
            with Child(self.owner.python, self.config.writable) as child:
                problem = self._greet(child)
                if problem:
                    yield from self._abandon(problem)
                    return
                yield from self._serve(child)

    def _greet(self, child: Child) -> str:
        """Waits for the child's JAX. The reason why no verdict can be trusted, if there is one.

        Raises VerifyError if the very first child has no JAX to offer.
        """
        child.send(dump(self.config))
        answer = child.receive(_STARTING_SECONDS)
        if isinstance(answer, Ready) and answer.jax:
            self.owner.jax = answer.jax
            if answer.problem:
                return f"inconclusive: {answer.problem}"
            for job in self.jobs:
                child.send(dump(job))
            return ""
        if isinstance(answer, Ready):
            why = answer.problem
        elif isinstance(answer, Ended):
            why = f"{self.owner.python} does not start: {answer.reason}"
        else:
            why = f"{self.owner.python} does not start: {answer!r}"
        if self.owner.jax:
            return f"the process could not be started again: {why}"
        raise VerifyError(
            f"verification needs JAX 0.4.30 or newer ({why}); pip install jax there, or"
            " name an interpreter that has it with --python"
        )

    def _serve(self, child: Child) -> Iterator[Observation | Miss]:
        """Has the child work on job after job, until it ends or must not go on."""
        while self.pending:
            number = self.pending[0]
            child.send(dump(self._start(number)))
            must_end = yield from self._listen(child, number)
            if must_end:
                return

    def _start(self, number: int) -> Start:
        return Start(number, self.skip[number], self.given_up, tuple(sorted(self.settled)))

    def _listen(self, child: Child, number: int) -> Generator[Observation | Miss, None, bool]:
        """What the child says about one job. True if the child must not go on."""
        units: list[Begin] = []
        while True:
            message = child.receive(_patience(units))
            if isinstance(message, Observation):
                self._note(message)
                yield message
            elif isinstance(message, Miss):
                yield message
            elif isinstance(message, Begin):
                units.append(message)
            elif isinstance(message, End):
                self.skip[number].setdefault(message.unit, "")
                units.pop()
            elif isinstance(message, Note):
                self.owner.notes.append(message.text)
            elif isinstance(message, Done):
                self.pending.remove(number)
                self.given_up.update(message.given_up)
                return bool(message.spoiled)
            elif isinstance(message, Ended):
                yield from self._blame(number, units[-1] if units else None, message)
                return True

    def _note(self, observation: Observation) -> None:
        self.observed.add(observation.target)
        if observation.outcome == "shown" and observation.source != "invented":
            self.settled.add(observation.target)

    def _blame(self, number: int, unit: Begin | None, end: Ended) -> Iterator[Miss]:
        """Gives up what the child was doing when it ended, so that the next one goes on."""
        job = self.jobs[number]
        reason = _reason(job, unit, end)
        skip = self.skip[number]
        if unit is not None and unit.unit == IMPORT:
            self.given_up[os.path.realpath(job.file)] = reason
        elif unit is not None and sum(map(bool, skip.values())) < _MOST_RESTARTS:
            skip[unit.unit] = reason
            # A new process has to import the module again.
            skip.pop(IMPORT, None)
            return
        self.pending.remove(number)
        yield from self._missed(job, reason)

    def _abandon(self, reason: str) -> Iterator[Miss]:
        """Gives up all that is left."""
        for number in self.pending:
            yield from self._missed(self.jobs[number], reason)

    def _missed(self, job: Job, reason: str) -> Iterator[Miss]:
        for target in job.targets:
            if target.id not in self.observed:
                yield Miss(target.id, reason)


def _patience(units: Sequence[Begin]) -> float:
    """How long to wait for the child, which stops most of what takes too long by itself."""
    return units[-1].seconds * _GRACE + _GRACE_SECONDS if units else _IDLE_SECONDS


def _reason(job: Job, unit: Begin | None, end: Ended) -> str:
    if unit is None:
        return f"the process {end.reason}"
    if end.is_late:
        seconds = f"{unit.seconds:.0f} s"
        if unit.unit == IMPORT:
            return f"import failed: time-out, more than {seconds}"
        return f"time-out: {unit.unit} took more than {seconds}"
    if unit.unit == IMPORT:
        return f"import failed: the process {end.reason}"
    return f"the process {end.reason} in {unit.unit}"
