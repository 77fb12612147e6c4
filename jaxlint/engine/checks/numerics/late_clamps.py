"""Values that are clamped after the operation whose derivative is infinite: the clamp keeps them
from zero or from infinity, and multiplies that derivative by zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.numerics.derivatives import (
    Danger,
    computed_by,
    dangers_of,
    is_aside,
    is_differentiated,
    is_offset,
    is_root,
    is_safe,
    of_operation,
    text_of,
)
from jaxlint.engine.checks.numerics.self_differences import pairs_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Static, Value, as_traced
from jaxlint.engine.inference.definitions import Term, held_by, term
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]


def clamped(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """A function that keeps its operand between bounds, or replaces NaN and infinities."""
    for value, given, limit in _clamps(dotted, bound):
        if not is_differentiated(machine, frame, value):
            continue
        bounded = None if limit is None else term(frame, limit, machine)
        for danger in _dangers(machine, term(frame, given, machine), bounded):
            if _is_told(machine, danger) or _is_out_of_it(machine, node):
                continue
            traced = as_traced(value)
            trail = None if traced is None else traced.trail
            use = text_of(machine, danger.use)
            misused(machine, frame, node, "clamped-late", use, dotted.rpartition(".")[2], trail)
            return


def _clamps(dotted: str, bound: Bound) -> Iterator[tuple[Value, ir.Expr, ir.Expr | None]]:
    """What is clamped, and the lower bound; None for a function that replaces NaN."""
    operands, limits = numerics.LATE_CLAMPS[dotted]
    for name in operands:
        if name not in bound:
            continue
        if not limits:
            yield (*bound[name], None)
        for limit in limits:
            if limit in bound and limit != name:
                yield (*bound[name], bound[limit][1])


def _dangers(machine: Machine, given: Term, limit: Term | None) -> Iterator[Danger]:
    """The operations whose derivative is not finite where a clamp takes another value."""
    if limit is None:
        yield from (one for one in dangers_of(given) if _may_be_outside(one))
        return
    made: Term | None = given.resolved()
    if isinstance(given.node, ir.Name) and made is not None and not isinstance(made.node, ir.Call):
        made = computed_by(machine, given)
    if made is None or not isinstance(made.node, (ir.Call, ir.BinOp)):
        return
    spreads = list(_spread(made))
    for danger in spreads or of_operation(made):
        near_zero = bool(spreads) or is_root(danger)
        fits = _is_small(limit) if near_zero else _is_far_below(danger, limit)
        if fits and _may_be_outside(danger):
            yield danger


def _spread(one: Term) -> Iterator[Danger]:
    """A standard deviation, which is a root: zero where all that it is taken of is the same."""
    node = one.node
    func = node.func if isinstance(node, ir.Call) else None
    if func is None or dotted_text(func).rpartition(".")[2] != "std":
        return
    given = [a.value for a in node.args if not a.star and a.keyword in (None, "a")]
    operand = next(iter(given), None)
    if isinstance(func, ir.Attribute) and one.is_of_array():
        operand = func.value
    if operand is not None:
        yield Danger(one, one.inside(operand), "nonzero")


def _is_small(limit: Term) -> bool:
    """Whether a bound is there to be divided by: a small number."""
    number = number_of(limit)
    return is_offset(limit) and (number is None or number <= numerics.SMALL_BOUND)


def _is_far_below(danger: Danger, limit: Term) -> bool:
    """Whether a bound is there for the sake of the logarithm of zero."""
    number = number_of(limit)
    node = danger.use.node
    name = dotted_text(node.func).rpartition(".")[2] if isinstance(node, ir.Call) else ""
    return name in numerics.LOGARITHMS and number is not None and number <= numerics.LOW_BOUND


def _may_be_outside(danger: Danger) -> bool:
    """Whether nothing keeps an array away from where the derivative is not finite."""
    operand = danger.operand
    held = held_by(operand.scope.frame, operand.outer().node)
    known = number_of(operand) is not None or isinstance(held, Static)
    return not known and not is_safe(operand, domain=danger.domain)


def _is_told(machine: Machine, danger: Danger) -> bool:
    """Whether an operand is certainly zero: then the operation is reported itself."""
    return pairs_of(machine, danger.operand) is not None


def _is_out_of_it(machine: Machine, node: Any) -> bool:
    """Whether nothing is differentiated by a value, or a choice around it is told itself."""
    module = machine.sources.owner(node, machine.module)
    for around in layout(module.body).outward(node):
        if not isinstance(around, (ir.Expr, ir.Argument)):
            break
        func = dotted_text(around.func) if isinstance(around, ir.Call) else ""
        if func.rpartition(".")[2] in ("where", "select", "stop_gradient"):
            return True
    return is_aside(machine, node)


CHECK = Check(
    "late-clamps",
    on_array_result=(Named(clamped, numerics.LATE_CLAMPS),),
)
