"""Whether calls of a compiled function before and after a change are given arguments of one sort:
where what they pass comes of different expressions, JAX may well trace the function again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.names import assigned, dotted_text, walk
from jaxlint.engine.checks.captures.staleness import Change, parent_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Concrete, Static, Value
from jaxlint.engine.inference.lengths import leading
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir

# So many calls before a change are compared with so many after it.
MOST_COMPARED = 8
# How far the names are followed that an argument is made of.
_DEPTH = 6
_NUMBERS = ("bool", "complex", "float", "int")


def finds_program(
    machine: Machine, record: TransformUse, owner: Frame, changes: list[Change]
) -> bool | None:
    """Whether a call after one of the changes takes the same sort of arguments as one before it,
    None where that is not certain. Calls from elsewhere, and arguments that stay, count as the
    same."""
    sites: list[Any] = [site for site in record.sites if site.frame is owner]
    if len(sites) != len(record.calls):
        return True
    sources = _Sources(machine, owner, {id(site.node) for site in sites})
    is_open = False
    for tick, _ in changes:
        before = [site for site in sites if site.tick < tick][-MOST_COMPARED:]
        after = [site for site in sites if site.tick > tick][:MOST_COMPARED]
        if not before or not after:
            return True
        pairs = [(a, b) for a in before for b in after if not _differ(a, b)]
        if any(sources.fit(one, other) for one, other in pairs):
            return True
        is_open |= bool(pairs)
    return None if is_open else False


def _differ(one: Any, other: Any) -> bool:
    """Whether two calls certainly have programs of their own."""
    if len(one.given) != len(other.given):
        return False
    pairs = zip(one.given, other.given, strict=True)
    return any(_other_sort(a.value, b.value, bool(a.fixed)) for a, b in pairs)


def _other_sort(one: Value, other: Value, fixed: bool) -> bool:
    if isinstance(one, Static) and isinstance(other, Static):
        return fixed and one.known and other.known and one.const != other.const
    if not (isinstance(one, Concrete) and isinstance(other, Concrete)):
        return False
    sorts = ((one.dtype, other.dtype), (one.rank, other.rank), (leading(one), leading(other)))
    return any(a != b for a, b in sorts if a not in (None, "") and b not in (None, ""))


class _Sources:
    """What the names of a scope were bound to when a function was called; `own` are the calls of
    the function itself, whose results are taken to be like what it was given."""

    def __init__(self, machine: Machine, owner: Frame, own: set[int]) -> None:
        self._machine = machine
        self._owner = owner
        self._own = own

    def fit(self, one: Any, other: Any) -> bool:
        """Whether two calls may be given arguments of the same shapes and structure."""
        if len(one.given) != len(other.given):
            return True
        pairs = zip(one.given, other.given, strict=True)
        return all(self._fits(a, one, b, other) for a, b in pairs)

    def _fits(self, a: Any, one: Any, b: Any, other: Any) -> bool:
        if not a.fixed and _same_sort(a.value, b.value):
            return True
        return self._alike(a.node, one.tick, b.node, other.tick, one.node)

    def _alike(
        self, a: Any, then: int, b: Any, now: int, call: ir.Node | None, depth: int = _DEPTH
    ) -> bool:
        """Whether two expressions read alike, and what they name comes of such expressions."""
        left, right = list(walk(a)), list(walk(b))
        if depth == 0 or len(left) != len(right):
            return depth == 0
        for x, y in zip(left, right, strict=True):
            if isinstance(x, ir.Name) and isinstance(y, ir.Name):
                if not self._same_source(x.id, then, y.id, now, call, depth):
                    return False
            elif type(x) is not type(y) or _own_text(x) != _own_text(y):
                return False
        return True

    def _same_source(
        self, name: str, then: int, other: str, now: int, call: ir.Node | None, depth: int
    ) -> bool:
        earlier, later = self._bound(name, then, call), self._bound(other, now, None)
        if not earlier or not later:
            return name == other
        tick, last = later[-1]
        if any(node is last for _, node in earlier):
            return True
        right = self._made_of(last)
        for since, node in earlier:
            left = self._made_of(node)
            if left is not None and right is not None and left[0] == right[0]:
                if _is_number(left[1]) and _is_number(right[1]):
                    return True
                if self._alike(left[1], since, right[1], tick, None, depth - 1):
                    return True
        return False

    def _bound(self, name: str, until: int, call: ir.Node | None) -> list[Change]:
        """The last binding of a name before a moment, and those in the loops around a call."""
        writes = [one for one in self._owner.writes.get(name, ()) if not self._keeps(one[1], name)]
        loops = {id(one) for one in self._around(call) if isinstance(one, (ir.For, ir.While))}
        before = [one for one in writes if one[0] < until][-1:]
        turns = [one for one in writes if any(id(it) in loops for it in self._around(one[1]))]
        return [*turns, *before]

    def _around(self, node: ir.Node | None) -> Iterator[ir.Node]:
        while node is not None:
            node = parent_of(self._machine, node)
            if node is not None:
                yield node

    def _binding(self, node: ir.Node) -> ir.Node | None:
        """The statement that binds a name at `node`."""
        if isinstance(node, ir.Stmt):
            return node
        return next((one for one in self._around(node) if isinstance(one, ir.Stmt)), None)

    def _keeps(self, node: ir.Node, name: str) -> bool:
        """Whether a binding gives a name something like what it had: a result of the function, or
        what arithmetic makes of it."""
        statement = self._binding(node)
        if isinstance(statement, ir.AugAssign):
            return True
        _, value = assigned(statement)
        if isinstance(value, ir.BinOp) and value.op != "@":
            return any(dotted_text(side) == name for side in (value.left, value.right))
        return id(value) in self._own

    def _made_of(self, node: ir.Node) -> tuple[object, ir.Node] | None:
        """How a name takes part in a binding, and the expression that is bound."""
        statement = self._binding(node)
        if isinstance(statement, ir.For):
            return ("for", _place(statement.target, node)), statement.iter
        targets, value = assigned(statement)
        if value is None:
            return None
        return ("=", tuple(_place(target, node) for target in targets)), value


def _place(target: Any, node: ir.Node) -> object:
    """Where in a target a name stands; of several parts, by their order."""
    parts = target.items if isinstance(target, ir.Sequence) else (target,)
    return next((at for at, part in enumerate(parts) if any(it is node for it in walk(part))), -1)


def _own_text(node: Any) -> tuple[object, ...]:
    """What a node says beside the nodes that it holds."""
    if isinstance(node, ir.Const):
        return type(node.value), node.value
    return tuple(getattr(node, name, None) for name in ("attr", "keyword", "op", "kind"))


def _is_number(node: ir.Node) -> bool:
    return isinstance(node, ir.Const) and isinstance(node.value, (int, float))


def _same_sort(one: Value, other: Value) -> bool:
    """Whether two arguments certainly have the same shape, or as far as their lengths tell."""
    if isinstance(one, Static) and isinstance(other, Static):
        return one.kind in _NUMBERS and one.kind == other.kind
    if isinstance(one, Concrete) and isinstance(other, Concrete):
        if one.rank != other.rank or one.dtype != other.dtype:
            return False
        if one.rank == 0:
            return True
    length = leading(one)
    return length is not None and length == leading(other)
