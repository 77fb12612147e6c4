"""Operations that certainly run where their derivative is infinite: on what is clamped to just
that point, or on the difference of an array with itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.numerics.derivatives import (
    Danger,
    is_aside,
    is_differentiated,
    is_root,
    is_safe,
    of_operation,
    text_of,
)
from jaxlint.engine.checks.numerics.masked import masked_rows, masked_terms
from jaxlint.engine.checks.numerics.self_differences import Pairs, leaves_pairs, pairs_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Value, as_traced
from jaxlint.engine.inference.definitions import Term, term, value_of
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.events import Bound, Check, Named, Operands
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir


def function(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """A function whose derivative is infinite somewhere."""
    _operation(machine, frame, node, [value for value, _ in bound.values()])


def operator(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: Operands,
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """A division or a power."""
    if op in ("/", "**") and isinstance(node, ir.Expr):
        _operation(machine, frame, node, list(values))


def _operation(machine: Machine, frame: Frame, node: ir.Expr, values: list[Value]) -> None:
    if not any(is_differentiated(machine, frame, value) for value in values):
        return
    for danger in of_operation(term(frame, node, machine)):
        if _is_finite(danger):
            continue
        pairs = paired(machine, danger)
        kind = "self-difference" if pairs is None or not pairs.made else "zero-start"
        difference = None if pairs is None else pairs.difference
        found = [("clamped", clamp(danger)), (kind, difference)]
        found += [("masked", masked_rows(danger)), ("left-out", masked_terms(machine, danger))]
        for told, at in found:
            if at is not None:
                trail = next((t.trail for v in values if (t := as_traced(v)) is not None), None)
                use, operand = text_of(machine, danger.use), text_of(machine, at)
                place = pairs.made if pairs is not None and told == "zero-start" else None
                misused(machine, frame, node, told, use, operand, trail, place)
                return


def _is_finite(danger: Danger) -> bool:
    """Whether an operation is a power whose derivative is finite at zero."""
    node = danger.use.node
    if not isinstance(node, ir.BinOp) or node.op != "**":
        return False
    exponent = number_of(danger.use.inside(node.right))
    return exponent is None or exponent >= 1


def clamp(danger: Danger) -> Term | None:
    """What clamps an operand to a bound at which the derivative is infinite."""
    one = danger.operand.resolved()
    node = one.node
    name = dotted_text(node.func).rpartition(".")[2] if isinstance(node, ir.Call) else ""
    if name not in numerics.CLAMPS or "norm" in dotted_text(getattr(danger.use.node, "func", None)):
        return None
    points = numerics.BOUNDARY[danger.domain]
    for arguments, infinite in zip(numerics.CLAMPS[name], points, strict=True):
        bounds = [number_of(one.inside(bound)) for bound in _given(one, arguments)]
        if any(bound in infinite for bound in bounds):
            return one
    return None


def _given(one: Term, arguments: tuple[str | int, ...]) -> Iterator[Any]:
    """The arguments of a call by position or name; those of a method come one earlier."""
    root = dotted_text(one.node.func).partition(".")[0]
    is_method = not isinstance(value_of(one.scope.frame, root), LibraryName)
    for at, argument in enumerate(one.node.args):
        place = argument.keyword or (at + is_method)
        if not argument.star and place in arguments:
            yield argument.value


def paired(machine: Machine, danger: Danger) -> Pairs | None:
    """What makes an operand zero: an array that is zero, or its difference with itself."""
    pairs = pairs_of(machine, danger.operand)
    if pairs is None or is_safe(danger.operand):
        return None
    if not pairs.axes and (not is_root(danger) or is_aside(machine, danger.use.node)):
        return None
    if pairs.made is not None and _is_chosen(machine, danger):
        return None
    node = danger.use.node
    if isinstance(node, ir.Call) and dotted_text(node.func).rpartition(".")[2] == "norm":
        given = [a.value for a in node.args if a.keyword is None and not a.star]
        return pairs if leaves_pairs(danger.use, given, pairs) else None
    return pairs


def _is_chosen(machine: Machine, danger: Danger) -> bool:
    """Whether an operation stands in a choice, which is told itself."""
    module = machine.sources.owner(danger.use.node, machine.module)
    for around in layout(module.body).outward(danger.use.node):
        if not isinstance(around, (ir.Expr, ir.Argument)):
            return False
        func = dotted_text(around.func) if isinstance(around, ir.Call) else ""
        if func.rpartition(".")[2] in ("where", "select"):
            return True
    return False


_MODULES = ("jax.numpy", "jax.lax", "jax.numpy.linalg", "jax.scipy.special")
FUNCTIONS = frozenset(
    f"{module}.{name}"
    for module in _MODULES
    for name in (*numerics.PARTIAL, *numerics.QUOTIENTS, *numerics.POWERS)
)

CHECK = Check(
    "infinite-derivative",
    on_array_result=(Named(function, FUNCTIONS),),
    on_array_operation=operator,
)
