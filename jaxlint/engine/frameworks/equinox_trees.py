"""Equinox's functions on pytrees: what is filtered, put together and replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.engine.arguments import Args
from jaxlint.engine.frameworks.equinox_layers import renewed
from jaxlint.engine.hooks import Product
from jaxlint.engine.machine import Machine
from jaxlint.engine.state import Frame
from jaxlint.engine.trail import Trail
from jaxlint.engine.trees import INEXACT, NUMBERS, map_leaves
from jaxlint.engine.values import (
    BOOL,
    FALSE,
    NONE,
    TRUE,
    Choice,
    Concrete,
    External,
    Function,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    is_none,
    join_all,
)
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
Step = str | int
# Tests of a leaf: whether numbers of Python count, whether arrays of integers do.
_TESTS = {
    "equinox.is_array": (False, True),
    "equinox.is_array_like": (True, True),
    "equinox.is_inexact_array": (False, False),
    "equinox.is_inexact_array_like": (True, False),
}
_INEXACT = frozenset({"float", "complex", INEXACT})


def _passes(spec: str, leaf: Value) -> bool | None:
    """Whether a leaf passes a test, None where that is not known."""
    numbers, integers = _TESTS[spec]
    if isinstance(leaf, (Unknown, Choice)) or (isinstance(leaf, Traced) and not leaf.leaf):
        return None
    if isinstance(leaf, Static) and numbers:
        return leaf.kind in NUMBERS and (integers or leaf.kind in _INEXACT) if leaf.kind else None
    if not isinstance(leaf, (Traced, Concrete, NumPy)):
        return False
    if integers:
        return True
    return leaf.dtype in _INEXACT if leaf.dtype else None


def is_array(dotted: str) -> Handler:
    """The test of this name, applied to one value."""

    def test(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        value = args.get(0, "element")
        passes = None if value is None else _passes(dotted, value)
        return BOOL if passes is None else TRUE if passes else FALSE

    return test


def _kept(machine: Machine, frame: Frame, tree: Value, spec: Value | None, wanted: bool) -> Value:
    """The leaves that pass a test, or do not; None is in the place of the others."""
    known = isinstance(spec, External) and spec.dotted in _TESTS

    def leaf(one: Value) -> Value:
        if isinstance(one, Product):
            part = Product(one.dotted, one.args, one.made, one.born)
            part.state = {**one.state, "kept": known and wanted}
            if "tree" in part.state and not known:
                part.state["tree"] = machine.unknown("leaf that a filter may keep")
            return part
        passes = None
        if known and isinstance(spec, External):
            passes = _passes(spec.dotted, one)
        if passes is None:
            return machine.unknown("leaf that a filter may keep")
        return one if passes is wanted else NONE

    return map_leaves(tree, leaf, frame.trace)


def partition(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree, spec = args.get(0, "pytree"), args.get(1, "filter_spec")
    if tree is None or "replace" in args.keywords:
        return machine.unknown("partition")
    parts = [_kept(machine, frame, tree, spec, wanted) for wanted in (True, False)]
    return Sequence("tuple", parts, frame.trace)


def filtered(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    tree, spec = args.get(0, "pytree"), args.get(1, "filter_spec")
    inverse = args.get(2, "inverse")
    if tree is None or "replace" in args.keywords:
        return machine.unknown("filter")
    if inverse is not None and not (isinstance(inverse, Static) and inverse.known):
        return machine.unknown("filter")
    wanted = not (isinstance(inverse, Static) and inverse.const)
    return _kept(machine, frame, tree, spec, wanted)


def combine(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if args.rest is not None or not args.positional:
        return machine.unknown("combine")
    return _combined(machine, frame, node, args.positional)


def _combined(machine: Machine, frame: Frame, node: ir.Expr, parts: list[Value]) -> Value:
    """Where one part has None, what another has. Parts are taken to complete each other."""
    held = [part for part in parts if not is_none(part)]
    if len(held) <= 1:
        return held[0] if held else NONE
    whole = next((p for p in held if isinstance(p, (Instance, Sequence, Mapping))), None)
    if isinstance(whole, Instance):
        made = Instance(whole.cls, frame.trace, path=frame.path)
        for name in whole.fields:
            meta = name in whole.cls.meta
            inside = [_field(machine, node, part, name) for part in held]
            made.fields[name] = (
                whole.fields[name] if meta else _combined(machine, frame, node, inside)
            )
        return made
    if isinstance(whole, Sequence) and whole.items is not None:
        rows = [_items(machine, node, part, len(whole.items)) for part in held]
        columns = zip(*rows, strict=True)
        items = [_combined(machine, frame, node, list(column)) for column in columns]
        return Sequence(whole.kind, items, frame.trace, None, frame.path)
    if isinstance(whole, Sequence):
        element = _combined(machine, frame, node, [_element(machine, node, p) for p in held])
        return Sequence(whole.kind, None, frame.trace, element, frame.path)
    if isinstance(whole, Mapping):
        return _combined_dict(machine, frame, node, whole, held)
    products = [part for part in held if isinstance(part, Product)]
    if products:
        inside_trace = [part for part in products if "tree" in part.state]
        first = (inside_trace or products)[0]
        made_whole = Product(first.dotted, first.args, first.made, first.born)
        made_whole.state = {k: v for k, v in first.state.items() if k != "kept"}
        return made_whole
    arrays = [part for part in held if isinstance(part, (Concrete, NumPy)) or _is_leaf(part)]
    if arrays:
        return arrays[0]
    certain = [part for part in held if not isinstance(part, Traced)]
    if certain and not any(isinstance(part, (Unknown, Choice)) for part in held):
        return certain[0]
    return machine.unknown("combined leaf")


def _combined_dict(
    machine: Machine, frame: Frame, node: ir.Expr, whole: Mapping, held: list[Value]
) -> Value:
    items: dict[Any, Value] = {}
    for key in whole.items:
        inside = [
            part.items[key]
            if isinstance(part, Mapping) and key in part.items
            else _below(machine, node, part)
            for part in held
        ]
        items[key] = _combined(machine, frame, node, inside)
    element = None
    if whole.element is not None:
        element = _combined(machine, frame, node, [_element(machine, node, p) for p in held])
    return Mapping(items, frame.trace, element, whole.open, frame.path)


def _element(machine: Machine, node: ir.Expr, part: Value) -> Value:
    """What any element of a container is that are not known one by one."""
    if isinstance(part, Sequence) and (part.items or part.element is not None):
        return join_all([*(part.items or ()), *([part.element] if part.element else [])])
    if isinstance(part, Mapping) and part.element is not None:
        return part.element
    return _below(machine, node, part)


def _is_leaf(part: Value) -> bool:
    return isinstance(part, Traced) and part.leaf


def _field(machine: Machine, node: ir.Expr, part: Value, name: str) -> Value:
    if isinstance(part, Instance):
        return part.fields.get(name) or machine.unknown("field")
    return _below(machine, node, part)


def _items(machine: Machine, node: ir.Expr, part: Value, count: int) -> list[Value]:
    if isinstance(part, Sequence) and part.items is not None and len(part.items) == count:
        return part.items
    return [_below(machine, node, part)] * count


def _below(machine: Machine, node: ir.Expr, part: Value) -> Value:
    """What is under a part that may be a pytree."""
    if isinstance(part, Traced) and not part.leaf:
        return Traced(Trail(node, part.trail, part.trail.entry), part.kind, leaf=False)
    return machine.unknown("part of a pytree")


# -- replacing leaves ----------------------------------------------------------------------------


def tree_at(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`eqx.tree_at(lambda tree: tree.field, tree, value)`."""
    where, tree = args.get(0, "where"), args.get(1, "pytree")
    if tree is None:
        return machine.unknown("tree_at")
    paths = _paths(where)
    new = _replacements(machine, frame, node, args, paths)
    if paths is None or new is None:
        return map_leaves(tree, lambda _: machine.unknown("replaced leaf"), frame.trace)
    for path, value in zip(paths, new, strict=True):
        tree = _put(machine, frame, node, tree, path, value)
    return tree


def _replacements(
    machine: Machine, frame: Frame, node: ir.Expr, args: Args, paths: list[list[Step]] | None
) -> list[Value | Function] | None:
    """The new values, in the order of the paths; a function stands for what it makes of old."""
    if paths is None:
        return None
    made = args.keywords.get("replace_fn")
    if made is not None:
        return [made] * len(paths) if isinstance(made, Function) else None
    value = args.get(2, "replace")
    if value is None:
        return None
    if len(paths) == 1:
        return [_Value(value)]
    if isinstance(value, Sequence) and value.items is not None and len(value.items) == len(paths):
        return [_Value(item) for item in value.items]
    return None


class _Value(Value):
    """A value that is put in place, functions included."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


def _paths(where: Value | None) -> list[list[Step]] | None:
    """The places that `lambda tree: (tree.a, tree.b[0])` names, None where that is not known."""
    if not isinstance(where, Function) or len(where.node.params) != 1:
        return None
    body = where.node.body
    if len(body) != 1 or not isinstance(body[0], ir.Return) or body[0].value is None:
        return None
    result = body[0].value
    parts = result.items if isinstance(result, ir.Sequence) else (result,)
    paths = [_path(part, where.node.params[0].name) for part in parts]
    known = [path for path in paths if path is not None]
    return known if len(known) == len(paths) else None


def _path(node: ir.Expr, root: str) -> list[Step] | None:
    path: list[Step] = []
    while not isinstance(node, ir.Name):
        if isinstance(node, ir.Attribute):
            path.append(node.attr)
        elif isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const):
            if not isinstance(node.index.value, (int, str)):
                return None
            path.append(node.index.value)
        else:
            return None
        node = node.value
    return path[::-1] if node.id == root else None


def _put(
    machine: Machine, frame: Frame, node: ir.Expr, tree: Value, path: list[Step], value: Value
) -> Value:
    """A copy of a pytree with another value at a path."""
    if not path:
        if isinstance(value, _Value):
            return value.value
        return machine.call(frame, node, value, Args([tree], nodes=[node]))
    step, rest = path[0], path[1:]
    if isinstance(tree, Instance) and isinstance(step, str):
        made = Instance(tree.cls, frame.trace, path=frame.path)
        made.tree = tree.tree
        old = tree.fields.get(step) or machine.unknown("field")
        made.fields = {**tree.fields, step: _put(machine, frame, node, old, rest, value)}
        return made
    if isinstance(tree, Product) and isinstance(step, str) and not rest:
        copy = Product(tree.dotted, tree.args, tree.made, tree.born)
        new = value.value if isinstance(value, _Value) else machine.unknown("replaced leaf")
        fields = {**tree.state.get("fields", {}), step: new}
        copy.state = {**tree.state, "fields": fields}
        return copy
    held = tree.items if isinstance(tree, Sequence) else None
    if isinstance(tree, Sequence) and held is not None and isinstance(step, int):
        if not -len(held) <= step < len(held):
            return machine.unknown("replaced part")
        items = list(held)
        items[step] = _put(machine, frame, node, items[step], rest, value)
        return Sequence(tree.kind, items, frame.trace, None, frame.path)
    if isinstance(tree, Mapping) and step in tree.items:
        known = dict(tree.items)
        known[step] = _put(machine, frame, node, known[step], rest, value)
        return Mapping(known, frame.trace, tree.element, tree.open, frame.path)
    return machine.unknown("replaced part")


def apply_updates(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    model = args.get(0, "model")
    if model is None:
        return machine.unknown("apply_updates")
    return renewed(machine, frame, node, model, [])


def as_it_was(at: int, name: str) -> Handler:
    """Gives back a pytree whose arrays are results of an operation."""

    def same(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        tree = args.get(at, name)
        return (
            machine.unknown("pytree") if tree is None else renewed(machine, frame, node, tree, [])
        )

    return same


TABLE: dict[str, Handler] = {
    **{dotted: is_array(dotted) for dotted in _TESTS},
    "equinox.partition": partition,
    "equinox.filter": filtered,
    "equinox.combine": combine,
    "equinox.tree_at": tree_at,
    "equinox.apply_updates": apply_updates,
    "equinox.error_if": as_it_was(0, "x"),
    "equinox.branched_error_if": as_it_was(0, "x"),
    "equinox.filter_shard": as_it_was(0, "x"),
    "equinox.debug.backward_nan": as_it_was(0, "x"),
    "equinox.tree_deserialise_leaves": as_it_was(1, "like"),
    "equinox.internal.nondifferentiable": as_it_was(0, "x"),
    "equinox.internal.nondifferentiable_backward": as_it_was(0, "x"),
    "equinox.internal.nonbatchable": as_it_was(0, "x"),
}
