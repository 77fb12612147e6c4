"""What traced code reaches, as plain data: entry points, functions, calls, and what is opaque."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.surveys.spot import Spot as Spot

if TYPE_CHECKING:
    from jaxlint.base.surveys.coverage import Coverage

T = TypeVar("T")


@slotted(frozen=True, order=True)
class Reached:
    """A function that traced code runs."""

    spot: Spot
    name: str


@slotted(frozen=True, order=True)
class Start:
    """A place where tracing starts.

    `phrase` completes "`function` is ...": "jitted". `how` is "decorator", "call" (a transform
    is given the function), "body" (the function is run at once, as by `jax.lax.scan`) or
    "method" (a framework is taken to run it).
    """

    spot: Spot
    name: str
    phrase: str
    how: str


@slotted(frozen=True, order=True)
class Opening:
    """Tracing that starts runs a function."""

    start: Start
    function: Reached


@slotted(frozen=True, order=True)
class Edge:
    """A function runs another at `spot`: by a call, or as `phrase` says ("vmapped")."""

    caller: Reached
    callee: Reached
    spot: Spot
    phrase: str


@slotted(frozen=True, order=True)
class Seen:
    """A call in the traced code of a function: `reason` says why what is called is not known,
    empty where it is; `callee` is the function as written, or its full name."""

    spot: Spot
    function: Reached
    callee: str
    reason: str

    @property
    def is_known(self) -> bool:
        return not self.reason


@slotted(frozen=True)
class Survey:
    """What was seen of the traced code of some files.

    `around` says of each start which function's code starts it, in each run that saw it; there may
    be none. `blind` are the starts whose function is not known, `sighted` the places where the
    function is known at times: `jax.jit(function)` in a decorator. `given` are the functions that
    calls are given and run: the `body` of `lax.scan(body, ...)`. `values` counts the values in
    traced code that are not known, by reason, for each file whose entries were traced. `coverage`
    is what ran of all that is written in the files, for those who want to know why not the rest.
    """

    starts: frozenset[Start] = frozenset()
    blind: frozenset[Start] = frozenset()
    sighted: frozenset[Spot] = frozenset()
    around: frozenset[tuple[Start, tuple[Reached, ...]]] = frozenset()
    openings: frozenset[Opening] = frozenset()
    functions: frozenset[Reached] = frozenset()
    edges: frozenset[Edge] = frozenset()
    calls: frozenset[Seen] = frozenset()
    given: frozenset[Seen] = frozenset()
    values: frozenset[tuple[str, str, int]] = frozenset()
    coverage: Coverage | None = None

    def unknown(self) -> list[Seen]:
        """The calls of what is not known, in order."""
        return sorted(call for call in self.calls if call.reason)

    def unseen(self) -> list[Seen]:
        """Calls that are known, and run a function of which nothing is known, in order."""
        known = {call.spot for call in self.calls if call.is_known}
        return sorted(one for one in self.given if one.reason and one.spot in known)

    def reasons(self) -> list[tuple[str, int]]:
        """How many calls are of what is not known, by reason, the most frequent first."""
        return _ranked(Counter(call.reason for call in self.calls if call.reason))

    def unknown_values(self) -> list[tuple[str, int]]:
        """How many values are not known, by reason, the most frequent first."""
        counts: Counter[str] = Counter()
        for _, reason, count in self.values:
            counts[reason] += count
        return _ranked(counts)

    @property
    def share(self) -> float:
        """The share of the calls of which it is not known what they call."""
        return len(self.unknown()) / len(self.calls) if self.calls else 0.0

    def reached_from(self, first: Iterable[Reached]) -> frozenset[Reached]:
        """Functions, and all that they run."""
        callees: dict[Reached, list[Reached]] = {}
        for edge in self.edges:
            callees.setdefault(edge.caller, []).append(edge.callee)
        return _closure(first, callees)

    def reaching(self, files: frozenset[str]) -> Survey:
        """What starts in these files or reaches a function in them, with all that it reaches."""
        callers: dict[Reached, list[Reached]] = {}
        for edge in self.edges:
            callers.setdefault(edge.callee, []).append(edge.caller)
        inside = (one for one in self.functions if one.spot.file in files)
        above = _closure(inside, callers)
        starts = {one.start for one in self.openings if one.function in above}
        starts |= {one for one in self.starts | self.blind if one.spot.file in files}
        first = (one.function for one in self.openings if one.start in starts)
        kept = self.reached_from(first)
        return Survey(
            self.starts & starts,
            self.blind & starts,
            self.sighted,
            self.around,
            frozenset(one for one in self.openings if one.start in starts),
            self.functions & kept,
            frozenset(edge for edge in self.edges if edge.caller in kept),
            frozenset(call for call in self.calls if call.function in kept),
            frozenset(call for call in self.given if call.function in kept),
            self.values,
        )

    def within(self, files: frozenset[str]) -> Survey:
        """What is written in these files."""

        def here(spot: Spot) -> bool:
            return spot.file in files

        return Survey(
            frozenset(one for one in self.starts if here(one.spot)),
            frozenset(one for one in self.blind if here(one.spot)),
            self.sighted,
            self.around,
            frozenset(one for one in self.openings if here(one.start.spot)),
            frozenset(one for one in self.functions if here(one.spot)),
            frozenset(one for one in self.edges if here(one.spot)),
            frozenset(one for one in self.calls if here(one.spot)),
            frozenset(one for one in self.given if here(one.spot)),
            frozenset(one for one in self.values if one[0] in files),
            None if self.coverage is None else replace(self.coverage, asked=files),
        )


def merged(surveys: Iterable[Survey]) -> Survey:
    """All surveys as one, whatever their order: what is known to one of them is known.

    Tracing does not start in a function that is itself traced.
    """
    every = list(surveys)
    functions = _union(every, lambda one: one.functions)
    around = _union(every, lambda one: one.around)
    begun = {start for start, inside in around if functions.isdisjoint(inside)}
    starts = _union(every, lambda one: one.starts) & begun
    calls = best(call for one in every for call in one.calls)
    given = best(call for one in every for call in one.given)
    sighted = _union(every, lambda one: one.sighted)
    blind = _union(every, lambda one: one.blind) & begun
    openings = _union(every, lambda one: one.openings)
    return Survey(
        starts,
        frozenset(start for start in blind if start.spot not in sighted),
        sighted,
        around,
        frozenset(one for one in openings if one.start in starts),
        functions,
        _union(every, lambda one: one.edges),
        calls,
        given,
        _union(every, lambda one: one.values),
        _covered(every),
    )


def best(calls: Iterable[Seen]) -> frozenset[Seen]:
    """Of the calls at one place the one that is known, else the first by its reason."""
    found: dict[Spot, Seen] = {}
    for call in calls:
        other = found.get(call.spot)
        if other is None or (call.reason, call) < (other.reason, other):
            found[call.spot] = call
    return frozenset(found.values())


def _covered(every: list[Survey]) -> Coverage | None:
    known = [one.coverage for one in every if one.coverage is not None]
    if not known:
        return None
    # Few runs need this.
    from jaxlint.base.surveys.coverage import united

    return united(known)


def _union(every: list[Survey], part: Callable[[Survey], frozenset[T]]) -> frozenset[T]:
    return frozenset().union(*map(part, every))


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _closure(start: Iterable[Reached], edges: dict[Reached, list[Reached]]) -> frozenset[Reached]:
    found = set(start)
    pending = list(found)
    while pending:
        for other in edges.get(pending.pop(), ()):
            if other not in found:
                found.add(other)
                pending.append(other)
    return frozenset(found)
