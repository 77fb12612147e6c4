"""What an experiment works on: one call, the targets it may reach, and what is known so far."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import Call, describe, fresh, stager
from jaxlint.verify.child.experiments.evidence.syntax import Syntax, syntax_of
from jaxlint.verify.child.experiments.evidence.watch import TooManyError, Watch
from jaxlint.verify.child.observing.explore import explore
from jaxlint.verify.child.observing.places import Matcher, Place, UserFiles, error_places
from jaxlint.verify.child.observing.sites import Found
from jaxlint.verify.protocol import Config, Hazard, Observation, Outcome, Source, Target

_LONGEST_TEXT = 200
_LONGEST_OUTPUT = 2000


@dataclass
class Trace:
    """One staging of the call: its program or the error that ended it, and what ran in it.

    `is_entry` tells that JAX judged the result too, as it does for what a transform is given.
    """

    watch: Watch
    jaxpr: Any = None
    error: BaseException | None = None
    places: list[Place] = field(default_factory=list)
    output: str = ""
    is_entry: bool = False


@dataclass
class Exploration:
    """The sites that were stepped over, what ran on the way, and each run's program."""

    found: Found
    watch: Watch
    programs: list[Any]


class Subject:
    """A call under study.

    `native` is its first staging, as JAX does it; `observations` is what all experiments say, and
    `reasons` why they say nothing of a target that was reached. `is_entry` tells that the call is
    one of a function that a transform was given, which returns what JAX must take, and
    `is_outermost` that it begins a trace: what another is given may be made in the trace.
    """

    def __init__(
        self,
        call: Call,
        targets: Sequence[Target],
        probes: Any,
        files: UserFiles,
        config: Config,
        *,
        source: Source = "run",
        assumption: str = "",
        is_entry: bool = False,
        is_outermost: bool = True,
        sink: Callable[[Observation], None] | None = None,
    ) -> None:
        self.call = call
        self.is_entry = is_entry
        self.is_outermost = is_outermost
        self.targets = list(targets)
        self.probes = probes
        self.files = files
        self.config = config
        self.source: Source = source
        self.assumption = assumption
        self._sink = sink
        self.matcher = Matcher(self.targets)
        self.signature = describe(call)
        self.observations: dict[tuple[int, str], Observation] = {}
        self.reasons: dict[int, str] = {}
        self.native: Trace = Trace(Watch(files))
        self._syntax: dict[str, Syntax] = {}

    def of(self, hazard: Hazard) -> list[Target]:
        """The targets of one kind of hazard."""
        return [target for target in self.targets if target.hazard == hazard]

    def syntax(self, target: Target) -> Syntax:
        """The syntax of the target's file. Files do not change during a study."""
        if target.file not in self._syntax:
            self._syntax[target.file] = syntax_of(target.file)
        return self._syntax[target.file]

    def trace(self, watch: Watch, *, entry: bool = False) -> Trace:
        """Stages the call afresh; as an `entry`, with its result as it is."""
        internals.clear_caches()
        trace = self.run(stager(self.call, entry=entry), watch)
        trace.is_entry = entry
        return trace

    def jitted(self) -> Callable[[], Any]:
        """Calls one new jitted function by shapes: a body that is cached does not run again."""
        internals.clear_caches()
        new = fresh(self.call)
        compiled = jax.jit(new.fn)
        return lambda: compiled.eval_shape(*new.args, **new.kwargs)

    def run(self, action: Callable[[], Any], watch: Watch) -> Trace:
        """Does something with the user's code under probes, and keeps what it raised."""
        result = Trace(watch)
        with self.probes.watching(watch), quiet() as output, internals.exact_tracebacks():
            try:
                result.jaxpr = action()
            except (
                Exception,
                SystemExit,
                TooManyError,
            ) as error:  # The user's code may raise anything.
                result.error = error
                result.places = error_places(error, self.files)
        result.output = output.getvalue()[:_LONGEST_OUTPUT]
        return result

    def explore(
        self,
        watch: Watch,
        *,
        runs: int = 64,
        times: int = 1,
        call: Call | None = None,
        on_run: Callable[[], object] | None = None,
    ) -> Exploration:
        """Stages the call, or another, as often as it takes to see behind every conversion.

        Each run stages it so many `times` and keeps the caches in between.
        """
        programs: list[Any] = []
        staged = stager(call or self.call)

        def stage() -> None:
            programs.append(None)
            try:
                found = [staged() for _ in range(times)]
            except TooManyError as error:
                raise RuntimeError("flagged code runs without end") from error
            programs[-1] = found[-1]

        with self.probes.watching(watch), quiet():
            seconds = self.config.call_seconds / 2
            found = explore(stage, self.files, runs=runs, seconds=seconds, on_run=on_run)
        return Exploration(found, watch, programs)

    def earlier_lines(self, exploration: Exploration) -> list[int]:
        """The lines that an exploration stepped over."""
        sites = exploration.found.sites.items()
        return sorted({site.place.line for site, sighting in sites if not sighting.guarded})

    def passed(self, target: Target, trace: Trace) -> bool:
        """Whether a trace evaluated the target and went past its statement."""
        if not (trace.watch.delivered[target.id] or trace.watch.reached[target.id]):
            return False
        first, last = self.syntax(target).statement_lines(target)
        file = os.path.realpath(target.file)
        return not any(
            first <= place.line <= last and os.path.realpath(place.file) == file
            for place in trace.places
        )

    def observe(self, target: Target, outcome: Outcome, **evidence: Any) -> None:
        """Notes an observation, unless the same outcome is known already."""
        if (target.id, outcome) in self.observations:
            return
        facts = {"jax": internals.version(), "python": platform.python_version()}
        facts.update((key, value) for key, value in evidence.items() if value not in (None, "", []))
        observation = Observation(
            target.id, outcome, self.source, self.signature, self.assumption, facts
        )
        self.observations[target.id, outcome] = observation
        if self._sink is not None:
            self._sink(observation)

    def is_judged(self, target: Target) -> bool:
        """Whether an experiment had a say on the target."""
        return any(known == target.id for known, _ in self.observations)

    def is_shown(self, target: Target) -> bool:
        """Whether the target's hazard was seen."""
        return bool({(target.id, "shown"), (target.id, "next")} & self.observations.keys())


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """A context in which Python's output is kept and its warnings are dropped."""
    output = io.StringIO()
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield output


def is_a(error: BaseException, names: Sequence[str]) -> bool:
    """Whether the error's class, or a base of it, has one of these names."""
    return any(base.__name__ in names for base in type(error).__mro__)


def first_line(error: BaseException) -> str:
    """The first line of what an error says."""
    try:
        text = str(error)
    except Exception:  # The user's own `__str__` may raise anything.
        return ""
    return shortened(text.strip().partition("\n")[0])


def shortened(text: str) -> str:
    """Text of bounded length."""
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3] + "..."


_DEPENDS = re.compile(r"depends? on the values? of the arguments? ([^\n]+?)\.?\s*(?:\n|$)")


def depends_on(error: BaseException) -> str:
    """The inputs that JAX says the value depends on: "p['w'] and b"."""
    match = _DEPENDS.search(str(error))
    return shortened(match.group(1)) if match else ""


def place_of(place: Place) -> dict[str, Any]:
    """A place as evidence."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
