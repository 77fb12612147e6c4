"""Checks of plugins as checks of the engine: their handlers get events in place of machines."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import dtype_of, rank_of
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Concrete, Mapping, NumPy, Sequence, Static, Traced, Value
from jaxlint.engine.machine.events import Check as EngineCheck
from jaxlint.engine.machine.events import Named, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.check import Check, Operand
from jaxlint.facts.core import Fact
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

State = Callable[[Machine], Any]


class SeenOperand:
    """An abstract value in the terms of `jaxlint.facts.check.Operand`."""

    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value

    @property
    def kind(self) -> str:
        value = self._value
        if isinstance(value, Traced):
            return "traced"
        if isinstance(value, (Concrete, NumPy)):
            return "array"
        if isinstance(value, (Sequence, Mapping)):
            return "container"
        return "static" if isinstance(value, Static) else "unknown"

    @property
    def is_known(self) -> bool:
        return isinstance(self._value, Static) and self._value.known

    @property
    def constant(self) -> Any:
        value = self._value
        return value.const if isinstance(value, Static) and value.known else None

    @property
    def dtype(self) -> str:
        return dtype_of(self._value)

    @property
    def rank(self) -> int | None:
        return rank_of(self._value)

    @property
    def provenance(self) -> Provenance | None:
        return self._value.trail if isinstance(self._value, Traced) else None


class SeenEvent:
    """A moment of a run in the terms of `jaxlint.facts.check.Event`."""

    def __init__(self, machine: Machine, state: State, frame: Frame, node: ir.Node) -> None:
        self._machine, self._state, self._frame = machine, state, frame
        self.node = node

    @property
    def module(self) -> ir.Module:
        return self._machine.module

    @property
    def function(self) -> str:
        return self._frame.name

    @property
    def entry(self) -> TraceEntry | None:
        return self._frame.trace.entry

    @property
    def in_loop(self) -> bool:
        return self._frame.innermost_loop() is not None

    @property
    def state(self) -> Any:
        return self._state(self._machine)

    def emit(self, kind: type[Fact], operand: Operand | None = None, **fields: Any) -> None:
        """Adds a fact; `Machine.emit` says when it counts."""
        provenance = None if operand is None else operand.provenance
        fact = kind(self.module, self.node, self.function, self.entry, provenance, **fields)
        self._machine.emit(fact)


class SeenCall(SeenEvent):
    """A call of a library's function."""

    def __init__(
        self, machine: Machine, state: State, frame: Frame, node: ir.Expr, dotted: str, args: Args
    ) -> None:
        super().__init__(machine, state, frame, node)
        self.dotted, self._args = dotted, args

    def argument(self, position: int, name: str) -> SeenOperand | None:
        """The argument at a position or of a name, None where the call shows none."""
        value = self._args.get(position, name)
        return None if value is None else SeenOperand(value)


class SeenOperation(SeenEvent):
    """A binary operator."""

    def __init__(
        self,
        machine: Machine,
        state: State,
        frame: Frame,
        node: ir.Node,
        operator: str,
        values: tuple[Value, Value],
    ) -> None:
        super().__init__(machine, state, frame, node)
        self.operator = operator
        self.left, self.right = map(SeenOperand, values)


class SeenTraceEnd(SeenEvent):
    """The end of a trace."""

    def __init__(
        self, machine: Machine, state: State, frame: Frame, node: ir.Node, result: Value
    ) -> None:
        super().__init__(machine, state, frame, node)
        self.result = SeenOperand(result)


@lru_cache(maxsize=64)
def adapted(check: Check) -> EngineCheck:
    """A check of a plugin as one of the engine."""
    own: PerRun[Any] = PerRun(check.state or (lambda: None))
    return EngineCheck(
        check.name,
        on_library_call=_on_call(check, own.of),
        on_array_operation=_on_operation(check, own.of),
        on_trace_end=_on_trace_end(check, own.of),
        on_finish=_on_finish(check, own.of),
    )


def _on_call(check: Check, state: State) -> tuple[Named[Any], ...]:
    hear = check.on_call
    if hear is None:
        return ()

    def handler(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
        hear(SeenCall(machine, state, frame, node, dotted, args))

    return (Named(handler, check.calls),)


def _on_operation(check: Check, state: State) -> Callable[..., None] | None:
    hear = check.on_operation
    if hear is None:
        return None

    def handler(
        machine: Machine,
        frame: Frame,
        node: ir.Node,
        op: str,
        values: tuple[Value, Value],
        nodes: tuple[ir.Expr, ir.Expr],
    ) -> None:
        hear(SeenOperation(machine, state, frame, node, op, values))

    return handler


def _on_trace_end(check: Check, state: State) -> Callable[..., None] | None:
    hear = check.on_trace_end
    if hear is None:
        return None

    def handler(
        machine: Machine,
        frame: Frame,
        trace: Trace,
        node: ir.Expr,
        func: Value,
        args: Args,
        result: Value,
    ) -> None:
        hear(SeenTraceEnd(machine, state, frame, node, result))

    return handler


def _on_finish(check: Check, state: State) -> Callable[[Machine], None] | None:
    hear = check.on_finish
    if hear is None:
        return None

    def handler(machine: Machine) -> None:
        frame = machine.globals
        body = frame.module.body if frame.module is not None else ()
        if body:
            hear(SeenEvent(machine, state, frame, body[0]))

    return handler
