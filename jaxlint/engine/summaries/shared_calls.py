"""Calls that stand for those of other analyses: what each gives and does, apart from its own.

A call of a function of a shared module that changes nothing, finds nothing and reads only what is
shared does the same wherever it is given the same (`descriptions`). What it gives is kept as a
template: places of the arguments, of the traces around and of the reasons why they are traced, and
what the call makes itself.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.circumstances import Circumstances, agree, tells_more
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.traces import LOOKS, Trace
from jaxlint.engine.domain.typestate import EMPTY, Typestate
from jaxlint.engine.domain.values import (
    Instance,
    Value,
)
from jaxlint.engine.summaries.charges import Charge
from jaxlint.engine.summaries.constructed import Built, built_by, logs_of
from jaxlint.engine.summaries.cost import Cost
from jaxlint.engine.summaries.effects import MOST_FACTS, Effects
from jaxlint.engine.summaries.known import Known, certainties
from jaxlint.engine.summaries.moves import Hole, Move, by_identity
from jaxlint.engine.summaries.viewpoints import Description, UndescribedError
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

# How many calls with equal descriptions are kept: what they read differs.
MOST_ALIKE: Final = 8


@slotted(eq=False)
class SharedCall:
    """A call that ran. In `result`, `values` and so on stand for what the call was given, by their
    numbers in its description. `built` is what a constructor makes of its object, `facts` is
    what was found, with the calls that led there. `captures` are the names that compiled code
    reads, each with what has it: a frame or an object that is shared, the number of a frame that
    the call was given, or the hole for such an object."""

    result: Value
    built: Built | None
    values: list[tuple[int, Value]]
    trails: list[tuple[int, Provenance]]
    entries: list[TraceEntry]
    traces: list[Trace]
    extents: list[Any]
    effects: Effects
    captures: list[tuple[Any, str, Value | None, list[ir.Node]]]
    facts: list[tuple[Any, tuple[Any, ...]]]
    calls: list[tuple[Any, tuple[ir.FunctionDef, ...]]]
    done: Cost
    spent: Typestate
    circumstances: Circumstances
    certain: tuple[Any, ...] | None
    since: int
    shape: Any
    stack: tuple[ir.FunctionDef, ...] | None
    kept: list[Value]
    charge: Charge | None
    functions: frozenset[int]
    depth: int
    demands: int
    doubts: int
    traced: frozenset[int]
    files: frozenset[tuple[str, str]]

    def fits(self, machine: Any, env: dict[str, Value], trace: Trace) -> bool:
        """Whether all that the call depends on beside what it is given is as it was."""
        effects = self.effects
        if self.shape is not None and self.shape != trace.shape:
            return False
        stack = machine.dynamic.stack
        if self.stack is not None and self.stack != stack:
            return False
        # Functions that are running already would be found to call themselves.
        if not machine.may_go(len(stack) + self.depth) or not self.functions.isdisjoint(
            map(id, stack)
        ):
            return False
        if effects.asks or effects.emits:
            before, now = self.circumstances, machine.dynamic.circumstances()
            if not agree(before, now, effects.asks):
                return False
            # Where nothing was found, nothing is found in circumstances that tell less.
            silent = not self.facts and tells_more(before, now)
            if effects.emits and not (before == now or silent):
                return False
            if self.certain is not None and self.certain != certainties(env):
                return False
        return effects.holds()

    def apply(self, machine: Any, given: Description, node: ir.Expr, path: object) -> Value:
        """Does what the call does, and gives what it gives. `node` is the call."""
        program, counters, effects = machine.program, machine.counters, self.effects
        if self.shape is not None:
            LOOKS.through(given.trace)
        machine.tally.again(self.done)
        counters.log.extend(self.functions)
        machine.charged(self.charge)
        counters.demands += self.demands
        counters.doubts += self.doubts
        if self.demands:
            counters.demanded = None
        program.repeated |= effects.called
        for host_call in effects.hosted.values():
            program.host_called(*host_call)
        program.traced |= self.traced
        machine.context.traced.update(self.files)
        machine.summaries.spent[id(given.callee)] = self.spent
        move = Move(
            {id(hole): given.objects[at] for at, hole in self.values},
            {id(hole): given.trails[at] for at, hole in self.trails},
            by_identity(self.entries, given.entries),
            by_identity(self.traces, given.traces),
        )
        counters.tick += 1
        move.path, move.oldest, move.tick = path, self.since, counters.tick
        for extent in self.extents:
            move.arrays[id(extent.array)] = extent
        self._capture(machine, given, move)
        around = machine.dynamic
        for again, stack in self.calls:
            with machine.within(stack=(*around.stack, *stack)):
                again(machine)
        around.effects.include(effects, around.is_straight)
        around.effects.deepest = max(around.effects.deepest, len(around.stack) + self.depth)
        for fact, calls in self.facts:
            with machine.within(calls=(*around.calls, (machine.module, node), *calls)):
                machine.emit(move.fact(fact), unsure=fact.unsure)
        result = move.value(self.result)
        if self.built is not None:
            self.built.apply(machine, given.owner, move)
        for extent in move.extents.values():
            machine.arrays[id(extent.array)] = extent
        return result

    def _capture(self, machine: Any, given: Description, move: Move) -> None:
        record = given.trace.compiled
        if record is None or not self.captures:
            return
        machine.borrow(record)
        for place, name, held, nodes in self.captures:
            owner, value = place, held
            if isinstance(place, (int, Hole)):
                owner = given.frames[place] if isinstance(place, int) else move.value(place)
                value = None if held is None else move.value(held)
            for node in nodes:
                record.captured(owner, name, value, node)
                machine.dynamic.effects.capture(record, owner, name, value, node)


def shared(machine: Any, known: Known, given: Description, begun: int) -> SharedCall | None:
    """A call for others that are given the same, None for one that is like no other. Whether it
    stands for those of this analysis alone, `given.is_local` tells then. `begun` counts the
    functions that had run before."""
    effects, owner = known.effects, given.owner
    if effects.private or effects.loses or len(effects.facts) > MOST_FACTS:
        return None
    given.is_local |= effects.local or known.stack is not None
    builds = isinstance(owner, Instance) and owner.age == effects.oldest
    if known.changes and not builds:
        return None
    given.is_local |= known.trace.is_host and effects.transforms
    own = logs_of(owner) if builds and isinstance(owner, Instance) else ()
    calls = [
        (event[2], event[3][known.depth :])
        for place, event in effects.events.items()
        if place[0] not in own
    ]
    given.is_local |= not all(_is_of_shared(again) for again, _ in calls)
    values: list[Value] = [Hole() for _ in given.objects]
    trails = [_no_step() for _ in given.trails]
    entries = [TraceEntry(_NOTHING, one.application, "") for one in given.entries]
    traces = [copy(one) for one in given.traces]
    move = Move(
        by_identity(given.objects, values),
        by_identity(given.trails, trails),
        by_identity(given.entries, entries),
        by_identity(given.traces, traces),
    )
    move.since, move.effects, move.arrays = effects.since, effects, machine.arrays
    move.callee = given.callee
    once = (machine.summaries if given.is_local else machine.world).interned.once
    move.oldest = effects.since if given.is_local else SHARED
    built = None
    try:
        kept = _reads(effects, given, move.oldest)
        captures = _captures(known, given, move)
        result = move.value(known.result)
        if known.changes:
            assert isinstance(owner, Instance)
            built = built_by(known, owner, given, move)
        spent = _spent(known.spent, given.callee)
        base = len(machine.dynamic.calls) + 1
        facts = [(move.fact(fact), around[base:]) for fact, around in effects.facts]
    except UndescribedError:
        return None
    return SharedCall(
        result,
        built,
        [(at, hole) for at, hole in enumerate(values) if id(hole) in move.used],
        [(at, hole) for at, hole in enumerate(trails) if id(hole) in move.used],
        entries,
        traces,
        [*move.extents.values()],
        kept,
        captures,
        facts,
        calls,
        known.done,
        spent,
        known.circumstances,
        known.certain,
        effects.since,
        known.trace.shape if known.looks or effects.emits else None,
        known.stack,
        [*given.objects] if given.is_local else [],
        known.charge,
        once(frozenset(machine.counters.log[begun:])),
        max(effects.deepest - known.depth, 0),
        known.demands,
        known.doubts,
        once(frozenset(effects.ran)),
        once(frozenset((file, node.name) for node, file in effects.ran.values())),
    )


def _is_of_shared(again: Any) -> bool:
    """Whether something that happens is a call of a function that is shared."""
    record = getattr(again, "record", None)
    return record is not None and record.age < SHARED


def _reads(effects: Effects, given: Description, oldest: int) -> Effects:
    """What a call reads and does that is shared; what it reads of what it is given, the
    description says."""
    given_whole = {id(one) for one in (*given.frames, *given.objects)}
    kept = Effects(0)
    kept.emits, kept.asks, kept.called = (
        effects.emits,
        effects.asks,
        {*effects.called},
    )
    kept.ran, kept.hosted = {**effects.ran}, {**effects.hosted}
    kept.transforms, kept.compiles = effects.transforms, effects.compiles
    kept.oldest_called = effects.oldest_called
    for (owner, name), held in effects.reads.items():
        if id(owner) in given_whole:
            continue
        if owner.age >= oldest:
            raise UndescribedError("read")
        kept.reads[owner, name] = held
    waiting, seen = [effects], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        waiting += one.nested.values()
        for (owner, name), value in one.names.items():
            if owner.age >= oldest:
                raise UndescribedError("name")
            kept.names[owner, name] = value
            kept.roots.add(owner)
    kept.arrays = {at: held for at, held in effects.arrays.items() if held[1].age < oldest}
    return kept


def _captures(
    known: Known, given: Description, move: Move
) -> list[tuple[Any, str, Value | None, list[ir.Node]]]:
    places = {id(frame): at for at, frame in enumerate(given.frames)}
    found = []
    for (record, owner, name), (value, nodes) in known.effects.captures.items():
        if record is not known.trace.compiled:
            continue
        place: Any = owner
        is_given = isinstance(move.values.get(id(owner)), Hole)
        if is_given or id(owner) in places:
            place = move.value(place) if is_given else places[id(owner)]
            value = None if value is None else move.value(value)
        elif owner.age >= move.oldest:
            raise UndescribedError("capture")
        found.append((place, name, value, [*nodes.values()]))
    return found


def _spent(spent: Typestate, callee: ir.FunctionDef | None) -> Typestate:
    """What a call does to the keys that it is given."""
    if not spent.marks:
        return EMPTY
    for mark in spent.marks.values():
        if type(mark.subject) is not Origin or mark.subject.root.holder.func is not callee:
            raise UndescribedError("mark")
    return Typestate(spent.marks)


_NOTHING: Final = ir.Name(ir.NOWHERE, "")


def _no_step() -> Provenance:
    nowhere: Any = None
    return Provenance(_NOTHING, None, nowhere)
