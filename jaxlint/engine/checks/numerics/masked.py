"""Operands that a mask makes zero: rows of which it leaves nothing, terms that it leaves out."""

from __future__ import annotations

import re
from typing import Any, Final

from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import layout
from jaxlint.engine.checks.numerics.derivatives import Danger, is_root, is_safe
from jaxlint.engine.inference.definitions import Term
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

_DEEPEST: Final = 6
# What authors call arrays of ones and zeros that leave elements out.
_MASK: Final = re.compile(r"(^|_)(masks?|valid|padding|present|observed)($|_)")
# Reductions along an axis that are zero where all that they reduce is.
_SUMS: Final = frozenset({"sum", "mean"})


def masked_rows(danger: Danger) -> Term | None:
    """The product with a mask of which a root takes the lengths of rows: of a row that the mask
    leaves out, the length is zero, and its derivative is not finite."""
    node = danger.use.node
    if not is_root(danger) or is_safe(danger.operand):
        return None
    if isinstance(node, ir.Call) and dotted_text(node.func).endswith("norm"):
        named = any(one.keyword == "axis" for one in node.args)
        return _product(danger.operand) if named else None
    total = danger.operand.resolved()
    call = total.node
    is_sum = isinstance(call, ir.Call) and isinstance(call.func, ir.Attribute)
    if not is_sum or call.func.attr not in _SUMS:
        return None
    given = [one.value for one in call.args if one.keyword is None]
    if total.is_of_array():
        given.insert(0, call.func.value)
    along = len(given) > 1 or any(one.keyword == "axis" for one in call.args)
    return _square(total.inside(given[0])) if along and given else None


def _square(one: Term) -> Term | None:
    """What the elements of an expression are the squares of, if that is masked."""
    one = one.resolved()
    node = one.node
    if isinstance(node, ir.BinOp) and node.op == "**":
        return _product(one.inside(node.left))
    if isinstance(node, ir.BinOp) and node.op == "*":
        same = dotted_text(node.left) == dotted_text(node.right) != ""
        return _product(one.inside(node.left)) if same else None
    is_square = isinstance(node, ir.Call) and dotted_text(node.func).endswith(".square")
    return _product(one.inside(node.args[0].value)) if is_square and node.args else None


def _product(one: Term, depth: int = _DEEPEST) -> Term | None:
    """A product with a mask."""
    one = one.resolved()
    node = one.node
    if not depth or not isinstance(node, ir.BinOp) or node.op != "*":
        return None
    sides = [one.inside(node.left), one.inside(node.right)]
    if any(_is_mask(side) for side in sides):
        return one
    return next((one for side in sides if _product(side, depth - 1) is not None), None)


def _is_mask(one: Term) -> bool:
    """Whether an expression goes by the name of a mask: `mask[..., None]`, `mask.astype(x.dtype)`,
    `~padding`."""
    node: Any = one.node
    while True:
        if isinstance(node, ir.Subscript):
            node = node.value
        elif isinstance(node, ir.UnaryOp):
            node = node.operand
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            node = node.func.value
        else:
            return _MASK.search(dotted_text(node).rpartition(".")[2].lower()) is not None


def masked_terms(machine: Machine, danger: Danger) -> Term | None:
    """The probabilities of `p * log(p)` of which a choice makes some zero: zero times the logarithm
    of zero is NaN."""
    node = danger.use.node
    name = dotted_text(node.func).rpartition(".")[2] if isinstance(node, ir.Call) else ""
    written = dotted_text(danger.operand.node)
    if name not in ("log", "log2", "log10") or not written:
        return None
    module = machine.sources.owner(node, machine.module)
    around = layout(module.body).around(node)
    if not isinstance(around, ir.BinOp) or around.op != "*":
        return None
    other = around.left if around.right is node else around.right
    return _left_out(danger.operand) if dotted_text(other) == written else None


def _left_out(one: Term, depth: int = _DEEPEST) -> Term | None:
    """The choice that puts zeros into an expression, or into what it divides."""
    bound = one.scope.bindings(one.node.id) if isinstance(one.node, ir.Name) else []
    if len(bound) == 2 and bound[0] is not None and isinstance(last := bound[1], ir.BinOp):
        # `p = p / p.sum()`: of the same zeros as before.
        is_scaled = last.op in "/*" and dotted_text(last.left) == one.node.id
        return _left_out(one.inside(bound[0]), depth - 1) if is_scaled else None
    one = one.resolved()
    node = one.node
    if not depth or not isinstance(node, (ir.BinOp, ir.Call)):
        return None
    if isinstance(node, ir.BinOp):
        return _left_out(one.inside(node.left), depth - 1) if node.op in "/*" else None
    given = [argument.value for argument in node.args]
    is_choice = dotted_text(node.func).rpartition(".")[2] == "where" and len(given) == 3
    return one if is_choice and number_of(one.inside(given[2])) == 0 else None
