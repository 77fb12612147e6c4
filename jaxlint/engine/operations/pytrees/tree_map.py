"""`jax.tree.map` on abstract pytrees: one function on the leaves at the same place of all trees.

Source: JAX documentation, `jax.tree.map`: the structure is that of the first tree, of which it is
a prefix that the other trees have; `is_leaf` is asked of each node, None included.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

from jaxlint.engine.checks.recompilation.non_arrays import is_leaf_class
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import OBJECTS, finds_traced, is_child
from jaxlint.engine.domain.values import (
    NONE,
    Instance,
    Mapping,
    Perhaps,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
    join,
    join_all,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

MOST_DEPTH = 6
_Part = Callable[[Value], Value | None]


def leaf_values(
    value: Value, depth: int = 5, stops: Callable[[Value], bool] | None = None
) -> list[Value]:
    """The leaves of a pytree value, in the order of JAX: dicts by their keys. A node at which it
    `stops` is a leaf. Of one of several trees that differ in how many leaves they have, nothing is
    known."""
    if stops is not None and stops(value):
        return [value]
    if depth and isinstance(value, (Sequence, Mapping)):
        inner = (
            [value.items[k] for k in ordered_keys(value)]
            if isinstance(value, Mapping)
            else list(value.items or [])
        )
        if value.element is not None:
            inner.append(value.element)
        return [leaf for one in inner for leaf in leaf_values(one, depth - 1, stops)]
    if depth and isinstance(value, Instance) and value.cls.tree:
        return [
            leaf for one in value.fields.values() for leaf in leaf_values(one, depth - 1, stops)
        ]
    if depth and isinstance(value, Union) and any(map(_is_tree, value.options)):
        each = [leaf_values(one, depth - 1, stops) for one in value.options]
        if len({*map(len, each)}) > 1:
            return [Unknown("leaves of one of several trees")]
        return [join_all([*same]) for same in zip(*each, strict=True)]
    if isinstance(value, Static) and value.const is None:
        return []
    return [value]


def _is_tree(value: Value) -> bool:
    is_object = isinstance(value, Instance) and bool(value.cls.tree)
    return is_object or isinstance(value, (Sequence, Mapping))


def leaf_test(
    machine: Machine, frame: Frame, node: ir.Expr, is_leaf: Value | None
) -> Callable[[Value], bool] | None:
    """What `is_leaf` certainly says of a node."""
    if is_leaf is None or is_none(is_leaf):
        return None

    def stops(value: Value) -> bool:
        if not (isinstance(value, OBJECTS) or is_none(value)):
            return False
        answer = machine.call(frame, node, is_leaf, Args([value], nodes=[node]))
        return isinstance(answer, Static) and answer.known and bool(answer.const)

    return stops


def ordered_keys(value: Mapping) -> list[Any]:
    """Keys as JAX orders them, as they stand where they cannot be ordered."""
    try:
        return sorted(value.items)
    except TypeError:
        return list(value.items)


def as_leaf(node: ir.Node, value: Value) -> Value:
    """A leaf of a parameter that may be a pytree is an array."""
    if isinstance(value, Traced) and not value.leaf:
        return Traced(value.trail.part(node), value.kind)
    return value


def tree_map(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`jax.tree.map(f, tree, *rest, is_leaf=None)`: `f` is called in the code around."""
    func, tree = args.get(0, "f"), args.get(1, "tree")
    if func is None or tree is None:
        return machine.unknown("tree.map")
    is_leaf = args.keywords.get("is_leaf")
    if (is_leaf is None or is_none(is_leaf)) and any(map(is_none, options(tree))):
        return _map_some(machine, frame, node, func, args)
    if isinstance(tree, Union):
        return _map_each(machine, frame, node, func, args, tree)
    known = isinstance(tree, OBJECTS) or finds_traced(tree) is not None
    if isinstance(tree, Unknown) or (frame.trace.is_host and not known):
        mapped = machine.unknown("tree.map over an unknown tree")
        return Perhaps(mapped.reason) if tree.may_be_leafless() else mapped
    walk = _Walk(machine, frame, node, func, args, is_leaf)
    made = walk.mapped(tree, args.positional[2:], MOST_DEPTH)
    return _of_any_shape(made) if type(tree) is Static and not (tree.known or tree.kind) else made


def _of_any_shape(made: Value) -> Value:
    """What is made of each leaf of Python values that may be containers."""
    if not isinstance(made, Traced):
        return made
    several = copy(made)
    several.leaf = False
    return several


def _map_some(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> Value:
    """`jax.tree.map` over a tree that is None, which has no leaves, or may be."""
    some = [one for one in options(args.get(1, "tree") or NONE) if not is_none(one)]
    if not some:
        return NONE
    tree = some[0] if len(some) == 1 else Union(tuple(some))
    inside = Args([func, tree, *args.positional[2:]], {}, args.rest, args.more, args.nodes)
    return join(NONE, tree_map(machine, frame, node, inside))


def _map_each(
    machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args, tree: Union
) -> Value:
    """`jax.tree.map` over one of several trees."""
    rest = args.positional[2:]
    with machine.one_of(tree.options):
        results = [
            tree_map(
                machine,
                frame,
                node,
                Args([func, one, *rest], args.keywords, args.rest, args.more, args.nodes),
            )
            for one in tree.options
        ]
    return join_all(results)


class _Walk:
    """One call of `tree.map`."""

    def __init__(
        self,
        machine: Machine,
        frame: Frame,
        node: ir.Expr,
        func: Value,
        args: Args,
        is_leaf: Value | None,
    ) -> None:
        self.machine, self.frame, self.node, self.func = machine, frame, node, func
        self.place = args.node(1, "tree", node)
        self.is_leaf = leaf_test(machine, frame, self.place, is_leaf)

    def mapped(self, value: Value, others: list[Value], depth: int) -> Value:
        """The tree of results of a tree and what the other trees have in its place."""
        born = self.frame.trace
        if depth == 0:
            return Unknown("deep pytree")
        if self.is_leaf is not None and self.is_leaf(value):
            return self._applied(value, others)
        if isinstance(value, Sequence):
            return self._sequence(value, others, depth)
        if isinstance(value, Mapping):
            known = {
                key: self.mapped(one, self._parts(others, partial(_item, key)), depth - 1)
                for key, one in (*value.items.items(),)
            }
            return Mapping(known, born, self._rest(value, others, depth), value.open)
        if isinstance(value, Instance):
            return self._instance(value, others, depth)
        if isinstance(value, Union):
            results = [self.mapped(one, others, depth - 1) for one in value.options]
            found = results[0]
            for other in results[1:]:
                found = join(found, other)
            return found
        return NONE if is_none(value) else self._applied(value, others)

    def _sequence(self, value: Sequence, others: list[Value], depth: int) -> Value:
        items = None
        if value.items is not None:
            count = len(value.items)
            items = [
                self.mapped(one, self._parts(others, partial(_entry, at, count)), depth - 1)
                for at, one in enumerate((*value.items,))
            ]
        return Sequence(value.kind, items, self.frame.trace, self._rest(value, others, depth))

    def _rest(self, value: Sequence | Mapping, others: list[Value], depth: int) -> Value | None:
        """The elements that are not known one by one."""
        if value.element is None:
            return None
        return self.mapped(value.element, self._parts(others, _element), depth - 1)

    def _instance(self, value: Instance, others: list[Value], depth: int) -> Value:
        cls = value.cls
        if is_leaf_class(cls):
            return self._applied(value, others)
        if not cls.tree or cls.tree == "own":
            return Unknown("object of a class that is no pytree")
        copy = Instance(cls, self.frame.trace)
        copy.tree = value.tree
        for name, held in (*value.fields.items(),):
            child = is_child(cls, name)
            if child is None:
                copy.fields[name] = Unknown("field that may be static")
                continue
            below = self._parts(others, partial(_field, name)) if child else []
            copy.fields[name] = self.mapped(held, below, depth - 1) if child else held
        return copy

    def _parts(self, others: list[Value], part: _Part) -> list[Value]:
        """What the other trees have at a place, of which `part` tells where the tree is known."""
        return [self._below(one, _any_part(one, part)) for one in others]

    def _below(self, tree: Value, found: Value | None) -> Value:
        if found is not None:
            return found
        if isinstance(tree, Traced) and not tree.leaf:
            return Traced(tree.trail.part(self.node), tree.kind, leaf=False)
        return tree if isinstance(tree, Unknown) else _any_leaf(tree)

    def _applied(self, leaf: Value, others: list[Value]) -> Value:
        """What the function makes of a leaf, and of what the other trees have in its place."""
        doubtful = isinstance(leaf, Unknown) or (isinstance(leaf, Traced) and not leaf.leaf)
        rest = [as_leaf(self.node, _any_leaf(one) if doubtful else one) for one in others]
        result = self._call(self.func, [as_leaf(self.node, leaf), *rest])
        if not doubtful:
            return result
        # It may be a tree of its own, and the result one of the same structure.
        if isinstance(result, Traced):
            return Traced(result.trail, result.kind, leaf=False)
        return self.machine.unknown("tree.map over a parameter")

    def _call(self, func: Value, given: list[Value]) -> Value:
        nodes = [self.place] * len(given)
        return self.machine.call(self.frame, self.node, func, Args(given, nodes=nodes))


def _any_leaf(tree: Value) -> Value:
    """What any leaf of a tree may be."""
    return join_all(leaf_values(tree) or [NONE])


def _any_part(tree: Value, part: _Part) -> Value | None:
    """What a tree, or one of several, has at a place. Those without the place do not go with the
    first tree: there JAX would raise."""
    found = [one for one in map(part, options(tree)) if one is not None]
    return join_all(found) if found else None


def _entry(at: int, count: int, tree: Value) -> Value | None:
    if not isinstance(tree, Sequence) or tree.items is None:
        return _element(tree)
    return tree.items[at] if len(tree.items) == count and tree.element is None else None


def _item(key: Any, tree: Value) -> Value | None:
    if isinstance(tree, Mapping) and key in tree.items:
        return tree.items[key]
    return _element(tree)


def _element(tree: Value) -> Value | None:
    """Any element of a container of one kind."""
    if not isinstance(tree, (Sequence, Mapping)):
        return None
    known = tree.items.values() if isinstance(tree, Mapping) else tree.items or ()
    held = [*known, *([] if tree.element is None else [tree.element])]
    return join_all(held) if held else None


def _field(name: str, tree: Value) -> Value | None:
    return tree.fields.get(name) if isinstance(tree, Instance) else None
