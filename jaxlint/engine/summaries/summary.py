"""What is remembered of a call, and what it is to another one."""

from __future__ import annotations

from copy import copy
from typing import Any, cast

from jaxlint.base.dataclass import replace, slotted
from jaxlint.engine.domain.environment import Frame, Trace
from jaxlint.engine.domain.pytrees import adopt, renewed
from jaxlint.engine.domain.typestate import EMPTY, Typestate
from jaxlint.engine.domain.values import (
    Concrete,
    Function,
    Mapping,
    Sequence,
    Traced,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.engine.summaries.cost import Cost
from jaxlint.engine.summaries.dynamic_context import tells_more
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.fingerprints import key, shareable
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

# What a call makes anew each time, but for what it was given or found.
_MADE = (Concrete, Traced, Unknown)
MOST_NESTED = 3
# How many calls with one key are remembered.
MOST_KNOWN = 4


def anew(value: Value, depth: int = MOST_NESTED) -> Value:
    """A result that stands for another call: arrays of its own."""
    if isinstance(value, _MADE):
        return copy(value)
    if depth and type(value) is Sequence and value.kind == "tuple" and value.items is not None:
        items = [anew(item, depth - 1) for item in value.items]
        return Sequence("tuple", items, value.born, value.element, value.path, value.made)
    return value


@slotted(eq=False)
class Known:
    """A call that ran: its trace and arguments, its result, and what it did and read.

    `age` is when it began, `circumstances` those around it. `certain` tells of its arguments how
    surely they are traced, where facts were found that say so, `stack` of the functions around it,
    where it went by them, and `depth` how many they are. `demands` and `doubts` count questions
    for the values of tracers. A call that `changes` something made before it runs each time.
    `is_used` once its result stands for a call.
    """

    trace: Trace
    result: Value
    given: dict[str, Value]
    effects: Effects
    done: Cost
    circumstances: tuple[Any, ...]
    spent: Typestate = EMPTY
    certain: tuple[Any, ...] | None = None
    demands: int = 0
    doubts: int = 0
    depth: int = 0
    stack: tuple[ir.FunctionDef, ...] | None = None
    changes: bool = False
    is_used: bool = False

    @property
    def age(self) -> int:
        return self.effects.since

    def holds(self, machine: Any, env: dict[str, Value], trace: Trace) -> bool:
        """Whether another call, of arguments with the same keys, gives and does the same."""
        effects = self.effects
        if effects.asks or effects.emits:
            before, circumstances = self.circumstances, machine.dynamic.circumstances()
            if before != circumstances and (effects.asks or not tells_more(before, circumstances)):
                return False
        if trace is not self.trace and (
            effects.bound or effects.emits or not shareable(self.result)
        ):
            return False
        if self.certain is not None and certainties(env) != self.certain:
            return False
        return effects.holds()

    def repeat(self, machine: Any, trace: Trace) -> None:
        """Does once more what the call did."""
        machine.tally.again(self.done)
        machine.counters.demands += self.demands
        machine.counters.doubts += self.doubts
        if self.demands:
            machine.counters.demanded = None
        machine.program.repeated |= self.effects.called
        if trace is not self.trace and trace.compiled is not self.trace.compiled:
            for (record, owner, name), (value, nodes) in self.effects.captures.items():
                if record is self.trace.compiled and trace.compiled is not None:
                    for node in nodes.values():
                        trace.compiled.captured(owner, name, value, node)
                        machine.dynamic.effects.capture(trace.compiled, owner, name, value, node)
        around = machine.dynamic.stack
        for _, _, again, stack in list(self.effects.events.values()):
            # The functions that called it are others now.
            with machine.within(stack=(*around, *stack[self.depth :])):
                again(machine)
        machine.dynamic.effects.include(self.effects, machine.dynamic.is_straight)

    def again(self, env: dict[str, Value], trace: Trace, path: object, arrays: Any) -> Value:
        """The result as another call gives it."""
        if isinstance(self.result, Question):
            return self.result.moved(self.given, env)
        passage = _Passage(self, env, trace, arrays)
        return renewed(self.result, self.age, path, leaf=passage.value)


def result_of(
    machine: Any,
    func: Function,
    env: dict[str, Value],
    trace: Trace,
    node: ir.Expr,
    caller: Frame | None,
) -> Value:
    """The result of a call, which does all that it does even where it is remembered."""
    path = None if caller is None else caller.path
    identity = _key(machine, func, env, trace)
    known = _recalled(machine, identity, env, trace)
    if known is not None:
        known.repeat(machine, trace)
        machine.summaries.spent[id(func.node)] = known.spent
        return known.again(env, trace, path, machine.arrays)
    with machine.within(calls=(*machine.dynamic.calls, (machine.module, node))):
        known = observed(machine, func, env, trace, () if caller is None else caller.paths())
    result = known.result
    if machine.remembers and not known.changes and not known.effects.private:
        found = machine.summaries.memo.setdefault(identity, [])
        found.insert(0, apart(known, machine.arrays))
        del found[MOST_KNOWN:]
    adopt(result, known.age, path)
    return result


def _key(machine: Any, func: Function, env: dict[str, Value], trace: Trace) -> Any:
    """All that a call depends on, but what it reads outside its arguments."""
    keys = tuple((name, key(value)) for name, value in env.items())
    first: dict[int, int] = {}
    same = tuple(first.setdefault(id(value), at) for at, value in enumerate(env.values()))
    # In eager traces, what tracers come from decides what is one.
    own = trace if trace.is_staged_by_eager or not (trace.staged or trace.is_host) else None
    shape = (trace.shape, trace.loses, trace.compiled is None)
    return (key(func), shape, keys, same, own, machine.modes())


def _recalled(machine: Any, identity: Any, env: dict[str, Value], trace: Trace) -> Known | None:
    """A call that this one is the same as. Of a kernel, each operation is looked at."""
    if machine.dynamic.watch is not None or identity not in machine.summaries.memo:
        return None
    stack = machine.dynamic.stack
    for one in machine.summaries.memo[identity]:
        if (one.stack is None or one.stack == stack) and one.holds(machine, env, trace):
            return cast("Known", one)
    return None


def observed(
    machine: Any,
    func: Function,
    env: dict[str, Value],
    trace: Trace,
    outer: tuple[object, ...] = (),
    rerun: bool = False,
) -> Known:
    """Runs a function, and notes what it reads and does. `given` keeps alive what the key of the
    call names."""
    given, asked, circumstances = dict(env), machine.tally.now(), machine.dynamic.circumstances()
    counters, records = machine.counters, machine.program.records.now()
    demands, doubts = counters.demands, counters.doubts
    loses, around, effects = trace.loses, machine.dynamic.effects, Effects()
    try:
        with machine.within(effects=effects, rerun=rerun):
            result = machine.activate(func, env, trace, outer)
    finally:
        around.oldest = min(around.oldest, effects.oldest)
    effects.bound |= records != machine.program.records.now() or loses is not trace.loses
    around.include(effects, machine.dynamic.is_straight)
    known = Known(trace, result, given, effects, machine.tally.since(asked), circumstances)
    known.changes = effects.oldest < effects.since
    known.spent = machine.summaries.spent.get(id(func.node), EMPTY)
    known.demands, known.doubts = counters.demands - demands, counters.doubts - doubts
    known.certain = certainties(given) if effects.emits else None
    known.depth = len(machine.dynamic.stack)
    known.stack = machine.dynamic.stack if effects.placed else None
    return known


def apart(known: Known, arrays: dict[int, Any]) -> Known:
    """What is kept of a call: nothing that its caller may still change."""
    passage = _Passage(known, known.given, known.trace, arrays)
    known.result = renewed(known.result, known.age, None, leaf=passage.value)
    return known


def certainties(env: dict[str, Value]) -> tuple[Any, ...]:
    """How surely each of the arguments is traced."""
    return tuple(_certainty(value, MOST_NESTED) for value in env.values())


def _certainty(value: Value, depth: int) -> Any:
    if isinstance(value, Traced):
        trail = value.trail
        return trail.is_certain(), trail.guessed() is None, trail.root().flag
    inner: Any = ()
    if isinstance(value, Union):
        inner = value.options
    elif isinstance(value, Sequence):
        inner = value.items or ()
    elif isinstance(value, Mapping):
        inner = value.items.values()
    return tuple(_certainty(one, depth - 1) for one in inner) if depth else None


class _Passage:
    """From the values of one call to those of another: arrays that it makes are made anew, what
    it is given is what the other one is given, and so are the reasons why they are traced."""

    __slots__ = ("arrays", "known", "trace", "trails", "values")

    def __init__(
        self, known: Known, env: dict[str, Value], trace: Trace, arrays: dict[int, Any]
    ) -> None:
        self.known, self.trace, self.arrays = known, trace, arrays
        self.values: dict[int, Value] = {}
        # By identity: the old steps, kept alive by the remembered call, and the new ones.
        self.trails: dict[int, Provenance] = {}
        for name, given in known.given.items():
            self._match(given, env.get(name, given), MOST_NESTED)

    def _match(self, old: Value, new: Value, depth: int) -> None:
        self.values.setdefault(id(old), new)
        if old is new:
            return
        if isinstance(old, Traced) and isinstance(new, Traced):
            if old.trail is not new.trail:
                self.trails.setdefault(id(old.trail), new.trail)
        elif depth and isinstance(old, Union) and isinstance(new, Union):
            for one, other in zip(old.options, new.options, strict=False):
                self._match(one, other, depth - 1)
        elif depth and isinstance(old, Sequence) and isinstance(new, Sequence):
            for one, other in zip(old.items or (), new.items or (), strict=False):
                self._match(one, other, depth - 1)

    def value(self, value: Value) -> Value:
        """A value that is no container."""
        found = self.values.get(id(value))
        if found is not None:
            return found
        if isinstance(value, Union):
            return Union(tuple(map(self.value, value.options)))
        if not isinstance(value, _MADE) or self.known.effects.reads_value(value):
            return value
        made = copy(value)
        if isinstance(made, Traced):
            made.trail = self._trail(made.trail)
        extent = self.arrays.get(id(value))
        if extent is not None:
            self.arrays[id(made)] = replace(extent, array=made)
        return made

    def _trail(self, trail: Provenance) -> Provenance:
        steps: list[Provenance] = []
        base: Provenance | None = None
        step: Provenance | None = trail
        while step is not None and base is None:
            base = self.trails.get(id(step))
            if base is None:
                steps.append(step)
            step = step.parent
        if base is None and self.trace is self.known.trace:
            return copy(trail)
        entry, here = self.known.trace.entry, self.trace.entry
        if base is not None:
            inside = steps[-1].parent if steps else None
            entry, here = None if inside is None else inside.entry, base.entry
        for old in reversed(steps):
            made = copy(old)
            made.parent = base
            if here is not None and old.entry is entry:
                made.entry = here
            base = made
        return base or trail
