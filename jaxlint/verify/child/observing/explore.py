"""Finds every place where a function asks tracers for their values, not the first one only.

A conversion that JAX refuses is answered with a stub, and tracing goes on. Each branch is taken
both ways once: a run repeats the answers of an earlier one up to a branch, then answers the other
way, so the number of runs grows with the number of branches and not with that of paths. Numbers
are 2 in all these runs, and then 1 and 0 once, because branches may depend on them too. A
conversion whose error something may handle is let fail once, to see whether the error escapes.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.conversions import Native, Stub, intercepted, is_abstract
from jaxlint.verify.child.observing.places import Place, Source, UserFiles, error_places
from jaxlint.verify.child.observing.sites import Found, Sighting, Site, kind_of, sighting_of
from jaxlint.verify.child.observing.stack import (
    Frame,
    Stack,
    Trail,
    ends_with,
    is_in_chain,
    raised_in,
)


def explore(
    stage: Callable[[], object],
    files: UserFiles,
    *,
    runs: int = 64,
    events: int = 2000,
    seconds: float = 10.0,
    on_run: Callable[[], object] | None = None,
) -> Found:
    """Explore a function. `stage` stages it afresh at each call; caches are cleared before.

    `runs` limits the stagings, `events` the conversions in one of them, `seconds` them all.
    """
    search = _Search(files, events, time.monotonic() + seconds)
    while search.continues() and search.found.runs < runs and time.monotonic() < search.deadline:
        search.found.runs += 1
        internals.clear_caches()
        search.step(stage)
        if on_run is not None:
            on_run()
    internals.clear_caches()
    search.found.exhausted |= bool(search.plans)
    return search.finish()


_Spot = tuple[Place, Frame]
"""What converts. Python 3.10 and 3.11 give several instructions of one line the same place."""

_Plan = dict[tuple[_Spot, int], int]


@dataclass
class _Event:
    """One conversion in a run: where, which time it is, the answer and how many there are."""

    site: Site
    spot: _Spot
    nth: int
    answer: int
    answers: int


def _until(log: list[_Event]) -> _Plan:
    return {(past.spot, past.nth): past.answer for past in log}


class _Exhausted(BaseException):
    """Ends a run that converts without end; `except Exception` in user code lets it pass."""


class _Search:
    """The state of an exploration over its runs."""

    def __init__(self, files: UserFiles, events: int, deadline: float) -> None:
        self.files = files
        self.events = events
        self.deadline = deadline
        self.found = Found()
        self.plans: deque[_Plan] = deque([{}])
        self.known: set[tuple[_Spot, int]] = set()
        self.usual = 0
        self.widths: dict[_Spot, int] = {}
        self.reached: dict[_Spot, tuple[_Plan, int]] = {}
        self.handled: dict[tuple[Site, Trail], bool] = {}
        self.guarded: dict[Site, Sighting] = {}
        self.sources: dict[str, Source] = {}
        self.kinds: dict[_Spot, str] = {}

    def continues(self) -> bool:
        """Whether a plan is left.

        After all branches, every number gets its next answer, all of them in one run. What no
        such run came to is answered alone, as it was reached first.
        """
        widest = 0 if self.found.exhausted else max(self.widths.values(), default=0)
        while not self.plans and self.usual + 1 < widest:
            self.usual += 1
            if any(
                self.usual < width and (spot, self.usual) not in self.known
                for spot, width in self.widths.items()
            ):
                self.plans.append({})
        if not self.plans and widest:
            self.usual = 0
            for spot, (prefix, nth) in self.reached.items():
                self._plan_answers(spot, nth, self.widths[spot], prefix)
            self.reached.clear()
        return bool(self.plans)

    def step(self, stage: Callable[[], object]) -> None:
        """One run, and the plans that follow from it."""
        plan = self.plans.popleft()
        run = _Run(self, plan)
        try:
            ending = run.execute(stage)
        except _Exhausted:
            self.found.exhausted = True
            ending = None
        escaped = self._settle(run, ending)
        for index, event in enumerate(run.log):
            self.known.add((event.spot, event.answer))
            if event.site.kind != "bool" and event.spot not in self.widths:
                self.widths[event.spot] = event.answers
                if not self.usual:
                    self.reached[event.spot] = _until(run.log[:index]), event.nth
        if escaped:
            self.plans.appendleft(plan)
            return
        self.found.endings.append(_describe(ending))
        if ending is not None:
            self._unhooked(run, ending)
        self._plan_others(run, failed=ending is not None)

    def _settle(self, run: _Run, ending: BaseException | None) -> bool:
        """Judge the errors that the run let happen. True if one of them ended the run."""
        for index, raised in enumerate(run.raised):
            is_last = index == len(run.raised) - 1 and not run.went_on
            escaped = is_last and ends_with(ending, raised.error, raised.site.place, self.files)
            key = (raised.site, raised.trail)
            self.handled[key] = not escaped
            if not escaped:
                self.guarded.setdefault(raised.site, sighting_of(raised.error, (), True))
                if raised.is_library:
                    _library[raised.site.kind, raised.below] = True
                continue
            assert ending is not None
            if ending is raised.error and raised.is_library:
                _library[raised.site.kind, raised.below] = False
            _transparent.add(raised.above)
            is_own = raised_in(ending, self.files)
            self.saw(raised.site, run, raised.error if is_own else ending)
            return True
        return False

    def saw(self, site: Site, run: _Run, error: BaseException) -> None:
        """Note a site that stops the function unless it is stepped over."""
        if site not in self.found.sites:
            self.found.sites[site] = sighting_of(error, run.before(site), False)

    def _unhooked(self, run: _Run, ending: BaseException) -> None:
        """Note a conversion that no stub steps over: JAX raised without asking the tracer."""
        if not isinstance(ending, internals.CONVERSION_ERRORS):
            return
        places = error_places(ending, self.files)
        if places and not _is_known(ending, run):
            self.saw(Site(kind_of(ending), places[-1]), run, ending)

    def _plan_others(self, run: _Run, *, failed: bool) -> None:
        """Queue the answers that were never given: of branches, and of all if the run failed."""
        for index, event in enumerate(run.log):
            if event.answers < 2 or (event.site.kind != "bool" and not failed):
                continue
            before = _until(run.log[:index])
            self._plan_answers(event.spot, event.nth, event.answers, before)

    def _plan_answers(self, spot: _Spot, nth: int, answers: int, before: _Plan) -> None:
        """Queue the answers that a place never got, after the same answers as then."""
        for other in range(answers):
            if (spot, other) not in self.known:
                self.known.add((spot, other))
                self.plans.append({**before, (spot, nth): other})

    def may_handle(self, file: str, line: int) -> bool:
        """Whether a file has a `try` or a `with` around a line."""
        source = self.sources.get(file)
        if source is None:
            source = self.sources[file] = Source(file)
        return source.may_handle(line)

    def finish(self) -> Found:
        """The result: sites that stop the function first, then those that are handled."""
        found = self.found
        found.first = next(iter(found.sites), None)
        for site, sighting in self.guarded.items():
            found.sites.setdefault(site, sighting)
        return found


@dataclass
class _Raised:
    """An error that a run let happen, because something may handle it."""

    site: Site
    trail: Trail
    error: BaseException
    below: Trail
    above: Trail
    is_library: bool


_library: dict[tuple[str, Trail], bool] = {}
"""Library code between user code and a conversion: whether it handles the error by itself."""

_transparent: set[Trail] = set()
"""Library code around user code that an error is known to pass."""


class _Run:
    """One staging of the function: the listener of its conversions."""

    def __init__(self, search: _Search, plan: _Plan) -> None:
        self._search = search
        self._plan = plan
        self._counts: Counter[_Spot] = Counter()
        self._last: dict[_Spot, int] = {}
        self._is_native = False
        self._thread = 0
        self._stop: types.FrameType | None = None
        self.log: list[_Event] = []
        self.raised: list[_Raised] = []
        self.went_on = False

    def execute(self, stage: Callable[[], object]) -> BaseException | None:
        """Stage the function; the error that ended it, if any."""
        self._thread = threading.get_ident()
        self._stop = sys._getframe()
        try:
            with internals.exact_tracebacks(), intercepted(self):
                stage()
        except (Exception, SystemExit) as error:
            return error
        finally:
            self._stop = None
        return None

    def before(self, site: Site) -> tuple[Site, ...]:
        """The other sites that this run has stepped over, in order."""
        return tuple(dict.fromkeys(event.site for event in self.log if event.site != site))

    def iterates(self, value: Any) -> None:
        """Note a loop over a tracer."""
        if not self._is_ours():
            return
        stack = Stack(self._stop, self._search.files)
        if stack.place is not None:
            self._search.found.loops[Site("iter", stack.place)] = int(value.shape[0])

    def convert(self, kind: str, value: Any, native: Native, stubs: tuple[Stub, ...]) -> Any:
        """The answer to a conversion: JAX's own, a stub, or the error if it may be handled."""
        if not self._is_ours():
            return native()
        stack = Stack(self._stop, self._search.files)
        if stack.place is None:
            return native()
        spot = (stack.place, stack.trail[0])
        kind = self._search.kinds.setdefault(spot, "shape" if stack.in_jax else kind)
        site = Site(kind, stack.place)
        error = None
        if site not in self._search.found.sites or kind not in _ALWAYS or not is_abstract(value):
            outcome, error = self._natively(native)
            if error is None:
                return outcome
        self._limit()
        self.went_on = True
        handled = self._handled(site, stack)
        if handled is False:
            if error is not None:
                self._search.saw(site, self, error)
            return self._stub(site, spot, stubs, native)
        if error is None:
            outcome, error = self._natively(native)
        assert error is not None
        if handled is None:
            self.raised.append(
                _Raised(site, stack.trail, error, stack.below, stack.above, stack.is_library)
            )
            self.went_on = False
        else:
            self._search.guarded.setdefault(site, sighting_of(error, (), True))
        raise error

    def _is_ours(self) -> bool:
        return not self._is_native and threading.get_ident() == self._thread

    def _natively(self, native: Native) -> tuple[Any, Exception | None]:
        self._is_native = True
        try:
            return native(), None
        except Exception as error:
            return None, error
        finally:
            self._is_native = False

    def _limit(self) -> None:
        if len(self.log) >= self._search.events or time.monotonic() > self._search.deadline:
            raise _Exhausted

    def _handled(self, site: Site, stack: Stack) -> bool | None:
        """Whether something handles the error of a site; None if that has to be tried."""
        known = self._search.handled.get((site, stack.trail))
        if known is not None:
            return known
        if any(self._search.may_handle(*line) for line in stack.lines):
            return None
        if stack.above and stack.above not in _transparent:
            return None
        if not stack.below:
            return False
        stack.is_library = True
        return _library.get((site.kind, stack.below))

    def _stub(self, site: Site, spot: _Spot, stubs: tuple[Stub, ...], native: Native) -> Any:
        nth = self._counts[spot]
        self._counts[spot] += 1
        planned = self._plan.get((spot, nth))
        if planned is not None:
            answer = planned
        elif site.kind != "bool":
            answer = self._search.usual
        elif nth == 0:
            answer = 0
        else:
            answer = self._last[spot] if nth < _HELD else 1 - self._last[spot]
        answer = min(answer, len(stubs) - 1)
        self._last[spot] = answer
        self.log.append(_Event(site, spot, nth, answer, len(stubs)))
        value, error = self._natively(stubs[answer])
        return native() if error is not None else value


_HELD = 8
"""How often a branch gets the same answer in one run. Then answers alternate, which ends loops."""

_ALWAYS = ("bool", "int", "index", "float", "complex", "array")
"""Conversions that JAX refuses for every tracer without a value."""


def _describe(ending: BaseException | None) -> str:
    if ending is None:
        return ""
    sighting = sighting_of(ending, (), False)
    return f"{sighting.error}: {sighting.message}"


def _is_known(ending: BaseException, run: _Run) -> bool:
    return any(is_in_chain(raised.error, ending) for raised in run.raised)
