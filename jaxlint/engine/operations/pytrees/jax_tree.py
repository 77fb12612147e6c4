"""`jax.tree` functions on abstract pytrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import dtype_of, finds_traced, map_leaves, strongest
from jaxlint.engine.domain.special_values import Structure
from jaxlint.engine.domain.values import (
    BOOL,
    NONE,
    STATIC,
    STR,
    Concrete,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.truth import truth_of
from jaxlint.engine.operations.pytrees.tree_map import (
    as_leaf,
    leaf_test,
    leaf_values,
    ordered_keys,
    tree_map,
)
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]


def tree_leaves(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree = args.get(0, "tree")
    if isinstance(tree, Union):
        return _either(
            frame, [tree_leaves(machine, frame, node, _of(args, one)) for one in tree.options]
        )
    if tree is None or isinstance(tree, Unknown):
        return machine.unknown("leaves of an unknown tree")
    stops = leaf_test(machine, frame, node, args.get(1, "is_leaf"))
    leaves = [as_leaf(node, v) for v in leaf_values(tree, stops=stops)]
    if isinstance(tree, Instance) and not leaves:
        return machine.unknown("leaves of an object")
    if isinstance(tree, Traced) or any(isinstance(v, Unknown) for v in leaves):
        return Sequence("list", None, frame.trace, join_all(leaves), frame.path)
    return Sequence("list", leaves, frame.trace, None, frame.path)


def _of(args: Args, tree: Value) -> Args:
    """The same call with another tree."""
    given = {name: value for name, value in args.keywords.items() if name != "tree"}
    return Args([tree, *args.positional[1:]], given, args.rest, args.more, args.nodes)


def _either(frame: Frame, lists: list[Value]) -> Value:
    """One of several lists: place by place if they are equally long."""
    found = [one for one in lists if isinstance(one, Sequence)]
    lengths = {None if one.items is None else len(one.items) for one in found}
    if len(found) < len(lists) or len(lengths) > 1 or None in lengths:
        return join_all(lists)
    columns = zip(*(one.items or () for one in found), strict=True)
    return Sequence("list", [join_all([*c]) for c in columns], frame.trace, None, frame.path)


def tree_flatten(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    structure = tree_structure(machine, frame, node, args)
    return Sequence("tuple", [tree_leaves(machine, frame, node, args), structure], frame.trace)


def tree_unflatten(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    structure, leaves = args.get(0, "treedef"), args.get(1, "leaves")
    if leaves is None:
        return machine.unknown("unflattened tree")
    if isinstance(structure, Structure):
        made = rebuilt(machine, frame, structure.tree, leaves)
        if made is not None:
            return made
    traced = finds_traced(leaves)
    if traced is None:
        return machine.unknown("unflattened tree")
    return Traced(traced.trail.part(node), traced.kind, leaf=False)


def rebuilt(machine: Machine, frame: Frame, tree: Value, leaves: Value) -> Value | None:
    """A tree of known structure from known leaves, None where either is not known."""
    found = leaf_values(tree)
    doubtful = any(isinstance(v, (Unknown, Union)) for v in found) or _is_open(tree)
    if not isinstance(leaves, Sequence) or leaves.items is None or doubtful:
        return None
    if len(found) != len(leaves.items) or any(isinstance(v, Traced) and not v.leaf for v in found):
        return None
    return _rebuilt(frame, tree, iter(leaves.items))


def _is_open(tree: Value, depth: int = 5) -> bool:
    """Whether a tree may have leaves that are not known one by one."""
    if isinstance(tree, (Sequence, Mapping)):
        inner = list(tree.items.values()) if isinstance(tree, Mapping) else tree.items
        loose = inner is None or tree.element is not None or depth == 0
        return loose or any(_is_open(v, depth - 1) for v in inner or [])
    return isinstance(tree, Instance)


def _rebuilt(frame: Frame, tree: Value, leaves: Iterator[Value]) -> Value:
    if isinstance(tree, Sequence):
        items = [_rebuilt(frame, v, leaves) for v in tree.items or []]
        return Sequence(tree.kind, items, frame.trace, None, frame.path)
    if isinstance(tree, Mapping):
        made = {k: _rebuilt(frame, tree.items[k], leaves) for k in ordered_keys(tree)}
        return Mapping({k: made[k] for k in tree.items}, frame.trace, path=frame.path)
    if isinstance(tree, Static) and tree.const is None:
        return NONE
    return next(leaves)


def tree_reduce(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, tree = args.get(0, "function"), args.get(1, "tree")
    if func is None or tree is None or isinstance(tree, (Unknown, Union)):
        return machine.unknown("tree.reduce")
    stops = leaf_test(machine, frame, node, args.get(3, "is_leaf"))
    leaf = join_all([as_leaf(node, v) for v in leaf_values(tree, stops=stops)] or [NONE])
    start = args.get(2, "initializer") or leaf
    nodes = [args.node(1, "tree", node)] * 2
    return machine.call(frame, node, func, Args([start, leaf], nodes=nodes))


def tree_structure(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree = args.get(0, "tree")
    if tree is None or args.get(1, "is_leaf") is not None:
        return Static(kind="structure")
    return Structure(tree)


def tree_all(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`jax.tree.all`: every leaf is asked for its truth, until one is false."""
    tree = args.get(0, "tree")
    if tree is None or isinstance(tree, (Unknown, Union)):
        return BOOL
    place = args.node(0, "tree", node)
    stops = leaf_test(machine, frame, node, args.keywords.get("is_leaf"))
    for leaf in leaf_values(tree, stops=stops):
        answer = truth_of(machine, frame, place, leaf, "filter", "jax.tree.all")
        if answer is not True:
            return BOOL if answer is None else Static(False)
    return Static(True)


def _path(frame: Frame) -> Value:
    """Where a leaf is: a tuple of keys."""
    return Sequence("tuple", None, frame.trace, STATIC)


def leaves_with_path(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    leaves = tree_leaves(machine, frame, node, args)
    if not isinstance(leaves, Sequence):
        return leaves

    def pair(leaf: Value) -> Value:
        return Sequence("tuple", [_path(frame), leaf], frame.trace)

    known = None if leaves.items is None else list(map(pair, leaves.items))
    rest = None if leaves.element is None else pair(leaves.element)
    return Sequence("list", known, frame.trace, rest, frame.path)


def flatten_with_path(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    structure = tree_structure(machine, frame, node, args)
    pairs = leaves_with_path(machine, frame, node, args)
    return Sequence("tuple", [pairs, structure], frame.trace)


def map_with_path(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """As `tree.map`, the function takes the path before the leaf."""
    if not args.positional:
        return machine.unknown("tree.map")
    func, *rest = args.positional
    applied = Partial(func, (_path(frame),), {}, frame.loop)
    inside = Args([applied, *rest], args.keywords, args.rest, args.more, args.nodes)
    return tree_map(machine, frame, node, inside)


def ravel(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`ravel_pytree`: one array, and a function that rebuilds the tree from such an array."""
    tree = args.get(0, "pytree")
    if tree is None or isinstance(tree, (Unknown, Union)):
        return machine.unknown("raveled tree")
    operands = leaf_values(tree)
    kinds = {dtype_of(leaf) for leaf in operands}
    flat = machine.operation(frame, node, operands, kinds.pop() if len(kinds) == 1 else "", 1)
    shapes = map_leaves(tree, _shape, frame.trace)
    unravel = Partial(LibraryName(RAVELED), (shapes,), {}, frame.loop)
    return Sequence("tuple", [flat, unravel], frame.trace)


def _shape(leaf: Value) -> Value:
    """What the function that rebuilds a tree keeps of a leaf: shape and dtype, no array."""
    if isinstance(leaf, Traced) and not leaf.leaf:
        return Unknown("raveled tree")
    return Static(kind=dtype_of(leaf))


def unravel(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree, *flat = args.positional
    outer = strongest(flat)

    def leaf(one: Value) -> Value:
        if isinstance(one, Unknown) and outer is not None:
            return Traced(outer.trail.part(node), outer.kind, leaf=False)
        if isinstance(one, Unknown):
            return one
        return machine.operation(frame, node, flat, dtype_of(one))

    return map_leaves(tree, leaf, frame.trace)


def path_text(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return STR


def mapped(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, identity: bool = False
) -> Value:
    """A pytree with each array put through a JAX operation (or copied)."""
    if isinstance(value, Unknown):
        return value

    def leaf(one: Value) -> Value:
        if isinstance(one, Traced):
            return Traced(
                one.trail.part(node),
                one.kind,
                one.dtype,
                one.rank,
                one.leaf,
            )
        if isinstance(one, (Concrete, NumPy)) and not identity:
            return machine.operation(frame, node, [one], one.dtype)
        if isinstance(one, Concrete):
            return copy(one)
        return one

    return map_leaves(value, leaf, frame.trace)


RAVELED = "jax.flatten_util.ravel_pytree(...)"
_SHORT: dict[str, Handler] = {
    "all": tree_all,
    "flatten": tree_flatten,
    "flatten_with_path": flatten_with_path,
    "leaves": tree_leaves,
    "leaves_with_path": leaves_with_path,
    "map": tree_map,
    "map_with_path": map_with_path,
    "reduce": tree_reduce,
    "structure": tree_structure,
    "unflatten": tree_unflatten,
}
HANDLERS: dict[str, Handler] = {
    **{f"jax.tree.{name}": handler for name, handler in _SHORT.items()},
    **{f"jax.tree_util.tree_{name}": handler for name, handler in _SHORT.items()},
    "jax.tree_util.keystr": path_text,
    "jax.flatten_util.ravel_pytree": ravel,
    RAVELED: unravel,
}
