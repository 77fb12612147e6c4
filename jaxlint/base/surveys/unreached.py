"""Finds the reason for each function and statement that tracing did not reach."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from jaxlint.base.surveys.coverage import Broken, Coverage, Handed, Left, Outcome
from jaxlint.base.surveys.inventory import Definition, Inventory, Key, Reference
from jaxlint.base.surveys.mentions import Mentions
from jaxlint.base.surveys.silence import Hidden, Index, Reason, Root, Silence
from jaxlint.base.surveys.spot import Spot
from jaxlint.base.surveys.stopped import Stopped

_TEST = Root("test", "tests and fixtures are run on the host")
_STUB = Root("stub", "declarations have no body to run")
_JAXLESS = Root("jaxless", "neither the file nor any that imports it uses JAX")
# A value that is not known may be anything; all other reasons name what is called.
_VAGUE = "value that is not known"
_MODELLED = "function without a model"


class Rank(IntEnum):
    """Of several reasons the first one is given. Those from STORED on stand back behind that of a
    caller which has a better one."""

    CUT = 1
    CALLED = 2
    GIVEN = 3
    STATEMENT = 4
    GIVEN_BY_HOST = 5
    CALLED_BY_HOST = 6
    KEPT = 7
    HOST = 8
    STORED = 9
    BROKEN = 10
    VAGUE = 11
    OBJECT = 12
    NAMESAKE = 13
    CALLER = 14
    PLAIN = 15


Candidate = tuple[Rank, Spot, Reason]


def silence(coverage: Coverage) -> Silence:
    """What was not reached of the files that somebody asked about, and why."""
    return _Search(coverage).silence()


class _Search:
    """The search for reasons. `chains` are the unreached functions that call each function."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.reached = coverage.entered | coverage.supposed
        self.inventories = sorted(coverage.inventories, key=lambda one: one.file)
        self.definitions = {
            Key(one.file, it.number): it for one in self.inventories for it in one.definitions
        }
        self.mentions = Mentions(self.inventories)
        self.tops = {one.top for one in self.inventories if one.top}
        self.outcomes: dict[tuple[Key, bool], Outcome] = {}
        for outcome in sorted(coverage.outcomes, key=_order):
            known = self.outcomes.setdefault((outcome.call, outcome.traced), outcome)
            if known is not outcome:
                joined = known.targets | outcome.targets
                best = min(known, outcome, key=lambda one: one.reason)
                self.outcomes[outcome.call, outcome.traced] = Outcome(
                    best.call, best.traced, best.spot, best.callee, best.reason, joined
                )
        self.handed: dict[Key, list[Handed]] = {}
        for one in coverage.handed:
            self.handed.setdefault(one.function, []).append(one)
        self.left = {one.function: one for one in sorted(coverage.left, key=_place)}
        self.broken = {one.file: one for one in sorted(coverage.broken, key=_place)}
        self.stopped = Stopped(coverage, self.inventories, self.reached)
        self.chains: dict[Key, set[Key]] = {}

    def silence(self) -> Silence:
        """Everything."""
        reasons = self._reasons()
        statements = dict(self.stopped.reasons())
        asked = self.coverage.asked
        own = [
            (key, one)
            for key, one in self.definitions.items()
            if key.file in asked and not one.anonymous
        ]
        hidden = [Hidden(one.spot, one.name, reasons[key]) for key, one in own if key in reasons]
        places = {Key(one.file, it.number): it for one in self.inventories for it in one.statements}
        behind = [
            Hidden(
                places[key].spot,
                self.definitions[Key(key.file, places[key].function)].name,
                reason,
            )
            for key, reason in statements.items()
            if key.file in asked
        ]
        listed = sum(
            key.file in asked and Key(key.file, one.function) in self.reached
            for key, one in places.items()
        )
        supposed = self.coverage.supposed - self.coverage.entered
        broken = {file: Reason("file", self._broken_file(file)) for file in self.broken}
        return Silence(
            len(own),
            sum(key in supposed for key, _ in own),
            listed,
            tuple(sorted(hidden, key=lambda one: (one.spot, one.name))),
            tuple(sorted(behind, key=lambda one: (one.spot, one.name))),
            Index(self.coverage, reasons, statements, broken),
        )

    # -- functions --------------------------------------------------------------------------------

    def _reasons(self) -> dict[Key, Reason]:
        found: dict[Key, Reason] = {}
        direct: dict[Key, tuple[Rank, Reason]] = {}
        for key, one in self.definitions.items():
            if key in self.reached:
                continue
            plain = self._plain(key, one)
            best = min(self._candidates(key, one), default=None, key=_telling)
            if plain is not None:
                direct[key] = Rank.PLAIN, plain
            elif best is not None:
                direct[key] = best[0], best[2]
            elif not self.chains.get(key):
                direct[key] = Rank.CALLER, _no_caller(one)
        for key, (rank, reason) in direct.items():
            if rank < Rank.STORED or rank is Rank.PLAIN:
                found[key] = reason
        self._follow(found, direct)
        return found

    def _plain(self, key: Key, one: Definition) -> Reason | None:
        """A reason that needs no search."""
        if key.file in self.broken:
            return Reason("file", self._broken_file(key.file))
        if one.test:
            return Reason("test", _TEST)
        if one.stub:
            return Reason("stub", _STUB)
        if key.file in self.coverage.aside:
            return Reason("jaxless", _JAXLESS)
        return None

    def _follow(self, found: dict[Key, Reason], direct: dict[Key, tuple[Rank, Reason]]) -> None:
        """Gives functions whose callers are not reached the reason of the outermost."""
        callees: dict[Key, list[Key]] = {}
        for callee, callers in sorted(self.chains.items()):
            for caller in sorted(callers):
                callees.setdefault(caller, []).append(callee)
        for key in sorted(direct, key=lambda it: (direct[it][0], self.definitions[it].spot, it)):
            if found.setdefault(key, direct[key][1]) is direct[key][1]:
                self._spread(key, callees, found)
        # What is left calls itself in a circle.
        for key in sorted(self.chains):
            if key not in found and key not in self.reached:
                found[key] = _no_caller(self.definitions[key])
                self._spread(key, callees, found)

    def _spread(self, root: Key, callees: dict[Key, list[Key]], found: dict[Key, Reason]) -> None:
        reason, outer = found[root], self.definitions[root]
        pending = [root]
        while pending:
            for callee in callees.get(pending.pop(0), ()):
                if callee not in found:
                    found[callee] = Reason("callers", reason.root, reason.spot, outer)
                    pending.append(callee)

    # -- candidates -------------------------------------------------------------------------------

    def _candidates(self, key: Key, one: Definition) -> Iterator[Candidate]:
        """The reasons that may be given for a function, of which its callers are none."""
        if key in self.left:
            left = self.left[key]
            root = Root("cut", f"body that is not run: {left.reason}")
            yield Rank.CUT, left.spot, Reason("cut", root, left.spot)
        for handed in self.handed.get(key, ()):
            yield self._given(handed)
        for inventory, reference in self.mentions.of(key, one):
            made = self._mentioned(key, one, inventory, reference)
            if made is not None:
                yield made
        for inventory, reference in self.mentions.by_alias(one):
            call = Key(inventory.file, reference.call)
            for traced in (True, False):
                outcome = self.outcomes.get((call, traced))
                if outcome is not None and outcome.reason and not outcome.targets:
                    yield self._called(outcome)
        around = Key(key.file, one.inside)
        stopped = self.stopped.reason(Key(key.file, one.statement))
        if stopped is not None:
            yield Rank.STATEMENT, one.spot, stopped
        if one.inside and around not in self.reached:
            if self.definitions[around].test:
                yield Rank.HOST, one.spot, _host(one, one.spot)
            else:
                self.chains.setdefault(key, set()).add(around)

    def _mentioned(
        self, key: Key, one: Definition, inventory: Inventory, reference: Reference
    ) -> Candidate | None:
        """What a place that names a function has to do with it."""
        around = Key(inventory.file, reference.function)
        if around == key:
            return None
        is_traced = around in self.reached
        spot = reference.spot
        if inventory.file in self.broken:
            return Rank.BROKEN, spot, Reason("file", self._broken_file(inventory.file), spot)
        if is_traced:
            stopped = self.stopped.reason(Key(inventory.file, reference.statement))
            if stopped is not None:
                return Rank.STATEMENT if _is_sure(reference) else Rank.NAMESAKE, spot, stopped
        outcome = self.outcomes.get((Key(inventory.file, reference.call), is_traced))
        if outcome is not None:
            is_open = bool(outcome.reason) and not outcome.targets
            if is_open and (is_traced or self._tells(around, outcome)):
                return self._called(outcome)
            base = self._overridden(one, outcome)
            certain = bool(reference.local) or key in outcome.targets or reference.name == one.owner
            if not is_open and base is None and not certain:
                return None
            if is_traced and base is not None:
                text = f"`{base.name}` is called, though it may be a method that overrides it"
                return Rank.CALLED, spot, Reason("unknown", Root("unknown", text), spot)
        if not is_traced and reference.function and not self._is_test(around):
            self.chains.setdefault(key, set()).add(around)
            return None
        if not is_traced and reference.call:
            return Rank.HOST, spot, _host(one, spot)
        return _handed_on(one, reference)

    def _called(self, outcome: Outcome) -> Candidate:
        """A call of what is not known may be one of a function of that name."""
        text = f"`{outcome.callee}` is called, and not known: {outcome.reason}"
        root = self._own_package(outcome.reason) or Root("unknown", text)
        rank = Rank.CALLED
        if not outcome.traced:
            vague = outcome.reason.startswith(_VAGUE)
            rank = Rank.VAGUE if vague else Rank.CALLED_BY_HOST
        return rank, outcome.spot, Reason("unknown", root, outcome.spot)

    def _given(self, handed: Handed) -> Candidate:
        """A function goes to code that is not followed."""
        text = f"`{handed.callee}` is given functions, and not followed: {handed.reason}"
        if not handed.reason:
            text = f"`{handed.callee}` is given functions, and does not run them while JAX traces"
        root = self._own_package(handed.reason) or Root("given", text)
        rank = Rank.GIVEN if handed.traced else Rank.GIVEN_BY_HOST
        rank = Rank.OBJECT if handed.object else rank if handed.reason else Rank.KEPT
        return rank, handed.spot, Reason("given", root, handed.spot)

    def _own_package(self, reason: str) -> Root | None:
        """The root of calls of what the project itself defines, though a library is believed to."""
        kind, _, name = reason.rpartition(": ")
        top = name.partition(".")[0]
        if top not in self.tops or not kind.endswith(_MODELLED):
            return None
        return Root("unknown", f"the project's own `{top}` is taken for a library with a model")

    def _overridden(self, one: Definition, outcome: Outcome) -> Definition | None:
        """The method that is called where a method that overrides it may be meant."""
        for target in sorted(outcome.targets):
            base = self.definitions.get(target)
            if base is None or base is one or base.short != one.short or not base.owner:
                continue
            if one.owner != base.owner and one.owner in self.mentions.family(base.owner):
                return base
        return None

    def _tells(self, around: Key, outcome: Outcome) -> bool:
        """Whether an unknown call of host code tells more than that its function is unreached."""
        is_open = not around.number or self._is_test(around)
        return is_open or not outcome.reason.startswith(_VAGUE)

    def _broken_file(self, file: str) -> Root:
        fault = self.broken[file]
        return Root("file", f"{fault.spot.path} could not be analysed: {fault.reason}")

    def _is_test(self, key: Key) -> bool:
        found = self.definitions.get(key)
        while found is not None and not found.test:
            found = self.definitions.get(Key(key.file, found.inside))
        return found is not None


def _telling(one: Candidate) -> tuple[Rank, Spot, str, str]:
    rank, spot, reason = one
    return rank, spot, reason.root.kind, reason.root.text


def _order(outcome: Outcome) -> tuple[Key, bool, str, str]:
    return outcome.call, outcome.traced, outcome.reason, outcome.callee


def _place(one: Left | Broken) -> tuple[Spot, str]:
    return one.spot, one.reason


def _no_caller(one: Definition) -> Reason:
    if one.anonymous:
        text = f"`{one.name}` is handed on, and no call of it is followed"
        return Reason("stored", Root("stored", text, one.spot), one.spot)
    if one.decorator:
        text = f"`@{one.decorator}` is given functions, and does not run them while JAX traces"
        return Reason("given", Root("given", text), one.spot)
    text = f"nothing in the project calls `{one.name}` or hands it on"
    return Reason("caller", Root("caller", text, one.spot), one.spot)


def _host(one: Definition, spot: Spot) -> Reason:
    text = f"`{one.name}` is called from host code only"
    return Reason("host", Root("host", text, one.spot), spot)


def _is_sure(reference: Reference) -> bool:
    """Whether a reference is one to the function: other objects may have attributes of its name."""
    return bool(reference.local or reference.root)


def _handed_on(one: Definition, reference: Reference) -> Candidate:
    """A place that names a function and is no call of it."""
    spot = reference.spot
    if reference.name == one.owner:
        text = f"no operation that runs `{one.name}` is seen"
        return Rank.NAMESAKE, spot, Reason("caller", Root("caller", text, one.spot), spot)
    text = f"`{one.name}` is handed on, and no call of it is followed"
    rank = Rank.STORED if _is_sure(reference) else Rank.NAMESAKE
    return rank, spot, Reason("stored", Root("stored", text, one.spot), spot)
