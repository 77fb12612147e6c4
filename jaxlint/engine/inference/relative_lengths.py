"""Lengths of arrays of which nothing is known but that they are parts of one array: `x[1:]` is
shorter than `x`, however long that is."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Traced, Unknown
from jaxlint.engine.inference.array_parameters import is_array_parameter
from jaxlint.engine.inference.definitions import Term, term, value_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import is_leaf
from jaxlint.syntax import ir

_DEEPEST = 4


def unlike_lengths(
    machine: Machine, frame: Frame, parts: Iterable[ir.Expr]
) -> tuple[ir.Expr, str, str, bool] | None:
    """The first of several arrays whose leading axis is not as long as that of another one, how
    long both are, and whether they may be lists, whose elements have axes of their own."""
    first: dict[str, int] = {}
    for part in parts:
        found = _cut(term(frame, part, machine), _DEEPEST)
        if found is None:
            continue
        base, cut = found
        value, name = value_of(frame, base.id), base.id
        if value is None or not (is_leaf(value) or isinstance(value, (Traced, Unknown))):
            continue
        if first.setdefault(name, cut) != cut:
            unsure = not is_leaf(value) and not is_array_parameter(machine, frame, base, value)
            return part, _length(name, cut), _length(name, first[name]), unsure
    return None


def leaves_written(machine: Machine, frame: Frame, node: ir.Expr) -> list[ir.Expr]:
    """The arrays that are written in a tuple, a list or a dict, or in one that a name is bound
    to where it is used."""
    whole = term(frame, node, machine).resolved()
    written = whole.node if whole.scope.frame is frame and not whole.scope.given else node
    if isinstance(written, ir.Dict):
        return [value for _, value in written.items]
    if isinstance(written, ir.Sequence) and written.kind in ("tuple", "list"):
        return list(written.items)
    return [node]


def _length(name: str, cut: int) -> str:
    return f"len({name}) - {cut}" if cut else f"len({name})"


def _cut(part: Term, depth: int) -> tuple[ir.Name, int] | None:
    """The name of an array, and how many of its rows a part of it lacks."""
    node, scope = part.node, part.scope
    if scope.given or not depth:
        return None
    if isinstance(node, ir.Name):
        bound = scope.bindings(node.id)
        if not scope.is_steady(node.id):
            return None  # It may have been another array where the part was taken.
        made = bound[0] if bound else None
        inner = None if made is None else _cut(part.inside(made), depth - 1)
        return (node, 0) if inner is None else inner
    if not isinstance(node, ir.Subscript) or not isinstance(node.index, ir.Slice):
        return None
    whole, cut = _cut(part.inside(node.value), depth - 1), _sliced(node.index)
    return None if whole is None or cut is None else (whole[0], whole[1] + cut)


def _sliced(index: ir.Slice) -> int | None:
    """How many rows a slice leaves out."""
    lower, upper = _whole(index.lower), _whole(index.upper)
    if index.step is not None or lower is None or upper is None:
        return None
    return lower - upper if lower >= 0 >= upper and (upper or index.upper is None) else None


def _whole(node: ir.Expr | None) -> int | None:
    """The number that is written as a bound, 0 where there is none."""
    if isinstance(node, ir.UnaryOp) and node.op == "-":
        inner = _whole(node.operand)
        return None if inner is None else -inner
    value = 0 if node is None else node.value if isinstance(node, ir.Const) else None
    return value if type(value) is int else None
