"""Operators of lists, tuples and sets."""

from __future__ import annotations

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import surely_held
from jaxlint.engine.domain.values import (
    Concrete,
    NumPy,
    Sequence,
    Static,
    Value,
    as_traced,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# A sequence that is repeated keeps so many elements apart.
_MOST_ITEMS = 32


def of_sequence(
    machine: Machine, frame: Frame, op: str, one: Sequence, other: Value, node: ir.Expr, first: bool
) -> Value:
    """The result of an operator with a list, tuple or set, which is the `first` operand or the
    second."""
    made = _sequence_result(machine, frame, op, one, other, node, first)
    if isinstance(made, Sequence):
        made.local = frame.home().kind == "function"
    return made


def _sequence_result(
    machine: Machine, frame: Frame, op: str, one: Sequence, other: Value, node: ir.Expr, first: bool
) -> Value:
    if op == "+" and isinstance(other, Sequence):
        return _joined(frame, one, other) if first else _joined(frame, other, one)
    if op == "*" and one.kind in ("list", "tuple"):
        traced = as_traced(other)
        if traced is not None and traced.leaf and one.kind == "list":
            demand(machine, frame, node, other, "count", f"{one.kind} repetition")
            return machine.unknown("repetition")
        if isinstance(other, Static):
            return _repeated(frame, one, other)
    if as_traced(other) is not None or isinstance(other, (NumPy, Concrete)):
        return machine.unknown("operator between an array and a sequence")
    if op in "-&|^" and one.kind == "set":
        return Sequence("set", None, frame.trace, _element(one), frame.path)
    if isinstance(other, Static) and other.kind == "shape" and op == "+":
        element = join_all([*(one.items or []), Static(kind="int")])
        return Sequence(one.kind, None, frame.trace, element, frame.path)
    return machine.unknown("operator on a sequence")


def _element(one: Sequence) -> Value:
    return join_all([*(one.items or []), *([one.element] if one.element else [])])


def _joined(frame: Frame, left: Sequence, right: Sequence) -> Sequence:
    """`left + right`."""
    if left.items is not None and right.items is not None:
        return Sequence(left.kind, [*left.items, *right.items], frame.trace, None, frame.path)
    parts = [*(left.items or []), *(right.items or [])]
    parts += [e for e in (left.element, right.element) if e is not None]
    made = Sequence(left.kind, None, frame.trace, join_all(parts), frame.path)
    made.holds = surely_held([left, right])
    return made


def _repeated(frame: Frame, one: Sequence, count: Static) -> Sequence:
    """`one * count`."""
    times = count.const if count.known else None
    if isinstance(times, int) and one.items is not None and len(one.items) * times <= _MOST_ITEMS:
        times = min(max(times, 0), _MOST_ITEMS)
        return Sequence(one.kind, one.items * times, frame.trace, None, frame.path)
    return Sequence(one.kind, None, frame.trace, _element(one), frame.path)
