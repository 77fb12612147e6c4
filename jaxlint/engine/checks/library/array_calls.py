"""Where the numbers go wrong although everything runs: what calls of array functions tell."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.checks.library import removed_names
from jaxlint.engine.checks.numerics import (
    out_of_bounds,
    stability,
    where_gradient,
    x64,
)
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import NumPy, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.numerics import COMPUTES, FORMULAS, NOT_READ, SELECTIONS
from jaxlint.knowledge.releases import PARAMETERS, POSITIONAL
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]
Check = Callable[[Machine, Frame, ir.Expr, str, Bound], None]

_CHECKS: dict[str, tuple[Check, ...]] = {
    **dict.fromkeys(SELECTIONS, (where_gradient.selection,)),
    **dict.fromkeys(PARAMETERS, (removed_names.given,)),
    **dict.fromkeys(POSITIONAL, (removed_names.by_position,)),
}
# Operators of formulas that are looked at.
_TELLING = "*/-"
# Parameters that say which dtype a result has.
_DTYPES = ("dtype", "new_dtype", "preferred_element_type")


def called(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """An array function was called with these arguments, and gave this."""
    name = dotted.rpartition(".")[2]
    if machine.arrays:
        _met(machine, frame, node, name, bound)
    out_of_bounds.made(machine, node, dotted, bound, result)
    for asked in _DTYPES:
        if asked in bound:
            x64.dtype_asked(machine, frame, node, dotted, bound[asked])
    if dotted in COMPUTES:
        x64.arrays_given(machine, frame, dotted, bound)
    if dotted in FORMULAS:
        stability.called(machine, frame, node, dotted, bound, result)
    for check in _CHECKS.get(dotted, ()):
        check(machine, frame, node, dotted, bound)


def _met(machine: Machine, frame: Frame, node: ir.Expr, name: str, bound: Bound) -> None:
    """A function is given arrays of which something is known."""
    if name == "take":
        out_of_bounds.taken(machine, frame, node, bound)
    if name not in NOT_READ:
        for value, _ in bound.values():
            out_of_bounds.read(machine, frame, node, value)


def constructed(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> str:
    """A dtype of `jax.numpy` is called: the kind of what it makes."""
    if args.positional and args.nodes:
        x64.constructed(machine, frame, node, dotted, args.positional[0])
    return lookup.dtype_kind(dotted)


def operated(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """An operator is applied to an array, on one side at least."""
    if machine.arrays:
        for value, place in zip(values, nodes, strict=True):
            out_of_bounds.read(machine, frame, place, value)
    if op in _TELLING or type(values[0]) is NumPy or type(values[1]) is NumPy:
        stability.operated(machine, frame, node, op, values, nodes)
    if op != "**":
        for value, place in zip(values, nodes, strict=True):
            if type(value) is Static and type(value.const) is int:
                x64.integer_given(machine, frame, place, value, op)
