"""The numbers that expressions are, read from the source."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.values import Static
from jaxlint.engine.inference.definitions import Term, held_by
from jaxlint.syntax import ir

_DEEPEST = 8

Known = dict[tuple[object, int], float | None]


def number_of(one: Term, known: Known | None = None) -> float | None:
    """The number that an expression is, None where it is none or not known. `known` are those
    of the terms that were looked at."""
    resolved = one.resolved()
    known = {} if known is None else known
    place = (resolved.scope.identity(), id(resolved.node))
    if place not in known:
        known[place] = None  # An expression that is computed from itself.
        known[place] = _number(resolved, known)
    return known[place]


def _number(one: Term, known: Known) -> float | None:
    node, sign = one.node, 1.0
    if isinstance(node, ir.UnaryOp) and node.op == "-":
        node, sign = node.operand, -1.0
    if isinstance(node, ir.BinOp) and node.op == "/":
        parts = [number_of(one.inside(side), known) for side in (node.left, node.right)]
        return None if None in parts or not parts[1] else (parts[0] or 0.0) / parts[1]
    if isinstance(node, ir.Const) and isinstance(node.value, (int, float)):
        return sign * node.value
    value = held_by(one.scope.frame, node)
    if isinstance(value, Static) and isinstance(value.const, (int, float)):
        return sign * value.const
    return None


def evaluated(one: Term, name: str, value: float) -> float:
    """The value of an expression of one variable where that has a value.

    Raises:
        ArithmeticError, ValueError: it has none there.
        LookupError: what is not known is computed with.
    """
    return _Evaluation(name, value).of(one, _DEEPEST)


class _Evaluation:
    """The values of expressions for one value of a variable, each name's once."""

    def __init__(self, name: str, value: float) -> None:
        self.name, self.value = name, value
        self.known: dict[tuple[object, int], float] = {}
        self.numbers: Known = {}

    def of(self, one: Term, depth: int) -> float:
        """The value of a term, names followed so deep."""
        node = one.node
        if dotted_text(one.outer().node) == self.name:
            return self.value
        number = number_of(one, self.numbers)
        if number is not None:
            return number
        if isinstance(node, ir.Const) and isinstance(node.value, complex) and not node.value.imag:
            # `x + 0j`
            return node.value.real
        if isinstance(node, ir.UnaryOp) and node.op == "-":
            return -self.of(one.inside(node.operand), depth)
        if isinstance(node, ir.BinOp):
            left, right = (self.of(one.inside(side), depth) for side in (node.left, node.right))
            return _ARITHMETIC[node.op](left, right)
        if isinstance(node, ir.Call) and len(node.args) == 1 and not node.args[0].star:
            last = dotted_text(node.func).rpartition(".")[2]
            if last in _ELEMENTARY:
                return _ELEMENTARY[last](self.of(one.inside(node.args[0].value), depth))
        other = one.resolved()
        if other.node is node or not depth:
            raise LookupError(self.name)
        place = (other.scope.identity(), id(other.node))
        if place not in self.known:
            self.known[place] = self.of(other, depth - 1)
        return self.known[place]


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_ELEMENTARY: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "negative": operator.neg,
    "sqrt": math.sqrt,
    "square": lambda x: x * x,
    "tanh": math.tanh,
}
