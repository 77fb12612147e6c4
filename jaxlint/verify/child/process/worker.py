"""The child process at work: one module after the other, each under probes and guard."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxlint.verify.child.arguments import signatures
from jaxlint.verify.child.arguments.candidates import Maker, Pool
from jaxlint.verify.child.arguments.invent import Budget, calls
from jaxlint.verify.child.arguments.replay import given, is_same, remains, replays
from jaxlint.verify.child.arguments.signatures import Call
from jaxlint.verify.child.arguments.subjects import definition, plain
from jaxlint.verify.child.experiments.leaks import Remains
from jaxlint.verify.child.isolation.guard import Guard, TimeOutError
from jaxlint.verify.child.isolation.integrity import Integrity
from jaxlint.verify.child.isolation.refusal import Refusal
from jaxlint.verify.child.observing.outline import Module
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.child.process.channel import Channel
from jaxlint.verify.child.process.load import LoadError, load
from jaxlint.verify.child.process.problems import MOST_REASONS, Problem, reasons
from jaxlint.verify.child.process.units import Units
from jaxlint.verify.child.recording.patches import judges
from jaxlint.verify.child.recording.record import Recorder
from jaxlint.verify.child.study import study
from jaxlint.verify.protocol import (
    IMPORT,
    Config,
    Done,
    Example,
    Job,
    Miss,
    Note,
    Observation,
    Recorded,
    Source,
    Start,
    Target,
)

_INVENTION = "inventing arguments"
_LONGEST_UNIT = 300
_TRACES = 2.0
"""A study stages a call many times: its limit, in limits of one call."""


class Worker:
    """What one process knows of all jobs, and how it works on each."""

    def __init__(self, config: Config, jobs: Sequence[Job], channel: Channel, guard: Guard) -> None:
        self.config = config
        self.jobs = jobs
        self.channel = channel
        self.guard = guard
        self.targets = [target for job in jobs for target in job.targets]
        self._homeless = [
            target
            for job in jobs
            if not (job.recorded or job.examples or config.guess)
            for target in job.targets
        ]
        self.files = UserFiles(config.roots)
        self.probes = Probes(self.targets)
        self.recorder = Recorder(
            tuple(self.targets), self.probes, self.files, config, in_place=False
        )
        self.refusal = Refusal()
        self.pool = Pool()
        self.remains = Remains(is_asked=any(each.hazard == "leaks" for each in self.targets))
        self.settled: set[int] = set()
        self.judged: set[int] = set()
        self.observed: set[int] = set()
        self.sent: set[tuple[Any, ...]] = set()
        self.units = Units(channel)

    def work(self, start: Start) -> None:
        """Does a job and tells the parent what it showed."""
        job = self.jobs[start.job]
        self.settled.update(start.settled)
        self.judged.update(start.settled)
        self.refusal.files.update(start.given_up)
        session = _Session(self, job, start)
        session.run()
        for target in job.targets:
            if target.id not in self.observed:
                self.channel.send(Miss(target.id, session.reason(target)))
        self.channel.send(Done(start.job, session.spoiled, dict(self.refusal.files)))

    def targets_for(self, job: Job) -> list[Target]:
        """What a call in the job's module may settle: its own targets, and those of modules that
        no calls are known for."""
        own = [each for each in job.targets if each.id not in self.settled]
        known = {each.id for each in job.targets} | self.observed
        return own + [each for each in self._homeless if each.id not in known]

    def emit(self, observations: Sequence[Observation]) -> None:
        """Tells the parent what is new."""
        for each in observations:
            key = (each.target, each.outcome, each.source, each.signature, each.assumption)
            if key in self.sent:
                continue
            self.sent.add(key)
            self.observed.add(each.target)
            if each.source != "invented" and each.outcome != "eager":
                self.judged.add(each.target)
                if each.outcome == "shown":
                    self.settled.add(each.target)
            self.channel.send(each)


class _Session:
    """The work on one job."""

    def __init__(self, worker: Worker, job: Job, start: Start) -> None:
        self.worker = worker
        self.job = job
        self.start = start
        self.problems: list[Problem] = []
        self.spoiled = ""
        self._outline = Module("")
        self._calls = 0
        self._tries = 0

    def run(self) -> None:
        """Imports the module, then puts to JAX what calls of its functions are known."""
        module = self._imported()
        if module is None or not self._open():
            return
        with open(self.job.file, "rb") as file:
            self._outline = Module(file.read())
        self._replay(module, self._traced_at_import(), "run")
        self._replay(module, self.job.recorded, "recorded")
        for example in self.job.examples:
            if not self.spoiled:
                self._try_example(module, example)
        if self.worker.config.guess and not self.spoiled:
            self._guess(module)

    def reason(self, target: Target) -> str:
        """Why a target was not judged."""
        found = reasons(self.problems, target, self.worker.probes.unplaced.get(target.id))
        return found or ("its line did not run" if self._calls else "no arguments")

    # --- import -------------------------------------------------------------------------------

    def _imported(self) -> types.ModuleType | None:
        worker = self.worker
        seconds = worker.config.import_seconds
        module: types.ModuleType | None = None
        worker.probes.install()
        worker.refusal.install()
        worker.recorder.install()
        integrity = Integrity()
        try:
            with worker.units.run(IMPORT, seconds), worker.guard.importing():
                module = load(self.job.file)
        except LoadError as error:
            self.problems.append(Problem(str(error)))
            module = remains(error.__cause__, self.job.file)
        except TimeOutError as error:
            reason = f"import failed: time-out, more than {seconds:.0f} s"
            self.problems.append(Problem(reason))
            worker.refusal.blame(error, worker.files, self.job.file, reason)
        finally:
            changes = integrity.changes()
            worker.recorder.remove()
        self._collect_guard()
        if changes:
            self._spoil(changes)
            return None
        worker.emit(worker.recorder.observations())
        return module

    def _spoil(self, changes: list[str]) -> None:
        """No verdict is sound once JAX is not JAX, here or in what comes after."""
        names = ", ".join(changes[:MOST_REASONS])
        self.spoiled = f"the module replaces {names}"
        self.problems.insert(0, Problem(f"inconclusive: {self.spoiled}"))

    def _collect_guard(self, lines: range | None = None) -> None:
        guard = self.worker.guard
        for text in guard.notes:
            self.worker.channel.send(Note(f"{self.job.file} {text}"))
        self.problems += [Problem(f"blocked: {text}", lines) for text in guard.blocked]
        guard.notes.clear()
        guard.blocked.clear()

    # --- calls --------------------------------------------------------------------------------

    def _open(self) -> list[Target]:
        """The targets of this job that more evidence may settle."""
        return [each for each in self.job.targets if each.id not in self.worker.settled]

    def _traced_at_import(self) -> list[Recorded]:
        """The functions of this file that importing it, or a module before it, has traced."""
        seen = self.worker.recorder.recorded()
        return [each for each in seen if is_same(each.file, self.job.file)]

    def _replay(
        self,
        module: types.ModuleType,
        recorded: Sequence[Recorded],
        source: Source,
    ) -> None:
        for replay in replays(module, self._outline, recorded, self._open(), self._refused):
            if self.spoiled:
                return
            lines = self._lines(replay.call)
            if replay.is_near:
                wanted = any(target.line in lines for target in self._open()) or not lines
            else:
                wanted = any(each.id not in self.worker.judged for each in self.job.targets)
            if wanted:
                is_entry, is_outermost = judges(replay.phrase), bool(replay.phrase)
                self._study(
                    replay.call,
                    replay.name,
                    source,
                    is_entry=is_entry,
                    is_outermost=is_outermost,
                )

    def _refused(self, recorded: Recorded, reason: str) -> None:
        """Notes why a recording cannot be replayed, for what its own function holds."""
        name = recorded.qualname.rpartition(".")[2]
        self.problems.append(Problem(reason, self._outline.lines((recorded.line, name))))

    def _try_example(self, module: types.ModuleType, example: Example) -> None:
        name = f"{example.function}({example.arguments})"[:_LONGEST_UNIT]
        call: list[Call] = []

        def evaluate() -> None:
            maker = Maker(self.worker.pool)
            call.append(given(module, example, maker.objects))

        seconds = self.worker.config.call_seconds
        if self._attempt(f"arguments of {name}", seconds, evaluate, is_once=False):
            self._study(call[0], example.function, "given")

    def _guess(self, module: types.ModuleType) -> None:
        """Studies calls with invented arguments, for what no real ones were known for."""
        worker = self.worker
        wanted = [each for each in self.job.targets if each.id not in worker.judged]
        seconds = worker.config.call_seconds
        budget = Budget()
        if not wanted:
            return
        shown: set[int] = set()
        invented = calls(
            module,
            wanted,
            worker.files,
            budget,
            is_open=lambda target: target.id not in worker.judged | shown,
            limit=lambda: self._one_try(seconds),
            pool=worker.pool,
        )
        found: list[Any] = [None]

        def step() -> None:
            found[0] = None
            found[0] = next(invented, None)

        turn = 0
        while not self.spoiled:
            turn += 1
            patience = budget.seconds + _TRACES * seconds
            if not self._attempt(f"{_INVENTION} {turn}", patience, step, is_once=False):
                return
            if found[0] is None:
                return
            observations = self._study(
                found[0].call, _name(found[0].call), "invented", found[0].assumption
            )
            shown.update(it.target for it in observations if it.outcome in ("shown", "next"))

    @contextlib.contextmanager
    def _one_try(self, seconds: float) -> Iterator[None]:
        """Bounds one staging of the search for arguments, and leaves out what ended a process."""
        self._tries += 1
        name = f"try {self._tries} of arguments"
        if self.start.skip.get(name):
            raise TimeOutError(self.start.skip[name])
        with self.worker.units.run(name, seconds):
            yield

    def _lines(self, call: Call) -> range:
        """The lines of the function that a call is of; none if that cannot be told."""
        function = plain(call.fn)
        return self._outline.lines(definition(function)) if function else range(0)

    def _study(
        self,
        call: Call,
        name: str,
        source: Source,
        assumption: str = "",
        *,
        is_entry: bool = False,
        is_outermost: bool = True,
    ) -> Sequence[Observation]:
        worker = self.worker
        self._calls += 1
        found: list[Observation] = []

        def experiment() -> None:
            found[:] = study(
                call,
                worker.targets_for(self.job),
                worker.probes,
                worker.files,
                source=source,
                config=worker.config,
                assumption=assumption,
                is_entry=is_entry,
                is_outermost=is_outermost,
                remains=worker.remains,
                sink=found.append,
                explain=self._explain,
            )

        unit = f"{name}({signatures.describe(call)})"
        integrity = Integrity()
        self._attempt(unit, worker.config.call_seconds * _TRACES, experiment, self._lines(call))
        changes = integrity.changes()
        if changes:
            integrity.restore()
            self._spoil(changes)
            return ()
        worker.emit(found)
        return found

    def _explain(self, target: Target, reason: str) -> None:
        """Notes why a call showed nothing of a target that it reached."""
        self.problems.append(Problem(reason, range(target.line, target.line + 1)))

    def _attempt(
        self,
        unit: str,
        seconds: float,
        action: Callable[[], None],
        lines: range | None = None,
        *,
        is_once: bool = True,
    ) -> bool:
        """Does one unit of work, unless it is done or went wrong before. True if it went well."""
        unit = unit[:_LONGEST_UNIT]
        before = self.start.skip.get(unit)
        if before:
            self.problems.append(Problem(before, lines))
        if before or (before is not None and is_once):
            return False
        try:
            with self.worker.units.run(unit, seconds):
                action()
        except TimeOutError as error:
            self.problems.append(Problem(f"time-out: {unit} {error}", lines))
            return False
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # The user's code may raise anything, exit too.
            text = " ".join(str(error).split())[:_LONGEST_UNIT]
            self.problems.append(
                Problem(f"{unit} ended with {type(error).__name__}: {text}", lines)
            )
            return False
        finally:
            self._collect_guard(lines)
        return True


def _name(call: Call) -> str:
    return getattr(call.fn, "__qualname__", None) or type(call.fn).__name__
