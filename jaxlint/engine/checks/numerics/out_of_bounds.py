"""What is known of single arrays: how long they are, where that is written down, and that nothing
was written into them yet."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.array_values import Dims
from jaxlint.engine.domain.pytrees import is_number
from jaxlint.engine.domain.shapes import reduced
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import (
    Concrete,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.inference.extents import MOST_ARRAYS, Extent, extent
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]
_UNKNOWN = Unknown("index")
_DEPTH = 4


def met(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """An array function is given arrays, of which something may be known, and gave a result."""
    if machine.arrays:
        name = dotted.rpartition(".")[2]
        if name == "take":
            taken(machine, frame, node, bound)
        if name not in numerics.NOT_READ:
            for value, _ in bound.values():
                read(machine, frame, node, value)
    made(machine, node, dotted, bound, result)


def operated(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """An operator reads its operands."""
    if machine.arrays:
        for value, place in zip(values, nodes, strict=True):
            read(machine, frame, place, value)


def made(machine: Machine, node: ir.Expr, dotted: str, bound: Bound, result: Value) -> None:
    """An array function gave a result."""
    name = dotted.rpartition(".")[2]
    if name not in numerics.SHAPED_BY or not isinstance(result, (Traced, Concrete, OpaqueArray)):
        return
    shape = _shape(machine, name, bound)
    is_known = not isinstance(result, OpaqueArray)
    blank = is_known and name in numerics.BLANK and not (shape and 0 in shape)
    zero = node if name in numerics.ZEROS or _is_filled_with_zero(name, bound) else None
    if (shape is not None or blank or zero) and len(machine.arrays) < MOST_ARRAYS:
        machine.arrays[id(result)] = Extent(result, shape, node if blank else None, zero)


def _is_filled_with_zero(name: str, bound: Bound) -> bool:
    """Whether an array is made of a zero, or of a list of zeros."""
    if name in ("full", "full_like"):
        filled = bound.get("fill_value")
        return filled is not None and _are_zero(filled[0])
    given = (bound.get("object") or bound.get("a")) if name in ("array", "asarray") else None
    return given is not None and _are_zero(given[0])


def _are_zero(value: Value, depth: int = _DEPTH) -> bool:
    if isinstance(value, Sequence) and value.items and depth:
        return all(_are_zero(item, depth - 1) for item in value.items)
    return isinstance(value, Static) and type(value.const) in (int, float) and not value.const


def _shape(machine: Machine, name: str, bound: Bound) -> Dims | None:
    how = numerics.SHAPED_BY[name]
    if how == "like":
        like = bound.get("self") or next(iter(bound.values()), None)
        known = None if like is None or "shape" in bound else extent(machine, like[0])
        return None if known is None else known.shape
    if how == "reduced":
        return _reduced(machine, bound)
    if how == "data":
        found = bound.get("object") or bound.get("a")
        return None if found is None or "ndmin" in bound else _nested(machine, found[0])
    if how == "range":
        return _counted(bound)
    if how == "points":
        number = bound["num"][0] if "num" in bound else Static(50)
        return _dimensions(number)
    if how == "matrix":
        rows = bound.get("N") or bound.get("n")
        columns = bound.get("M") or rows
        if rows is None or columns is None:
            return None
        return _number(rows[0]), _number(columns[0])
    given = bound.get("shape") or bound.get("size")
    return None if given is None else _dimensions(given[0])


def _reduced(machine: Machine, bound: Bound) -> Dims | None:
    """The shape of what is computed along axes of an array."""
    array = bound.get("self") or next(iter(bound.values()), None)
    known = None if array is None else extent(machine, array[0])
    return None if known is None or known.shape is None else reduced(known.shape, bound)


def _dimensions(value: Value) -> Dims | None:
    """A shape argument: a number, or a tuple or list of numbers."""
    if isinstance(value, Static):
        return (value.const,) if type(value.const) is int else None
    if isinstance(value, Sequence) and value.items is not None:
        return tuple(_number(item) for item in value.items)
    return None


def _number(value: Value) -> int | None:
    const = value.const if isinstance(value, Static) else None
    return const if type(const) is int else None


def _counted(bound: Bound) -> Dims | None:
    """The length of `jnp.arange(start, stop, step)`."""
    consts: list[Any] = []
    for name in ("start", "stop", "step"):
        value = bound[name][0] if name in bound and not is_none(bound[name][0]) else None
        if value is not None and not (isinstance(value, Static) and value.known):
            return None
        consts.append(None if value is None else value.const)
    start, stop, step = consts
    if stop is None:
        start, stop = 0, start
    if not all(isinstance(n, (int, float)) for n in (start, stop, step or 1)):
        return None
    length = (float(stop) - float(start)) / float(step or 1)
    return (max(0, int(-(-length // 1))),) if abs(length) < 1 << 31 else None


def _nested(machine: Machine, value: Value, depth: int = _DEPTH) -> Dims | None:
    """The shape of what a list of lists of numbers becomes."""
    if is_number(value):
        return ()
    known = extent(machine, value)
    if known is not None:
        return known.shape
    if not isinstance(value, Sequence) or value.kind not in ("list", "tuple") or not depth:
        return None
    inner = [_nested(machine, item, depth - 1) for item in value.items or ()]
    if not inner or inner[0] is None or any(one != inner[0] for one in inner):
        return (0,) if value.items == [] else None
    return (len(inner), *inner[0])


# -- indices that are out of bounds --------------------------------------------------------------


def indexed(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Value, index: Value, update: bool
) -> None:
    """`base[index]` is read."""
    if update:
        return
    if machine.arrays and not _adds_axes(index):
        read(machine, frame, node, base)
    if isinstance(index, Static):
        _check(machine, frame, node, base, [index], node.value)
    elif isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        _check(machine, frame, node, base, index.items, node.value)


def updated(
    machine: Machine, frame: Frame, node: ir.Expr, array: Value, method: str, args: Args
) -> None:
    """`array.at[index].method(...)`: what is read, and where."""
    if method != "set" and machine.arrays:
        read(machine, frame, node, array)
    func = node.func if isinstance(node, ir.Call) else None
    place = func.value if isinstance(func, ir.Attribute) else None
    if not (isinstance(place, ir.Subscript) and isinstance(place.value, ir.Attribute)):
        return
    if "mode" not in args.keywords and args.more is None:
        written = place.index.items if isinstance(place.index, ir.Sequence) else (place.index,)
        parts = [_written(frame, one) for one in written]
        _check(machine, frame, place, array, parts, place.value.value)


def kept(machine: Machine, array: Value, result: Value) -> Value:
    """The result of an update: as long as the array was."""
    known = machine.arrays.get(id(array))
    if known is not None and known.shape is not None and isinstance(result, (Traced, Concrete)):
        machine.arrays[id(result)] = Extent(result, known.shape, None)
    return result


def _written(frame: Frame, node: ir.Expr) -> Value:
    """The index that an expression is, as far as that stands in the source."""
    if isinstance(node, ir.Slice):
        return Sequence("slice", None, None)
    if isinstance(node, ir.Const):
        return Static(node.value)
    number = number_of(term(frame, node))
    return Static(int(number)) if number is not None and number == int(number) else _UNKNOWN


def _check(
    machine: Machine,
    frame: Frame,
    node: ir.Subscript,
    base: Value,
    parts: list[Value],
    own: ir.Expr,
) -> None:
    past = _past(machine, base, parts)
    if past is not None:
        _report(machine, frame, node, "index-out-of-bounds", str(past[0]), str(past[1]))
        return
    single = len(parts) == 1 and not isinstance(parts[0], Sequence)
    if single and _is_length(frame, own, node.index):
        _report(machine, frame, node, "index-past-length", "", dotted_text(own))


def _past(machine: Machine, base: Value, parts: list[Value]) -> tuple[int, int] | None:
    """An index that is out of bounds, and the length that it exceeds."""
    known = extent(machine, base)
    if known is None or not known.shape:
        return None
    dims = list(known.shape)
    dots = next((n for n, one in enumerate(parts) if _is_ellipsis(one)), None)
    found = _first_past(parts[:dots], dims)
    if found is None and dots is not None:
        found = _first_past(parts[dots + 1 :][::-1], dims[::-1])
    return found


def _adds_axes(index: Value) -> bool:
    """Whether an index gives all elements with other axes: it is of `None` and `...`."""
    parts = index.items if isinstance(index, Sequence) and index.kind == "tuple" else [index]
    return bool(parts) and all(is_none(one) or _is_ellipsis(one) for one in parts or ())


def _is_ellipsis(value: Value) -> bool:
    return isinstance(value, Static) and value.const is ...


def _first_past(parts: list[Value], dims: list[int | None]) -> tuple[int, int] | None:
    at = 0
    for one in parts:
        if isinstance(one, Static) and one.const is None:
            continue
        slices = isinstance(one, Sequence) and one.kind == "slice"
        whole = isinstance(one, Static) and one.kind == "int"
        if not (slices or whole) or at >= len(dims):
            return None
        size, const = dims[at], one.const if isinstance(one, Static) else None
        if type(const) is int and size is not None and not -size <= const < size:
            return const, size
        at += 1
    return None


def _is_length(frame: Frame, own: ir.Expr, index: ir.Expr) -> bool:
    """Whether an index is the length of the very array: `x[len(x)]`, `x[x.shape[0]]`."""
    name = dotted_text(own)
    if not name or not isinstance(own, (ir.Name, ir.Attribute)):
        return False
    written = term(frame, index)
    node = written.resolved().node
    if node is not index and not written.scope.is_steady(name.partition(".")[0]):
        return False  # It may have been another array where its length was taken.
    if isinstance(node, ir.Call) and dotted_text(node.func) == "len" and len(node.args) == 1:
        given = node.args[0].value
        return isinstance(given, (ir.Name, ir.Attribute)) and dotted_text(given) == name
    if isinstance(node, ir.Subscript) and isinstance(node.value, ir.Attribute):
        first = isinstance(node.index, ir.Const) and node.index.value == 0
        owner = node.value.value
        plain = isinstance(owner, (ir.Name, ir.Attribute))
        return first and plain and node.value.attr == "shape" and dotted_text(owner) == name
    return False


def taken(machine: Machine, frame: Frame, node: ir.Expr, bound: Bound) -> None:
    """`jnp.take(array, index)`: what is not there is NaN."""
    array = bound.get("a") or bound.get("self")
    index = bound.get("indices")
    known = None if array is None else extent(machine, array[0])
    if known is None or known.shape is None or index is None or "mode" in bound:
        return
    axis = _number(bound["axis"][0]) if "axis" in bound else 0
    flat = "axis" not in bound and len(known.shape) != 1
    if flat or axis is None or not 0 <= axis < len(known.shape):
        return
    found = _first_past([index[0]], [known.shape[axis]])
    if found is not None:
        _report(machine, frame, node, "index-out-of-bounds", str(found[0]), str(found[1]))


# -- arrays that nothing was written into --------------------------------------------------------


def read(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> None:
    """The elements of a value are read."""
    known = extent(machine, value)
    if known is not None and known.blank is not None:
        func = known.blank.func if isinstance(known.blank, ir.Call) else known.blank
        if not machine.dynamic.idle:
            subject = dotted_text(func)
            misused(machine, frame, node, "blank-read", subject, place=known.blank)


def _report(
    machine: Machine, frame: Frame, node: ir.Expr, kind: str, subject: str, detail: str
) -> None:
    if not machine.dynamic.idle:
        misused(machine, frame, node, kind, subject, detail)


CHECK = Check(
    "out-of-bounds",
    on_array_result=(Named(met),),
    on_array_operation=operated,
    on_index=indexed,
    on_array_update=updated,
)
