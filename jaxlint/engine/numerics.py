"""Where the numbers go wrong although everything runs: what calls of array functions tell."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine import formulas, gradients, known_arrays, versions, wide
from jaxlint.engine.arguments import Args
from jaxlint.engine.machine import Machine
from jaxlint.engine.state import Frame
from jaxlint.engine.values import NumPy, Static, Value
from jaxlint.knowledge import lookup
from jaxlint.knowledge.numerics import COMPUTES, FORMULAS, NOT_READ, SELECTIONS
from jaxlint.knowledge.releases import PARAMETERS, POSITIONAL
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]
Check = Callable[[Machine, Frame, ir.Expr, str, Bound], None]

_CHECKS: dict[str, tuple[Check, ...]] = {
    **dict.fromkeys(SELECTIONS, (gradients.selection,)),
    **dict.fromkeys(PARAMETERS, (versions.given,)),
    **dict.fromkeys(POSITIONAL, (versions.by_position,)),
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
    known_arrays.made(machine, node, dotted, bound, result)
    for asked in _DTYPES:
        if asked in bound:
            wide.dtype_asked(machine, frame, node, dotted, bound[asked])
    if dotted in COMPUTES:
        wide.arrays_given(machine, frame, dotted, bound)
    if dotted in FORMULAS:
        formulas.called(machine, frame, node, dotted, bound, result)
    for check in _CHECKS.get(dotted, ()):
        check(machine, frame, node, dotted, bound)


def _met(machine: Machine, frame: Frame, node: ir.Expr, name: str, bound: Bound) -> None:
    """A function is given arrays of which something is known."""
    if name == "take":
        known_arrays.taken(machine, frame, node, bound)
    if name not in NOT_READ:
        for value, _ in bound.values():
            known_arrays.read(machine, frame, node, value)


def constructed(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> str:
    """A dtype of `jax.numpy` is called: the kind of what it makes."""
    if args.positional and args.nodes:
        wide.constructed(machine, frame, node, dotted, args.positional[0])
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
            known_arrays.read(machine, frame, place, value)
    if op in _TELLING or type(values[0]) is NumPy or type(values[1]) is NumPy:
        formulas.operated(machine, frame, node, op, values, nodes)
    if op != "**":
        for value, place in zip(values, nodes, strict=True):
            if type(value) is Static and type(value.const) is int:
                wide.integer_given(machine, frame, place, value, op)
