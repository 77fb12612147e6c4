"""Differences of integers in a loop, as polynomials of the names in them."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.loop_variance import Around, mentions
from jaxlint.dataflow.names import dotted_text
from jaxlint.syntax import ir

_DEPTH = 12

Terms = dict[tuple[str, ...], int]


def difference(upper: Any, lower: Any, at: Around) -> Terms | None:
    """The terms of `upper - lower` as a polynomial of names, None where it is something else."""
    high, low = _terms(upper, at, _DEPTH), _terms(lower, at, _DEPTH)
    if high is None or low is None:
        return None
    return _added(high, low, -1)


def _added(a: Terms, b: Terms, sign: int) -> Terms:
    total = dict(a)
    for names, factor in b.items():
        total[names] = total.get(names, 0) + sign * factor
    return {names: factor for names, factor in total.items() if factor}


def _terms(node: Any, at: Around, depth: int) -> Terms | None:
    if isinstance(node, ir.Const):
        whole = isinstance(node.value, int) and not isinstance(node.value, bool)
        return ({(): node.value} if node.value else {}) if whole else None
    if depth == 0:
        return None
    if isinstance(node, (ir.Name, ir.Attribute)):
        name = dotted_text(node)
        turn = next((turn for turn in at.turns if turn.binds(name)), None)
        found = [] if turn is None else turn.bound.get(name, [])
        value = found[0][0] if len(found) == 1 else None
        if isinstance(value, (ir.BinOp, ir.Name, ir.Const)) and not mentions(value, name):
            return _terms(value, at, depth - 1)
        return {(name,): 1}
    if not isinstance(node, ir.BinOp) or node.op not in "+-*":
        return None
    left, right = _terms(node.left, at, depth - 1), _terms(node.right, at, depth - 1)
    if left is None or right is None:
        return None
    if node.op in "+-":
        return _added(left, right, 1 if node.op == "+" else -1)
    product: Terms = {}
    for a, m in left.items():
        for b, n in right.items():
            product = _added(product, {tuple(sorted((*a, *b))): m * n}, 1)
    return product
