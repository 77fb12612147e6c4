"""Observes what the user's program traces, and judges targets while it runs."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import (
    Call,
    Unreplayable,
    abstract,
    describe,
    is_known,
    is_returnable,
)
from jaxlint.verify.child.experiments.evidence.subject import depends_on, first_line, is_a, place_of
from jaxlint.verify.child.experiments.evidence.syntax import syntax_of
from jaxlint.verify.child.isolation import fork
from jaxlint.verify.child.observing.places import Matcher, Place, UserFiles, error_places
from jaxlint.verify.child.observing.probe import Probes, Tally, holds_tracer
from jaxlint.verify.child.recording import patches, stand_ins
from jaxlint.verify.child.recording.budget import Budget
from jaxlint.verify.child.recording.monitor import Monitor
from jaxlint.verify.child.recording.patches import Patches
from jaxlint.verify.child.recording.retraces import Retraces
from jaxlint.verify.child.recording.stand_ins import Standins, counting, observing, signature_key
from jaxlint.verify.child.recording.visits import Depth, Visit, passed
from jaxlint.verify.protocol import Config, Miss, Observation, Outcome, Recorded, Target

if TYPE_CHECKING:
    from jaxlint.verify.child.experiments.evidence.former import Former

MOST_ALIKE = 4
"""Observations kept of one target with one outcome."""

_MOST_DEFECTS = 8


class Recorder:
    """Watches every function that a public transform of JAX is given.

    With `in_place`, calls that reach targets are also studied, each in a forked child.
    `defects` says what went wrong in the observation itself; the program never notices.
    `after_trace` is called when an outermost function has been traced.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        probes: Probes,
        files: UserFiles,
        config: Config,
        *,
        in_place: bool,
    ) -> None:
        self.defects: list[str] = []
        self.after_trace: Callable[[], None] = lambda: None
        self._targets = {target.id: target for target in targets}
        self._probes = probes
        self._files = files
        self._config = config
        self._in_place = in_place and fork.is_possible
        self._matcher = Matcher(targets)
        self._writing = [target for target in targets if _is_write(target)]
        self._counts_eagerly = any(each.hazard in ("raises", "leaks") for each in targets)
        self._monitor = Monitor(files)
        self._retraces = Retraces(list(targets), self._matcher, files)
        self._patches = Patches(self)
        self._clear: Callable[..., Any] | None = None
        self._standins = Standins(
            functools.partial(observing, self), functools.partial(counting, self)
        )
        self._depth = Depth()
        self._active = False
        self._facts = {"jax": internals.version(), "python": platform.python_version()}
        self.reset()

    def reset(self) -> None:
        """Forgets what was seen so far: the process is a copy of one that tells it itself."""
        self._found: dict[int, list[Observation]] = {}
        self._budget = Budget()
        self._totals = Tally()
        self._before = {id: (seen.reached, seen.staged) for id, seen in self._probes.seen.items()}
        self._monitor.reset()

    def install(self) -> None:
        """Replaces the transforms. What is imported from now on gets the observing ones."""
        import jax

        if self._active:
            return
        # Found out while the transforms are JAX's own: it takes traces.
        internals.staged()
        internals.is_ahead_of_time(None)
        for module in (patches, stand_ins):
            internals.hide_file(str(module.__file__))
        self._active = True
        self._patches.install()
        clear: Callable[..., Any] = jax.clear_caches

        @functools.wraps(clear)
        def clear_caches(*args: Any, **kwargs: Any) -> Any:
            self._retraces.forget()
            return clear(*args, **kwargs)

        self._clear = clear
        self._cleared = clear_caches
        jax.clear_caches = clear_caches
        self._monitor.install()

    def remove(self) -> None:
        """Puts the transforms back; functions that are wrapped stay so, unobserved."""
        import jax

        self._active = False
        self._patches.remove()
        if self._clear is not None and jax.clear_caches is self._cleared:
            jax.clear_caches = self._clear
        self._monitor.remove()

    # --- what the transforms call -------------------------------------------------------------

    def observed(self, function: Any, phrase: str) -> Any:
        """The function to pass to JAX."""
        return self._standins.of(function, phrase)

    def made(
        self, phrase: str, compiles: bool, function: Any, result: Any, again: Callable[[], Any]
    ) -> None:
        """A transform was applied. `again` applies it again."""
        if not self._active or fork.in_study or self._retraces.is_idle:
            return
        try:
            if self._retraces.made(phrase, function, result):
                self._standins.repeatable(result, again)
            if compiles and not internals.staged():
                self._retraces.evaluated(function, self._standins.number(function))
        except Exception as error:
            self._defect(error)

    def count(self, fn: Callable[..., Any], number: int, args: Any, kwargs: Any) -> None:
        """What a transform returned begins, and another may be tracing it."""
        try:
            if self._active and not fork.in_study and self._retraces.wants(number):
                call = self._call(fn, args, kwargs)
                if call is not None:
                    self._count(call, number)
        except Exception as error:
            self._defect(error)

    def _count(self, call: Call, number: int) -> None:
        is_wanted = self._retraces.wants(number) and internals.is_writing()
        if is_wanted and not internals.is_ahead_of_time(stand_ins.caller()):
            self._retraces.traced(number, signature_key(call), describe(call))

    def enter(
        self, fn: Callable[..., Any], phrase: str, number: int, args: Any, kwargs: Any
    ) -> Visit | None:
        """A function begins. None if there is nothing to observe."""
        try:
            if not self._active or fork.in_study:
                return None
            if not internals.staged():
                return self._enter_eagerly(fn, args, kwargs)
            visit = Visit(fn, self._call(fn, args, kwargs), phrase)
            if visit.call is not None and fn.__code__.co_filename in self._files:
                self._monitor.note(visit.call, phrase, fn.__code__)
                self._count(visit.call, number)
            if self._depth.outermost is None:
                self._depth.outermost = visit
                self._watch(visit)
                self._monitor.begin(fn.__code__)
            return visit
        except Exception as error:
            self._defect(error)
            return None

    def _enter_eagerly(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Visit | None:
        """A function begins under `vmap` or `grad` alone, where conversions raise too."""
        if not self._counts_eagerly or not holds_tracer((args, kwargs)):
            return None
        visit = Visit(fn, self._call(fn, args, kwargs), is_eager=True)
        if self._depth.eager is None:
            self._depth.eager = visit
            self._watch(visit)
        return visit

    def _watch(self, visit: Visit) -> None:
        visit.tally = Tally()
        visit.watching = contextlib.ExitStack()
        visit.watching.enter_context(self._probes.watching(visit.tally))
        writing = [each for each in self._writing if self._is_open(each)]
        if self._in_place and writing and visit.call is not None and not visit.is_eager:
            visit.former = self._former(visit.call, writing)
            visit.watching.enter_context(self._probes.watching(visit.former))

    def _former(self, call: Call, writing: Sequence[Target]) -> Former:
        # Imported late: most programs have nothing to look for.
        from jaxlint.verify.child.experiments.evidence.former import Former

        return Former(call, writing, self._probes, self._files, self._config)

    def leave(self, visit: Visit, error: BaseException | None, result: Any = None) -> None:
        """The function has returned the result, or raised the error."""
        is_outermost = self._depth.outermost is visit or self._depth.eager is visit
        try:
            if is_outermost and not visit.is_eager:
                self._monitor.end()
            if visit.watching is not None:
                visit.watching.close()
            places = error_places(error, self._files) if error is not None else []
            if error is not None and error is not self._depth.error:
                self._note_error(visit, error, places)
                self._depth.error = error
            if is_outermost and visit.is_eager:
                self._finish_eagerly(visit)
            elif is_outermost:
                self._finish(visit, error, places, is_taken=is_returnable(result))
                self.after_trace()
        except Exception as problem:
            self._defect(problem)
        finally:
            if self._depth.outermost is visit:
                self._depth.outermost = None
            if self._depth.eager is visit:
                self._depth.eager = None
            if self._depth.outermost is None:
                self._depth.error = None

    # --- judgements ---------------------------------------------------------------------------

    def _note_error(self, visit: Visit, error: BaseException, places: list[Place]) -> None:
        """JAX refused something: natively, in the user's own run."""
        if not places:
            return
        for target in self._matcher.match(places[-1]):
            if target.hazard != "raises" or not is_a(error, target.errors):
                continue
            if not internals.is_refusal(error) and not internals.is_raised_by_jax(error):
                continue
            for outermost in (self._depth.outermost, self._depth.eager):
                if outermost is not None:
                    outermost.shown.add(target.id)
            evidence = {
                "error": type(error).__name__,
                "message": first_line(error),
                "depends_on": depends_on(error),
                "place": place_of(places[-1]),
            }
            self._observe(target.id, "shown", visit.call, evidence)

    def _finish(
        self, visit: Visit, error: BaseException | None, places: list[Place], *, is_taken: bool
    ) -> None:
        """The outermost function is done: judges what it evaluated, studies what it reached.

        Unless the result `is_taken`, JAX may yet raise for something in it.
        """
        assert visit.tally is not None
        touched = [
            id for id, seen in visit.tally.seen.items() if seen.staged and id in self._targets
        ]
        for id, seen in visit.tally.seen.items():
            total = self._totals[id]
            total.reached += seen.reached
            total.staged += seen.staged
        for id in touched:
            target = self._targets[id]
            is_local = target.hazard == "raises" and not target.anywhere and is_taken
            if is_local and id not in visit.shown and passed(target, places):
                evidence = {"evaluations": visit.tally[id].staged}
                self._observe(id, "absent", visit.call, evidence)
        if self._in_place and visit.call is not None:
            self._study(visit, touched, error, places)

    def _finish_eagerly(self, visit: Visit) -> None:
        """The outermost function under `vmap` or `grad` is done: looks for what it left behind."""
        assert visit.tally is not None
        touched = []
        for id, seen in visit.tally.seen.items():
            self._totals[id].reached += seen.reached
            self._totals[id].staged += seen.staged
            if seen.reached and id in self._targets and self._targets[id].hazard == "leaks":
                touched.append(id)
        if self._in_place and touched and visit.call is not None:
            self._study(visit, touched, None, [])

    def _study(
        self, visit: Visit, touched: list[int], error: BaseException | None, places: list[Place]
    ) -> None:
        """Repeats the call in a study, and keeps what that showed."""
        call = visit.call
        assert call is not None
        wanted = set(touched)
        if isinstance(error, Exception):
            files = {os.path.realpath(place.file) for place in places}
            wanted.update(
                target.id
                for target in self._targets.values()
                if os.path.realpath(target.file) in files
            )
        unclear = filter(self._is_open, map(self._targets.__getitem__, sorted(wanted)))
        targets = self._budget.affordable(call, unclear)
        if not targets:
            return
        # Imported late, and before the fork: many programs have nothing to study.
        from jaxlint.verify.child.study import study

        wide = internals.is_wide()

        def work(sink: fork.Sink) -> list[Observation]:
            internals.be_wide(wide)
            if visit.former is not None:
                visit.former.put_back()
            options: Any = {
                "source": "run",
                "config": self._config,
                "is_entry": patches.judges(visit.phrase),
                "sink": sink,
                "explain": lambda target, reason: sink(Miss(target.id, reason)),
            }
            return study(call, targets, self._probes, self._files, **options)

        outcome = fork.study_apart(work, self._config.call_seconds)
        self._budget.spend(outcome)
        for observation in outcome.found:
            self._keep(observation)

    def _is_open(self, target: Target) -> bool:
        """Whether another study may tell more of a target."""
        if target.hazard == "recompiles":
            return False
        known = {each.outcome for each in self._found.get(target.id, ())}
        if "shown" in known or "next" in known:
            return False
        return target.hazard != "raises" or "absent" not in known

    def _observe(self, id: int, outcome: Outcome, call: Call | None, evidence: Any) -> None:
        signature = describe(call) if call is not None else ""
        facts = {key: value for key, value in evidence.items() if value not in (None, "", [])}
        self._keep(Observation(id, outcome, "run", signature, evidence={**self._facts, **facts}))

    def _keep(self, new: Observation) -> None:
        group = self._found.setdefault(new.target, [])
        alike = [each for each in group if each.outcome == new.outcome]
        if len(alike) < MOST_ALIKE and all(each.signature != new.signature for each in alike):
            group.append(new)

    # --- results ------------------------------------------------------------------------------

    def observations(self) -> list[Observation]:
        """What was seen so far."""
        found = {id: list(group) for id, group in self._found.items()}
        for observation in self._retraces.observations(self._facts):
            found.setdefault(observation.target, []).append(observation)
        for id, seen in self._probes.seen.items():
            reached, staged = self._before.get(id, (0, 0))
            total = self._totals[id]
            reached = seen.reached - reached + total.reached
            staged = seen.staged - staged + total.staged
            if reached and not staged and id not in found:
                evidence = {**self._facts, "evaluations": reached}
                found[id] = [Observation(id, "eager", "run", evidence=evidence)]
        return [each for group in found.values() for each in group]

    def recorded(self) -> list[Recorded]:
        """The functions that were traced, with their signatures."""
        return self._monitor.recorded()

    def _call(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Call | None:
        try:
            return abstract(fn, args, kwargs, static=is_known)
        except Unreplayable:
            return None

    def _defect(self, error: BaseException) -> None:
        if len(self.defects) < _MOST_DEFECTS:
            places = error.__traceback__
            while places is not None and places.tb_next is not None:
                places = places.tb_next
            where = ""
            if places is not None:
                name = os.path.basename(places.tb_frame.f_code.co_filename)
                where = f" at {name}:{places.tb_lineno}"
            self.defects.append(f"{type(error).__name__}: {error}{where}"[:300])


def _is_write(target: Target) -> bool:
    """Whether a target has its effect by writing to a variable, an attribute or a container."""
    return target.hazard == "effects" and syntax_of(target.file).written(target) is not None
