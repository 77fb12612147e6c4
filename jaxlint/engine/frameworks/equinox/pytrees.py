"""Equinox's functions on pytrees: what is filtered and put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import is_made
from jaxlint.engine.domain.pytrees import INEXACT, map_leaves
from jaxlint.engine.domain.values import (
    BOOL,
    FALSE,
    NONE,
    NUMBERS,
    TRUE,
    Concrete,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
    join_all,
)
from jaxlint.engine.frameworks.equinox.layers import renewed
from jaxlint.engine.frameworks.equinox.replacing import tree_at
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
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
    if is_made(leaf):
        return True if integers else None
    if isinstance(leaf, (Unknown, Union)) or (isinstance(leaf, Traced) and not leaf.leaf):
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
    known = isinstance(spec, LibraryName) and spec.dotted in _TESTS

    def leaf(one: Value) -> Value:
        if isinstance(one, FrameworkObject):
            part = FrameworkObject(one.dotted, one.args, one.made, one.born)
            part.state = {**one.state, "kept": known and wanted}
            if "tree" in part.state and not known:
                part.state["tree"] = machine.unknown("leaf that a filter may keep")
            return part
        passes = None
        if known and isinstance(spec, LibraryName):
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
        return _combined_object(machine, frame, node, whole, held)
    if isinstance(whole, Sequence):
        return _combined_sequence(machine, frame, node, whole, held)
    if isinstance(whole, Mapping):
        return _combined_dict(machine, frame, node, whole, held)
    return _combined_leaves(machine, held)


def _combined_object(
    machine: Machine, frame: Frame, node: ir.Expr, whole: Instance, held: list[Value]
) -> Value:
    made = Instance(whole.cls, frame.trace, path=frame.path)
    for name in whole.fields:
        meta = name in whole.cls.meta
        inside = [_field(machine, node, part, name) for part in held]
        made.fields[name] = whole.fields[name] if meta else _combined(machine, frame, node, inside)
    return made


def _combined_sequence(
    machine: Machine, frame: Frame, node: ir.Expr, whole: Sequence, held: list[Value]
) -> Value:
    if whole.items is None:
        element = _combined(machine, frame, node, [_element(machine, node, p) for p in held])
        return Sequence(whole.kind, None, frame.trace, element, frame.path)
    rows = [_items(machine, node, part, len(whole.items)) for part in held]
    columns = zip(*rows, strict=True)
    items = [_combined(machine, frame, node, list(column)) for column in columns]
    return Sequence(whole.kind, items, frame.trace, None, frame.path)


def _combined_leaves(machine: Machine, held: list[Value]) -> Value:
    """One of several leaves: the object of a library, an array, or a value that is certain."""
    products = [part for part in held if isinstance(part, FrameworkObject)]
    if products:
        inside_trace = [part for part in products if "tree" in part.state]
        first = (inside_trace or products)[0]
        made_whole = FrameworkObject(first.dotted, first.args, first.made, first.born)
        made_whole.state = {k: v for k, v in first.state.items() if k != "kept"}
        return made_whole
    arrays = [part for part in held if isinstance(part, (Concrete, NumPy)) or _is_leaf(part)]
    if arrays:
        return arrays[0]
    certain = [part for part in held if not isinstance(part, Traced)]
    if certain and not any(isinstance(part, (Unknown, Union)) for part in held):
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
        return Traced(part.trail.part(node), part.kind, leaf=False)
    return machine.unknown("part of a pytree")


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
