"""Calls that stand for those of other analyses: what each gives and does, apart from its own.

A call of a function of a shared module that changes nothing, finds nothing and reads only what is
shared does the same wherever it is given the same (`descriptions`). What it gives is kept as a
template: places of the arguments, of the traces around and of the reasons why they are traced, and
what the call makes itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Mapping_
from copy import copy
from typing import Any, Final

from jaxlint.base.dataclass import declared, replace, slotted
from jaxlint.engine.domain.environment import Frame, Trace
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.kinds.containers import AGES, INSIDE, SHARED
from jaxlint.engine.domain.special_values import At, EffectfulObject, Module, Structure, Super
from jaxlint.engine.domain.typestate import EMPTY, Typestate
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Heap,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Method,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.engine.summaries.cost import Cost
from jaxlint.engine.summaries.descriptions import Description, UndescribedError
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.known import Known, certainties
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

# How many calls with equal descriptions are kept: what they read differs.
MOST_ALIKE: Final = 4
# How deep results are taken apart.
MOST_NESTED: Final = 12


class Hole(Value):
    """The place of something that a call is given."""

    __slots__ = ()


class Move:
    """Makes of a value what it is elsewhere: other things stand in the places of those that are
    listed, and all that a call made itself is made anew."""

    __slots__ = ("arrays", "callee", "effects", "entries", "extents", "oldest", "path", "since", "traces", "trails", "used", "values")

    def __init__(
        self,
        values: dict[int, Any],
        trails: dict[int, Any],
        entries: dict[int, Any],
        traces: dict[int, Any],
    ) -> None:
        self.values, self.trails = values, trails
        self.entries, self.traces = entries, traces
        # Of what is put in the places of other things, what was needed.
        self.used: set[int] = set()
        self.path: object = None
        # Where a result is taken apart: when the call began, what it did, and the arrays.
        self.since = 0
        # What is older is the same for all calls that this one stands for.
        self.oldest = SHARED
        self.effects: Effects | None = None
        self.callee: ir.FunctionDef | None = None
        self.arrays: dict[int, Any] = {}
        # What is known of arrays of the result, by what stands for them.
        self.extents: dict[int, Any] = {}

    def value(self, value: Value, depth: int = MOST_NESTED) -> Value:
        """What a value is elsewhere. Raises UndescribedError for what belongs to one analysis."""
        found: Value | None = self.values.get(id(value))
        if found is not None:
            self.used.add(id(found))
            return found
        if isinstance(value, (Static, LibraryName, Module)):
            if isinstance(value, Question) or (isinstance(value, Static) and value.children()):
                raise UndescribedError("question")
            return value
        if depth == 0 or type(value) not in _MOVED and not isinstance(value, (Concrete, Unknown)):
            raise UndescribedError(type(value).__name__)
        made = self._made(value, depth)
        self.values[id(value)] = made
        return made

    def _made(self, value: Value, depth: int) -> Value:
        if isinstance(value, (Class, Function)):
            return self._defined(value)
        if isinstance(value, (Traced, Concrete, NumPy, Unknown)):
            return self._array(value)
        if isinstance(value, Heap):
            return self._heap(value, depth)
        if isinstance(value, EffectfulObject):
            made = copy(value)
            made.born = self.traces.get(id(value.born), value.born)
            return made
        if isinstance(value, Transformed) and value.record.age >= self.oldest and self.effects:
            raise UndescribedError("transformed")
        again = value.rebuild([self.value(one, depth - 1) for one in value.children()])
        if isinstance(again, FrameworkObject):
            again.born = self.traces.get(id(again.born), again.born)
            for name, held in again.state.items():
                if isinstance(held, Value):
                    again.state[name] = self.value(held, depth - 1)
                elif self.effects is not None and not isinstance(held, _PLAIN):
                    raise UndescribedError("state")
        return again

    def _defined(self, value: Class | Function) -> Value:
        age = value.age if isinstance(value, Class) else value.frame.age
        if age >= self.oldest and self.effects is not None:
            raise UndescribedError("definition")
        return value

    def _array(self, value: Value) -> Value:
        if self.effects is not None and self.effects.reads_value(value):
            return value
        dtype = getattr(value, "dtype", "")
        if type(dtype) is Origin and self.callee is not None:
            if dtype.root.holder.func is not self.callee:
                raise UndescribedError("key")
        made = copy(value)
        if isinstance(made, Traced):
            made.trail = self.trail(made.trail)
        elif isinstance(made, NumPy):
            made.changes = [*made.changes]
        known = self.arrays.get(id(value)) if self.arrays else None
        if known is not None:
            self.extents[id(made)] = replace(known, array=made)
        return made

    def _heap(self, value: Heap, depth: int) -> Value:
        if value.age < self.oldest:
            return value
        generic = isinstance(value, Instance) and value.generic
        if value.age < self.since or value.leaks or generic:
            raise UndescribedError("object")
        if isinstance(value, Instance):
            self.value(value.cls)
        made = copy(value)
        made.age = next(AGES)
        self.values[id(value)] = made
        below = depth - 1
        made.born = self.traces.get(id(value.born), value.born)
        made.changes, made.leaks = [*value.changes], []
        made.path = self.path
        if isinstance(made, (Sequence, Iterator)):
            if made.items is not None:
                made.items = [self.value(one, below) for one in made.items]
            made.holds = None if made.holds is None else self._traced(made.holds, below)
        if isinstance(made, (Sequence, Iterator, Mapping)) and made.element is not None:
            made.element = self.value(made.element, below)
        if isinstance(made, Sequence):
            made.last = None if made.last is None else self.value(made.last, below)
            if made.head is not None:
                first, rest = made.head
                made.head = [self.value(one, below) for one in first], self.value(rest, below)
        elif isinstance(made, Mapping):
            made.items = {name: self.value(one, below) for name, one in made.items.items()}
            made.keyed = None
        elif isinstance(made, Instance):
            made.fields = {name: self.value(one, below) for name, one in made.fields.items()}
            made.tree = None if made.tree is None else self._traced(made.tree, below)
            made.writes = {name: [*writes] for name, writes in made.writes.items()}
            made.keyed = None
        return made

    def emptied(self, value: Instance) -> Instance:
        """An object that the call was given, with what it holds once the call has ended."""
        made = copy(value)
        made.fields = {name: self.value(one) for name, one in value.fields.items()}
        made.tree = None if value.tree is None else self._traced(value.tree, MOST_NESTED)
        made.changes, made.leaks, made.path, made.writes = [], [], None, {}
        if value.leaks:
            raise UndescribedError("leaks")
        return made

    def fact(self, fact: Any) -> Any:
        """What was found, as it is found elsewhere."""
        made = copy(fact)
        for name in declared(type(fact)):
            held = getattr(fact, name)
            if isinstance(held, Provenance):
                setattr(made, name, self.trail(held))
            elif isinstance(held, TraceEntry):
                setattr(made, name, self.entries.get(id(held), held))
            elif self.effects is not None and name not in _AROUND and not _is_told(held):
                raise UndescribedError("fact")
        if self.effects is not None:
            made.sources, made.calls = None, ()
        return made

    def _traced(self, value: Traced, depth: int) -> Any:
        return self.value(value, depth)

    def trail(self, trail: Provenance) -> Provenance:
        """Why a value is traced elsewhere."""
        steps: list[Provenance] = []
        step: Provenance | None = trail
        base: Provenance | None = None
        while step is not None:
            base = self.trails.get(id(step))
            if base is not None:
                self.used.add(id(base))
                break
            steps.append(step)
            step = step.parent
        for old in reversed(steps):
            made = copy(old)
            made.parent = base
            made.entry = self.entries.get(id(old.entry), old.entry)
            if old.varies is not None:
                made.varies = self.entries.get(id(old.varies), old.varies)
            self.trails[id(old)] = base = made
        assert base is not None
        return base


# What is told of a fact when it is found.
_AROUND: Final = frozenset({"sources", "calls", "module", "node"})


def _is_told(held: Any) -> bool:
    """Whether a part of a fact is the same wherever that is found."""
    if isinstance(held, (tuple, list, frozenset, set)):
        return all(map(_is_told, held))
    return isinstance(held, _PLAIN) or type(held).__module__ == ir.__name__


_PLAIN: Final = (str, int, float, bool, type(None), frozenset)
_MOVED: Final = frozenset(
    {
        Traced,
        NumPy,
        Union,
        Class,
        Function,
        Sequence,
        Mapping,
        Instance,
        Iterator,
        Bound,
        Partial,
        Method,
        Descriptor,
        Transformed,
        FrameworkObject,
        EffectfulObject,
        Structure,
        Super,
        At,
    }
)


@slotted(eq=False)
class Built:
    """What a constructor makes of its object: what that holds, and when host code bound its
    attributes or changed it: the place, what is told of it, and whether it is so in each call."""

    made: Instance
    changes: list[tuple[int, ir.Node, bool]]
    writes: list[tuple[str, ir.Node, tuple[ir.FunctionDef, ...], Value, bool]]


@slotted(eq=False)
class SharedCall:
    """A call that ran. In `result`, `values` and so on stand for what the call was given, by their
    numbers in its description. `built` is what a constructor makes of its object, `captures` are
    the names that compiled code reads, each with the number of the frame that has it, or the frame,
    and `facts` what was found, with the calls that led there."""

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
    circumstances: tuple[Any, ...]
    certain: tuple[Any, ...] | None
    since: int
    stack: tuple[ir.FunctionDef, ...] | None
    kept: list[Value]
    runs: Mapping_[int, int]
    demands: int
    doubts: int
    traced: frozenset[int]
    files: frozenset[tuple[str, str]]

    def fits(self, machine: Any, env: dict[str, Value]) -> bool:
        """Whether all that the call depends on beside what it is given is as it was."""
        effects = self.effects
        if self.stack is not None and self.stack != machine.dynamic.stack:
            return False
        if effects.asks or effects.emits:
            if self.circumstances != machine.dynamic.circumstances():
                return False
            if self.certain is not None and self.certain != certainties(env):
                return False
        return effects.holds()

    def apply(self, machine: Any, given: Description, node: ir.Expr, path: object) -> Value:
        """Does what the call does, and gives what it gives. `node` is the call."""
        program, counters, effects = machine.program, machine.counters, self.effects
        machine.tally.again(self.done)
        counters.again(self.runs)
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
            _by_identity(self.entries, given.entries),
            _by_identity(self.traces, given.traces),
        )
        move.path, move.oldest = path, self.since
        for extent in self.extents:
            move.arrays[id(extent.array)] = extent
        self._capture(machine, given, move)
        around = machine.dynamic
        for again, stack in self.calls:
            with machine.within(stack=(*around.stack, *stack)):
                again(machine)
        around.effects.include(effects, around.is_straight)
        for fact, calls in self.facts:
            with machine.within(calls=(*around.calls, (machine.module, node), *calls)):
                machine.emit(move.fact(fact), unsure=fact.unsure)
        result = move.value(self.result)
        if self.built is not None:
            self._build(machine, given, move)
        for extent in move.extents.values():
            machine.arrays[id(extent.array)] = extent
        return result

    def _build(self, machine: Any, given: Description, move: Move) -> None:
        """The object that the call is given is as the constructor leaves it."""
        made = given.owner
        assert isinstance(made, Instance) and self.built is not None
        move.values[id(self.built.made)] = made
        built = self.built.made
        made.fields = {name: move.value(one) for name, one in built.fields.items()}
        tree = None if built.tree is None else move.value(built.tree)
        made.tree = tree if isinstance(tree, Traced) else None
        made.keyed = None
        for tick, node, always in self.built.changes:
            if tick == INSIDE:
                made.changes.append((tick, node))
            else:
                _happens(machine, made.changes, made.age, node, _at(node), always)
        for name, node, stack, value, always in self.built.writes:
            told = (*machine.dynamic.stack, *stack), move.value(value)
            log = made.writes.setdefault(name, [])
            _happens(machine, log, made.age, node, _at(node, told), always)
        effects = machine.dynamic.effects
        effects.oldest = min(effects.oldest, made.age)

    def _capture(self, machine: Any, given: Description, move: Move) -> None:
        record = given.trace.compiled
        if record is None or not self.captures:
            return
        machine.borrow(record)
        for place, name, held, nodes in self.captures:
            owner, value = place, held
            if isinstance(place, int):
                owner, value = given.frames[place], None if held is None else move.value(held)
            for node in nodes:
                record.captured(owner, name, value, node)
                machine.dynamic.effects.capture(record, owner, name, value, node)


def _by_identity(old: Iterable[Any], new: Iterable[Any]) -> dict[int, Any]:
    return {id(one): other for one, other in zip(old, new, strict=True)}


def shared(machine: Any, known: Known, given: Description, begun: int) -> SharedCall | None:
    """A call for others that are given the same, None for one that is like no other. Whether it
    stands for those of this analysis alone, `given.is_local` tells then. `begun` is how many functions
    had run before."""
    effects, owner = known.effects, given.owner
    if effects.private or effects.loses:
        return None
    given.is_local |= effects.local or known.stack is not None
    builds = isinstance(owner, Instance) and owner.age == effects.oldest
    if known.changes and not builds:
        return None
    given.is_local |= known.trace.is_host and effects.transforms
    own = _logs(owner) if builds and isinstance(owner, Instance) else ()
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
        _by_identity(given.objects, values),
        _by_identity(given.trails, trails),
        _by_identity(given.entries, entries),
        _by_identity(given.traces, traces),
    )
    move.since, move.effects, move.arrays = effects.since, effects, machine.arrays
    move.callee = given.callee
    move.oldest = effects.since if given.is_local else SHARED
    built = None
    try:
        kept = _reads(effects, given, move.oldest)
        captures = _captures(known, given, move)
        result = move.value(known.result)
        if known.changes:
            assert isinstance(owner, Instance)
            built = _built(known, owner, given, move)
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
        known.stack,
        [*given.objects] if given.is_local else [],
        Counter(machine.counters.log[begun:]),
        known.demands,
        known.doubts,
        frozenset(effects.ran),
        frozenset((file, node.name) for node, file in effects.ran.values()),
    )


def _logs(owner: Instance) -> set[int]:
    """Where it is noted that an object is changed."""
    return {id(owner.changes), *map(id, owner.writes.values())}


def _built(known: Known, owner: Instance, given: Description, move: Move) -> Built:
    events, (changes, writes) = known.effects.events, given.prior
    return Built(
        move.emptied(owner),
        [
            (tick, node, (id(owner.changes), id(node)) in events)
            for tick, node in owner.changes[changes:]
        ],
        [
            (name, node, stack[known.depth :], move.value(value), (id(log), id(node)) in events)
            for name, log in owner.writes.items()
            for _, node, (stack, value) in log[writes.get(name, 0) :]
        ],
    )


def _at(node: ir.Node, *told: Any) -> Callable[[int], Any]:
    return lambda tick: (tick, node, *told)


def _happens(
    machine: Any,
    log: list[Any],
    age: int,
    node: ir.Node,
    make: Callable[[int], Any],
    always: bool,
) -> None:
    """Notes at a moment of its own what a call did to an object; `always` where it did so on all
    paths."""
    machine.counters.tick += 1
    log.append(make(machine.counters.tick))
    around = machine.dynamic
    if age < around.effects.since:
        around.effects.asks = True
        if always and around.is_straight:

            def again(other: Any) -> None:
                other.happened(log, age, node, make)

            around.effects.happened((id(log), id(node)), age, True, again, around.stack)


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
    kept.transforms = effects.transforms
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
        if id(owner) in places:
            place = places[id(owner)]
            value = None if value is None else move.value(value)
        elif owner.age >= move.oldest:
            raise UndescribedError("capture")
        found.append((place, name, value, [*nodes.values()]))
    return found


def _spent(spent: Typestate, callee: ir.FunctionDef) -> Typestate:
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
