"""`jax.tree` functions on abstract pytrees."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.machine import Args, Machine
from jaxlint.engine.state import Frame
from jaxlint.engine.trail import Trail
from jaxlint.engine.trees import map_leaves
from jaxlint.engine.values import (
    NONE,
    STATIC,
    Choice,
    Concrete,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    finds_traced,
    join_all,
)
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]


def leaf_values(value: Value, depth: int = 5) -> list[Value]:
    """The leaves of a pytree value."""
    if depth and isinstance(value, (Sequence, Mapping)):
        inner = (
            list(value.items.values()) if isinstance(value, Mapping) else list(value.items or [])
        )
        if value.element is not None:
            inner.append(value.element)
        return [leaf for one in inner for leaf in leaf_values(one, depth - 1)]
    if depth and isinstance(value, Instance) and value.cls.tree:
        return [leaf for one in value.fields.values() for leaf in leaf_values(one, depth - 1)]
    if isinstance(value, Static) and value.const is None:
        return []
    return [value]


def _as_leaf(node: ir.Node, value: Value) -> Value:
    """A leaf of a parameter that may be a pytree is an array."""
    if isinstance(value, Traced) and not value.leaf:
        trail = Trail(node, value.trail, value.trail.entry)
        return Traced(trail, value.kind)
    return value


def tree_map(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`jax.tree.map(f, tree, *rest)`: `f` is called on leaves, in the code around."""
    func = args.get(0, "f")
    tree = args.get(1, "tree")
    if func is None or tree is None:
        return machine.unknown("tree.map")
    if isinstance(tree, (Unknown, Choice)) or (finds_traced(tree) is None and frame.trace.is_host):
        return machine.unknown("tree.map over an unknown tree")
    rest = [
        join_all([_as_leaf(node, v) for v in leaf_values(t)] or [NONE]) for t in args.positional[2:]
    ]
    nodes = [args.node(1, "tree", node)] * (1 + len(rest))

    def apply(leaf: Value) -> Value:
        return machine.call(frame, node, func, Args([_as_leaf(node, leaf), *rest], nodes=nodes))

    if isinstance(tree, Traced) and not tree.leaf:
        result = apply(tree)
        if isinstance(result, Traced):
            return Traced(result.trail, result.kind, leaf=False)
        return machine.unknown("tree.map over a parameter")
    return map_leaves(tree, apply, frame.trace)


def tree_leaves(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree = args.get(0, "tree")
    if tree is None or isinstance(tree, (Unknown, Choice)):
        return machine.unknown("leaves of an unknown tree")
    leaves = [_as_leaf(node, v) for v in leaf_values(tree)]
    if isinstance(tree, Traced) or any(isinstance(v, Unknown) for v in leaves):
        return Sequence("list", None, frame.trace, join_all(leaves), frame.path)
    return Sequence("list", leaves, frame.trace, None, frame.path)


def tree_flatten(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return Sequence("tuple", [tree_leaves(machine, frame, node, args), STATIC], frame.trace)


def tree_unflatten(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    leaves = args.get(1, "leaves")
    traced = None if leaves is None else finds_traced(leaves)
    if traced is None:
        return machine.unknown("unflattened tree")
    return Traced(Trail(node, traced.trail, traced.trail.entry), traced.kind, leaf=False)


def tree_reduce(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, tree = args.get(0, "function"), args.get(1, "tree")
    if func is None or tree is None or isinstance(tree, (Unknown, Choice)):
        return machine.unknown("tree.reduce")
    leaf = join_all([_as_leaf(node, v) for v in leaf_values(tree)] or [NONE])
    start = args.get(2, "initializer") or leaf
    nodes = [args.node(1, "tree", node)] * 2
    return machine.call(frame, node, func, Args([start, leaf], nodes=nodes))


def tree_structure(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return STATIC


def unknown_tree(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return machine.unknown("tree function")


def mapped(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, identity: bool = False
) -> Value:
    """A pytree with each array put through a JAX operation (or copied)."""
    if isinstance(value, Unknown):
        return value

    def leaf(one: Value) -> Value:
        if isinstance(one, Traced):
            return Traced(
                Trail(node, one.trail, one.trail.entry), one.kind, one.dtype, one.rank, one.leaf
            )
        if isinstance(one, (Concrete, NumPy)) and not identity:
            return machine.operation(frame, node, [one], one.dtype)
        return one

    return map_leaves(value, leaf, frame.trace)


HANDLERS: dict[str, Handler] = {
    "jax.tree.map": tree_map,
    "jax.tree_util.tree_map": tree_map,
    "jax.tree.leaves": tree_leaves,
    "jax.tree_util.tree_leaves": tree_leaves,
    "jax.tree.flatten": tree_flatten,
    "jax.tree_util.tree_flatten": tree_flatten,
    "jax.tree.unflatten": tree_unflatten,
    "jax.tree_util.tree_unflatten": tree_unflatten,
    "jax.tree.reduce": tree_reduce,
    "jax.tree_util.tree_reduce": tree_reduce,
    "jax.tree.structure": tree_structure,
    "jax.tree_util.tree_structure": tree_structure,
    "jax.tree.all": unknown_tree,
    "jax.tree_util.tree_all": unknown_tree,
}
