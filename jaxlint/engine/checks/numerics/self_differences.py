"""Expressions that are zero where an element meets itself: differences of one array with itself,
`x[:, None] - x[None, :]`, and what keeps their zeros."""

from __future__ import annotations

from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.numerics.derivatives import computed_by
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.values import Concrete, Traced, Value
from jaxlint.engine.inference.definitions import Term, held_by
from jaxlint.engine.inference.extents import extent
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

_DEEPEST = 10
_WHOLE, _NEW, _REST = "whole", "new", "rest"


@slotted(frozen=True)
class Pairs:
    """The difference of an array with itself: the two axes that pair its elements, as counted
    from the end where they are negative, and how many axes it has at least. Without axes, all of
    it is zero: the array and the other one are the same, or it was filled with zeros at `made`."""

    difference: Term
    axes: frozenset[int]
    rank: int
    made: ir.Expr | None = None

    def spares(self, axis: int) -> bool:
        """Whether a reduction over an axis leaves the pairs alone."""
        if not self.axes:
            return True
        if min(self.axes) < 0:
            return axis < 0 and axis not in self.axes
        return (axis if axis >= 0 else self.rank + axis) not in self.axes


def pairs_of(machine: Machine, one: Term) -> Pairs | None:
    """The self-difference whose zeros an expression keeps; None where it need not be zero."""
    return _Search(machine).of(one, _DEEPEST)


class _Search:
    """`known` are the names that have several bindings, by the self-difference that the first of
    them keeps."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.known: dict[tuple[object, str], Pairs | None] = {}

    def of(self, one: Term, depth: int) -> Pairs | None:
        """The self-difference whose zeros an expression keeps."""
        if not depth:
            return None
        one = one.resolved() if isinstance(one.node, (ir.Name, ir.Call)) else one
        node = one.node
        if isinstance(node, (ir.Name, ir.Attribute, ir.Subscript)):
            found = self._of_zeros(one)
            if found is not None:
                return found
        if isinstance(node, ir.Subscript):
            return _without_axes(self.of(one.inside(node.value), depth - 1))
        if isinstance(node, ir.Name) and not one.scope.takes(node.id):
            return self._of_bindings(one, node.id, depth)
        if isinstance(node, (ir.Name, ir.Attribute)):
            return self._of_tracer(one, depth)
        if isinstance(node, ir.BinOp):
            return self._of_operator(one, node, depth)
        if isinstance(node, ir.UnaryOp) and node.op in "+-":
            return self.of(one.inside(node.operand), depth - 1)
        if isinstance(node, ir.Call):
            return self._of_call(one, node, depth)
        return None

    def _of_bindings(self, one: Term, name: str, depth: int) -> Pairs | None:
        """What all bindings of a name keep, as in `d = d - box * jnp.round(d / box)`."""
        place = (one.scope.identity(), name)
        if place in self.known:
            return self.known[place]
        self.known[place] = None
        for at, expr in enumerate(one.scope.bindings(name)):
            found = None if expr is None else self.of(one.inside(expr), depth - 1)
            if found is None:
                self.known[place] = None
                break
            if not at:
                self.known[place] = found
        return self.known[place]

    def _of_zeros(self, one: Term) -> Pairs | None:
        """An array that is filled with zeros where it comes from."""
        one = one.outer()
        held = held_by(one.scope.frame, one.node)
        known = None if held is None else extent(self.machine, held)
        made = None if known is None else known.zero
        return None if made is None else Pairs(one, frozenset(), 0, made)

    def _of_tracer(self, one: Term, depth: int) -> Pairs | None:
        """What a parameter or a field is given, by the expression that computed it."""
        made = computed_by(self.machine, one)
        return None if made is None else self.of(made, depth - 1)

    def _of_operator(self, one: Term, node: ir.BinOp, depth: int) -> Pairs | None:
        left, right = one.inside(node.left), one.inside(node.right)
        if node.op == "-":
            found = _difference(one, left, right) or self._of_one_array(one, left, right)
            if found is not None:
                return found
        if node.op in ("+", "-"):
            first = self.of(left, depth - 1)
            return first if first is not None and self.of(right, depth - 1) is not None else None
        if node.op == "*":
            return self.of(left, depth - 1) or self.of(right, depth - 1)
        if node.op == "**":
            exponent = number_of(right)
            return self.of(left, depth - 1) if exponent is not None and exponent > 0 else None
        return self.of(left, depth - 1) if node.op == "/" else None

    def _of_one_array(self, one: Term, left: Term, right: Term) -> Pairs | None:
        """The difference of two arrays that are one where they come from."""
        sources = [self._source(side.resolved().outer()) for side in (left, right)]
        is_one = sources[0] is not None and sources[0] is sources[1]
        return Pairs(one, frozenset(), 0) if is_one else None

    def _source(self, one: Term) -> Value | None:
        held = held_by(one.scope.frame, one.node)
        known = None if held is None else extent(self.machine, held)
        if known is not None and known.source is not None:
            return known.source
        return held if isinstance(held, Concrete) else None

    def _of_call(self, one: Term, node: ir.Call, depth: int) -> Pairs | None:
        name = dotted_text(node.func).rpartition(".")[2]
        given = [a.value for a in node.args if a.keyword is None and not a.star]
        found = None
        if isinstance(node.func, ir.Attribute):
            # A method: `d2.sum(axis=-1)`.
            found = self.of(one.inside(node.func.value), depth - 1)
            if found is not None:
                name, given = node.func.attr, [node.func.value, *given]
        if found is None and given:
            found = self.of(one.inside(given[0]), depth - 1)
        if found is None or name in numerics.KEEPS_ZERO or leaves_pairs(one, given, found):
            return found
        return _without_axes(found) if name in numerics.MOVES_ZERO else None


def _without_axes(found: Pairs | None) -> Pairs | None:
    """What is zero everywhere, of which each part is."""
    return None if found is None or found.axes else found


def leaves_pairs(one: Term, given: list[Any], pairs: Pairs) -> bool:
    """Whether a call that adds up leaves the pairs alone; `given` are its positional arguments,
    the array first."""
    func = one.node.func
    name = func.attr if isinstance(func, ir.Attribute) else dotted_text(func)
    if name not in numerics.ZERO_SUMS:
        return False
    if not pairs.axes:
        return True
    at = numerics.ZERO_SUMS[name]
    axis = next((a.value for a in one.node.args if a.keyword == "axis"), None)
    if axis is None and len(given) > at:
        axis = given[at]
    number = None if axis is None else number_of(one.inside(axis))
    return number is not None and pairs.spares(int(number))


def _difference(one: Term, left: Term, right: Term) -> Pairs | None:
    """The difference of two views of one array, of which each has an axis that the other one
    makes."""
    first, second = _view(left), _view(right)
    if first is None or second is None or not _is_same(first[0], second[0]):
        return None
    axes = _new(first[1]) ^ _new(second[1])
    kinds = [kinds for _, kinds in (first, second) if kinds]
    if len(kinds) == 1 and not _counts_back(kinds[0]):
        # `x - x[:, None]`: the array itself lacks the first axis.
        axes |= {0}
    if len(axes) != 2 or len({_counts_back(one) for one in kinds}) != 1:
        return None
    held = held_by(first[0].scope.frame, first[0].node)
    written, rank = max(map(len, kinds)), None if held is None else rank_of(held)
    least = max(written, max(axes) + 1) + (written <= 2)
    return Pairs(one, frozenset(axes), least if rank is None else rank + 1)


def _counts_back(kinds: list[str]) -> bool:
    return kinds[0] == _REST


def _new(kinds: list[str]) -> set[int]:
    """The axes that a view makes."""
    shift = len(kinds) if kinds and _counts_back(kinds) else 0
    return {at - shift for at, kind in enumerate(kinds) if kind == _NEW}


def _view(one: Term) -> tuple[Term, list[str]] | None:
    """The array that an expression shows with new axes, and what its index says of them."""
    one = one.resolved() if isinstance(one.node, ir.Name) else one
    node = one.node
    if isinstance(node, (ir.Name, ir.Attribute)):
        return one, []
    if not isinstance(node, ir.Subscript):
        return None
    parts = node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)
    kinds = [kind for part in parts if (kind := _kind(part)) is not None]
    is_plain = len(kinds) == len(parts) and _REST not in kinds[1:]
    return (one.inside(node.value), kinds) if is_plain and kinds else None


def _kind(part: Any) -> str | None:
    if isinstance(part, ir.Const):
        return {None: _NEW, ...: _REST}.get(part.value)
    if isinstance(part, ir.Slice):
        return None if part.lower or part.upper or part.step else _WHOLE
    return _NEW if dotted_text(part).rpartition(".")[2] == "newaxis" else None


def _is_same(first: Term, second: Term) -> bool:
    """Whether two expressions are one array."""
    first, second = first.resolved(), second.resolved()
    names = dotted_text(first.node), dotted_text(second.node)
    if "" not in names and names[0] == names[1]:
        return first.scope.identity() == second.scope.identity()
    # Parameters that a call gives the same tracer.
    held = [held_by(one.scope.frame, one.node) for one in (first, second)]
    trails = [value.trail for value in held if isinstance(value, Traced)]
    return len(trails) == 2 and trails[0] is trails[1]
