"""Emission: the facts that are found, and events that repeat with the calls that cause them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jaxlint import facts
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.values import Heap
from jaxlint.engine.machine.collected import identity_of
from jaxlint.engine.machine.dispatch import Dispatch
from jaxlint.engine.machine.handlers import hides
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

T = TypeVar("T")


class NotedCall:
    """A call of a transformed function, which happens again with the calls that lead to it."""

    __slots__ = ("frame", "loop", "record")

    def __init__(self, record: TransformUse, loop: Loop | None, frame: Frame) -> None:
        self.record, self.loop, self.frame = record, loop, frame

    def __call__(self, machine: Emission) -> None:
        machine.note_call(self.record, self.loop, self.frame)


def _loop_around(record: TransformUse, frames: tuple[Frame, ...]) -> Loop | None:
    """The loop in the function that made a transformed one, while it runs there and helpers of
    that function call what was made."""
    home = record.frame.home()
    for one in frames:
        if one.home() is home and one.loop is not None and one.loop.within(record.loop):
            return one.loop
    return None


class Emission(Dispatch):
    """Collects facts and events, each in its dynamic context."""

    def standing(self) -> list[facts.Fact]:
        """The facts that hold whatever else is found: neither guesses nor those about host code,
        which may turn out to be traced."""
        left = self.collected.left()
        supposed = {id(fact) for _, fact in self.tally.supposed}
        return [] if self.guesses else [fact for fact in left if id(fact) not in supposed]

    def emit(self, fact: facts.Fact, unsure: bool = False, within: Frame | None = None) -> None:
        """Adds a fact, unless it is one of several alternatives (`unsure`) and there is a stronger
        one of its kind at its place; nothing while exceptions are caught. What is so `within` a
        function, whatever calls it, does not depend on what is doubtful outside."""
        self.dynamic.effects.emits = True
        now = self.dynamic
        if now.muted or (now.caught and hides(now.caught, fact)):
            return
        doubtful = now.is_unsure
        if within is not None:
            doubtful = within.doubtful or now.unsure > within.unsure
        fact.supposed, fact.unsure = now.supposed > 0, unsure or doubtful
        fact.sources, fact.calls = self.sources, tuple(reversed(now.calls))
        if now.heard is not None:
            now.heard.add(identity_of(fact))
        now.effects.facts.append((fact, now.calls))
        self.collected.add(fact)

    def surface(self, value: Heap) -> None:
        """A container with tracers of an inner trace is used where it was made."""
        self.borrow(value)
        held, value.leaks = value.leaks, []
        for fact in held:
            self.emit(fact)

    # -- events -------------------------------------------------------------------------------

    def note_call(self, record: TransformUse, loop: Loop | None, frame: Frame) -> None:
        """Notes a call of a transformed function, now and whenever the running code is called."""
        self.counters.tick += 1
        self.borrow(record)
        now = self.dynamic
        inner = loop
        if record.loop is not None and (loop is None or not loop.within(record.loop)):
            inner = _loop_around(record, now.frames) or loop
        record.calls.append((self.counters.tick, inner, frame))
        now.effects.calls(record.age)
        again = NotedCall(record, loop, frame)
        now.effects.happened((id(record), 0), record.frame.age, False, again, now.stack)

    def happened(self, log: list[T], age: int, node: ir.Node, make: Callable[[int], T]) -> None:
        """Notes at a moment of its own what `make` tells, in the log of an owner of this age, now
        and whenever the running function is called again. What a function may do for some
        arguments is noted for one call of it, since nothing tells for which."""
        around = self.dynamic if age >= self.dynamic.effects.since else self.asks(CONDITIONS)
        straight = around.is_straight
        if around.rerun and not straight:
            return
        self.counters.tick += 1
        if self.world is not None:
            self.loans.take_log(log, age)
        log.append(make(self.counters.tick))

        def again(machine: Emission) -> None:
            machine.happened(log, age, node, make)

        if straight:
            place = id(log), id(node)
            around.effects.happened(place, age, True, again, around.stack)
