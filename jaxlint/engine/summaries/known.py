"""What is remembered of a call, and what it is to another one."""

from __future__ import annotations

from copy import copy
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.circumstances import Circumstances, agree, tells_more
from jaxlint.engine.domain.pytrees import renewed
from jaxlint.engine.domain.traces import LOOKS, Trace
from jaxlint.engine.domain.typestate import EMPTY, Typestate
from jaxlint.engine.domain.values import Mapping, Sequence, Traced, Union, Value
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.engine.summaries.charges import Charge
from jaxlint.engine.summaries.cost import Cost
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.fingerprints import shareable
from jaxlint.engine.summaries.passage import MADE, MOST_NESTED, Passage
from jaxlint.syntax import ir


def anew(value: Value, depth: int = MOST_NESTED) -> Value:
    """A result that stands for another call: arrays of its own."""
    if isinstance(value, MADE):
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
    One that `looks` goes by the traces around, and not by staging alone.
    What one that `is_bound` did belongs to its trace alone. `is_used` once its result stands for a
    call.
    """

    trace: Trace
    result: Value
    given: dict[str, Value]
    effects: Effects
    done: Cost
    circumstances: Circumstances
    charge: Charge | None = None
    spent: Typestate = EMPTY
    certain: tuple[Any, ...] | None = None
    demands: int = 0
    doubts: int = 0
    depth: int = 0
    stack: tuple[ir.FunctionDef, ...] | None = None
    changes: bool = False
    is_bound: bool = False
    is_used: bool = False
    looks: bool = False

    @property
    def age(self) -> int:
        return self.effects.since

    def holds(self, machine: Any, env: dict[str, Value], trace: Trace) -> bool:
        """Whether another call, of arguments with the same keys, gives and does the same."""
        if not self.fits(machine, trace):
            return False
        if trace is not self.trace and not shareable(self.result):
            return False
        if self.certain is not None and certainties(env) != self.certain:
            return False
        return self.effects.holds()

    def fits(self, machine: Any, trace: Trace) -> bool:
        """Whether it may stand for a call in this trace and these circumstances."""
        effects, now = self.effects, machine.dynamic
        if self.looks and self.trace.shape != trace.shape:
            return False
        if self.stack is not None and self.stack != now.stack:
            return False
        if trace is not self.trace and (self.is_bound or effects.emits):
            return False
        if not (effects.asks or effects.emits):
            return True
        before, circumstances = self.circumstances, now.circumstances()
        if not agree(before, circumstances, effects.asks):
            return False
        return not effects.emits or before == circumstances or tells_more(before, circumstances)

    def repeat(self, machine: Any, trace: Trace) -> None:
        """Does once more what the call did."""
        done = self.effects
        if self.looks:
            LOOKS.through(trace)
        machine.tally.again(self.done)
        machine.charged(self.charge)
        machine.counters.demands += self.demands
        machine.counters.doubts += self.doubts
        if self.demands:
            machine.counters.demanded = None
        machine.program.repeated |= done.called
        if trace.compiled is not self.trace.compiled:
            for (record, owner, name), (value, nodes) in done.captures.items():
                if record is self.trace.compiled and trace.compiled is not None:
                    for node in nodes.values():
                        trace.compiled.captured(owner, name, value, node)
                        machine.dynamic.effects.capture(trace.compiled, owner, name, value, node)
        around = machine.dynamic.stack
        for _, _, again, stack in list(done.events.values()):
            # The functions that called it are others now.
            with machine.within(stack=(*around, *stack[self.depth :])):
                again(machine)
        machine.dynamic.effects.include(done, machine.dynamic.is_straight)

    def again(self, env: dict[str, Value], trace: Trace, path: object, arrays: Any) -> Value:
        """The result as another call gives it."""
        if isinstance(self.result, Question):
            return self.result.moved(self.given, env)
        passage = Passage(self.trace, self.effects, trace, arrays).between(self.given, env)
        return renewed(self.result, self.age, path, leaf=passage.value)


def apart(known: Known, arrays: dict[int, Any]) -> Known:
    """What is kept of a call: nothing that its caller may still change."""
    passage = Passage(known.trace, known.effects, known.trace, arrays).between(
        known.given, known.given
    )
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
