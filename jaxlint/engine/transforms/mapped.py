"""What `jax.vmap` asks of axes: those of arguments and of results, which are given as prefixes of
their trees.

Source: JAX documentation of `jax.vmap`; `tests/rules/vmap-axes-mismatch.md` runs each of these
contracts.
"""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_child, is_promised
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import dims_of
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import known, walk_values
from jaxlint.engine.domain.values import (
    NONE,
    Instance,
    Mapping,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.inference.array_parameters import default_of
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.inference.extents import extent
from jaxlint.engine.inference.lengths import Sized
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.inference.relative_lengths import unlike_lengths
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import describe, is_leaf, leaves, refuse, structure
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.engine.transforms.carries import is_scalar
from jaxlint.engine.transforms.operands import refuse_operand
from jaxlint.syntax import ir

VMAP = "jax.vmap"
_DEPTH = 5
# What an axis may be mistaken for.
_NO_AXES = {"float": "a float", "str": "a string", "bool": "a bool", "complex": "a complex"}


@slotted(frozen=True)
class _Pair:
    """A part of a tree and what is said of its axes: a number, None, or a tree that does not fit
    (`odd` tells what it is)."""

    value: Value
    axis: int | None
    odd: Value | None = None


def gained(record: TransformUse) -> int | None:
    """How many axes more the arrays have that a mapped function gives, where that is known."""
    out = record.out_axes
    whole = out is None or (isinstance(out, Static) and type(out.const) is int)
    return 1 if record.dotted == VMAP and whole else None


# -- options ---------------------------------------------------------------------------------------


def examine_axes(machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse) -> None:
    """`in_axes` of `vmap` is a number, None, or has an entry for each positional argument, and all
    in it and in `out_axes` are numbers."""
    if record.dotted != VMAP:
        return
    if isinstance(record.axes, Mapping):
        refuse(machine, frame, node, "axes-kind", "a dict")
        return
    for option, value in (("in_axes", record.axes), ("out_axes", record.out_axes)):
        for one in [] if value is None else walk_values(value, known, _DEPTH):
            if isinstance(one, Static) and one.kind in _NO_AXES:
                refuse(machine, frame, node, "axes-leaf", _NO_AXES[one.kind], option)
                return


# -- arguments -------------------------------------------------------------------------------------


def check_arguments(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """The arguments of a call have the axes that they are mapped along, of one length."""
    axes = record.axes
    each = axes.items if isinstance(axes, Sequence) and axes.kind in ("tuple", "list") else None
    if each is not None and args.rest is None and len(each) != len(args.positional):
        count = len(args.positional)
        refuse(machine, frame, node, "axes-count", str(len(each)), str(count))
        return
    if _maps_nothing(machine, frame, node, record, args):
        return
    params = signature(record.func)
    found: list[tuple[int, ir.Expr]] = []
    for at, value in enumerate(args.positional):
        axis = each[at] if each is not None else axes
        name = params[at].name if at < len(params) else ""
        place = args.node(at, "", node)
        if not _check_argument(machine, frame, place, record, value, axis, (name, "")):
            return
        found += [(size, place) for size in _sizes(machine, value, axis)]
    for name, value in args.keywords.items():
        place = args.keyword_nodes.get(name, node)
        if not _check_argument(machine, frame, place, record, value, None, (name, name)):
            return
        found += [(size, place) for size in _sizes(machine, value, None)]
    if not _check_sizes(machine, frame, record, found) or args.rest is not None:
        return
    here = {id(one.value) for one in node.args} if isinstance(node, ir.Call) else set()
    every = [one for at, one in enumerate(args.nodes) if _is_leading(axes, each, at)]
    written = [one for one in (*every, *args.keyword_nodes.values()) if id(one) in here]
    odd = unlike_lengths(machine, frame, written)
    if odd is not None:
        refuse(machine, frame, odd[0], "axes-sizes", *odd[1:3], unsure=odd[3])


def _is_leading(axes: Value | None, each: list[Value] | None, at: int) -> bool:
    """Whether an argument is mapped along its first axis."""
    axis = axes if each is None else each[at] if at < len(each) else NONE
    return axis is None or (isinstance(axis, Static) and axis.const == 0)


def _maps_nothing(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> bool:
    """Whether every axis is None, so that nothing tells how long the results are."""
    axes, size = record.axes, record.axis_size
    if axes is None or args.keywords or args.more is not None or args.rest is not None:
        return False
    if size is None or not is_none(size) or not args.positional:
        return False
    inside = [one for one in walk_values(axes, known, _DEPTH) if not known(one)]
    if not inside or not all(map(is_none, inside)):
        return False
    refuse(machine, frame, node, "axes-none")
    return True


def _check_argument(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    record: TransformUse,
    value: Value,
    axis: Value | None,
    names: tuple[str, str],
) -> bool:
    """Whether nothing is wrong with one argument and its axes: `names` are that of the parameter,
    and that of a keyword."""
    name, keyword = names
    default = default_of(machine, frame, place, value)
    for pair in _pairs(value if default is None else default, axis):
        if pair.odd is not None:
            _refuse_tree(machine, frame, place, "axes-tree", pair)
            return False
        if pair.axis is None:
            continue
        at, unsure = pair.axis, default is not None
        if not _check_mapped(machine, frame, place, pair.value, at, keyword, unsure):
            return False
        if unsure:
            continue
        if _is_number_by_default(frame, place, pair.value):
            detail = str(pair.axis)
            refuse(machine, frame, place, "axes-default", dotted_text(place), detail, unsure=True)
            return False
        about = function_name(record.func), record.dotted, name
        if refuse_operand(machine, frame, place, pair.value, *about):
            return False
    return True


def _pairs(value: Value, axis: Value | None, depth: int = _DEPTH) -> list[_Pair]:
    """The parts of a tree, each with what a prefix says of it, as far as both are known."""
    if axis is None:
        return [_Pair(value, 0)]
    if is_none(axis):
        return [_Pair(value, None)]
    if isinstance(axis, Static):
        return [_Pair(value, axis.const)] if type(axis.const) is int else []
    if isinstance(axis, (Unknown, Union)) or isinstance(value, (Unknown, Union)) or not depth:
        return []
    held = _matched(value, axis)
    if held is None:
        return [_Pair(value, None, axis)] if _differs(value, axis) else []
    return [pair for one, it in held for pair in _pairs(one, it, depth - 1)]


def _matched(value: Value, axis: Value) -> list[tuple[Value, Value]] | None:
    """The parts of two trees of the same form at the same places, None where they are not known to
    have the same form."""
    if isinstance(value, Sequence) and isinstance(axis, Sequence):
        items, axes = value.items, axis.items
        alike = structure(value) == structure(axis) != "" and items is not None
        if not alike or axes is None or items is None or len(items) != len(axes):
            return None
        return list(zip(items, axes, strict=True))
    if isinstance(value, Mapping) and isinstance(axis, Mapping):
        if not (_is_closed(value) and _is_closed(axis)) or value.items.keys() != axis.items.keys():
            return None
        return [(one, axis.items[key]) for key, one in value.items.items()]
    if isinstance(value, Instance) and isinstance(axis, Instance) and value.cls == axis.cls:
        shared = [n for n in value.fields if n in axis.fields and is_child(value.cls, n)]
        return [(value.fields[name], axis.fields[name]) for name in shared]
    return None


def _differs(value: Value, axis: Value) -> bool:
    """Whether two trees certainly have another form."""
    a, b = _form(value), _form(axis)
    if not a or not b:
        return False
    if a != b:
        return True
    if isinstance(value, Sequence) and isinstance(axis, Sequence):
        lengths = [None if one.items is None else len(one.items) for one in (value, axis)]
        return None not in lengths and lengths[0] != lengths[1]
    if isinstance(value, Mapping) and isinstance(axis, Mapping):
        closed = _is_closed(value) and _is_closed(axis)
        return closed and value.items.keys() != axis.items.keys()
    return False


def _form(value: Value) -> str:
    """What a value certainly is as a node of a tree, the name of a class for its objects."""
    if isinstance(value, Instance):
        cls = value.cls
        return f"a `{cls.name}`" if cls.tree == "leaves" and not cls.opaque else ""
    if isinstance(value, Sequence) and type(value) is not Sequence:
        return ""
    return structure(value)


def _is_closed(value: Mapping) -> bool:
    return not value.open and value.element is None


def _refuse_tree(machine: Machine, frame: Frame, place: ir.Node, kind: str, pair: _Pair) -> None:
    """Reports a prefix that does not fit."""
    value, axis = pair.value, pair.odd
    if isinstance(value, Mapping) and isinstance(axis, Mapping):
        odd = sorted(map(repr, value.items.keys() ^ axis.items.keys()))
        refuse(machine, frame, place, f"{kind}-keys", odd[0])
        return
    assert axis is not None
    refuse(machine, frame, place, kind, _word(value), _word(axis))


def _word(value: Value) -> str:
    return _form(value) if isinstance(value, Instance) else describe(value)


def _check_mapped(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    value: Value,
    axis: int,
    keyword: str,
    unsure: bool = False,
) -> bool:
    """An argument that is mapped is made of arrays with that axis; a default that has none is
    `unsure`, since another value may be passed."""
    for leaf in leaves(value):
        text = isinstance(leaf, Static) and leaf.kind in ("str", "bytes")
        if text or is_scalar(leaf) or _lacks(leaf, axis):
            what = ("a string" if text else describe(leaf)) + " by default" * unsure
            # A function of JAX made this, whichever of several functions runs.
            made = isinstance(leaf, Traced) and bool(leaf.strong)
            kind, at = "axes-argument", str(axis)
            refuse(machine, frame, place, kind, what, at, keyword, made, unsure)
            return False
    return True


def _is_number_by_default(frame: Frame, place: ir.Expr, value: Value) -> bool:
    """Whether this is a parameter of the function around, which is a number where nobody gives
    anything for it."""
    func = frame.home().func
    if func is None or not isinstance(place, ir.Name) or not isinstance(value, (Unknown, Union)):
        return False
    if place.id in bindings(func.body) or place.id in _tested(func):
        return False
    return any(
        one.name == place.id
        and isinstance(one.default, ir.Const)
        and type(one.default.value) in (float, int, complex)
        for one in func.params
    )


@answered_once
def _tested(func: ir.FunctionDef) -> frozenset[str]:
    """The names that a function asks something about before it goes on one way or another."""
    tests = [one.test for one in walk(func.body) if isinstance(one, (ir.If, ir.IfExp, ir.Assert))]
    return frozenset(one.id for test in tests for one in walk(test) if isinstance(one, ir.Name))


def _lacks(value: Value, axis: int) -> bool:
    rank = rank_of(value) if is_leaf(value) else None
    return rank is not None and not is_promised(value) and not -rank <= axis < rank


def _sizes(machine: Machine, value: Value, axis: Value | None) -> list[int]:
    """The lengths of the axes that the arrays of an argument are mapped along."""
    found: list[int] = []
    for pair in _pairs(value, axis):
        if pair.axis is None or pair.odd is not None:
            continue
        for leaf in leaves(pair.value):
            size = _size(machine, leaf, pair.axis)
            if size is not None:
                found.append(size)
    return found


def _size(machine: Machine, leaf: Value, axis: int) -> int | None:
    known_of = extent(machine, leaf)
    for shape in (None if known_of is None else known_of.shape, dims_of(leaf)):
        if shape is not None and -len(shape) <= axis < len(shape) and shape[axis] is not None:
            return shape[axis]
    return leaf.length if isinstance(leaf, Sized) and axis == 0 else None


def _check_sizes(
    machine: Machine, frame: Frame, record: TransformUse, found: list[tuple[int, ir.Expr]]
) -> bool:
    """Whether all that is mapped may have the same length."""
    size = record.axis_size
    if isinstance(size, Static) and type(size.const) is int:
        found = [(size.const, record.node), *found]
    for length, place in found[1:]:
        if length != found[0][0]:
            refuse(machine, frame, place, "axes-sizes", str(length), str(found[0][0]))
            return False
    return True


# -- results ---------------------------------------------------------------------------------------


def check_result(machine: Machine, trace: Trace, record: TransformUse, result: Value) -> None:
    """The results of a mapped function fit `out_axes`."""
    if record.out_axes is None:
        return
    frame = Frame("function", machine.globals, trace)
    place = record.definition or record.node
    for pair in _pairs(result, record.out_axes):
        if pair.odd is not None:
            _refuse_tree(machine, frame, place, "out-tree", pair)
            return
        for leaf in leaves(pair.value):
            if pair.axis is None:
                if _is_mapped(record, trace, leaf):
                    refuse(machine, frame, place, "out-none", describe(leaf))
                    return
            elif _lacks_outside(leaf, pair.axis):
                refuse(machine, frame, place, "out-axis", describe(leaf), str(pair.axis))
                return


def _lacks_outside(leaf: Value, axis: int) -> bool:
    """Whether a result has no such axis, with one more than inside the function."""
    rank = rank_of(leaf) if is_leaf(leaf) else None
    return rank is not None and not is_promised(leaf) and not -rank - 1 <= axis <= rank


def _is_mapped(record: TransformUse, trace: Trace, leaf: Value) -> bool:
    """Whether a result certainly differs from one element to the next: it is computed from what is
    mapped, and no collective operation makes it the same everywhere."""
    if not isinstance(leaf, Traced) or not leaf.leaf or record.binds or record.binds is None:
        return False
    trail = leaf.trail
    return leaf.kind == "batch" and trail.entry is trace.entry and not trail.optional
