"""What is known of single arrays: the lengths of their axes, that they are zero or that nothing was
written into them yet, and which array of the host a tracer stands for."""

from __future__ import annotations

import math
from typing import Any, Final

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.dtypes import dtype_value
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import (
    INT,
    SHAPE,
    STATIC,
    Concrete,
    NumPy,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.inference.lengths import EXTENT, EXTENTS, is_long
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# No more arrays are kept.
MOST_ARRAYS: Final = 4096
Shape = tuple[int | None, ...]
STATIC_KINDS: Final[dict[str, Static]] = {
    "shape": SHAPE,
    "ndim": INT,
    "size": INT,
    "nbytes": INT,
    "itemsize": INT,
    "dtype": Static(kind="dtype"),
}


# No more results of operators are kept.
MOST_COMBINED: Final = 2048


@slotted(frozen=True)
class Extent:
    """What is known of one array, which is kept with it: an identity must not be used again.
    `zero` is the expression that filled it with zeros, `source` the array that a parameter of
    traced code is given."""

    array: Value
    shape: Shape | None
    blank: ir.Expr | None
    zero: ir.Expr | None = None
    source: Value | None = None

    def told(self) -> tuple[object, ...] | None:
        """What tells calls apart that are given the array."""
        known = self.shape, self.blank is not None, self.zero is not None
        return known if any(one is not None and one is not False for one in known) else None


def extent(machine: Machine, value: Value) -> Extent | None:
    """What is known of an array."""
    found = machine.arrays.get(id(value)) if machine.arrays else None
    return found if isinstance(found, Extent) else None


def entered(machine: Machine, array: Value, made: Traced) -> None:
    """A tracer stands for an array in the trace that is given it."""
    known = extent(machine, array)
    zero, source = (None, None) if known is None else (known.zero, known.source)
    source = array if isinstance(array, (Concrete, OpaqueArray)) else source
    if (zero or source is not None) and len(machine.arrays) < MOST_ARRAYS:
        machine.arrays[id(made)] = Extent(made, None, None, zero, source)


def static_of(machine: Machine, frame: Frame, value: Traced | Concrete | NumPy, attr: str) -> Value:
    """A static attribute of an array."""
    rank = None if isinstance(value, NumPy) else value.rank
    known = extent(machine, value)
    dims = () if rank == 0 else None if known is None else known.shape
    if attr == "shape" and dims is None:
        return EXTENTS if is_long(value) else SHAPE
    if attr == "shape":
        sizes: list[Value] = [INT if one is None else Static(one) for one in dims or ()]
        return Sequence("tuple", sizes, frame.trace)
    if attr == "size" and dims is not None and None not in dims:
        return Static(math.prod(one for one in dims if one is not None))
    if attr == "ndim" and (dims is not None or rank is not None):
        return Static(len(dims) if dims is not None else rank)
    return dtype_value(value) if attr == "dtype" else STATIC_KINDS.get(attr, STATIC)


def length_of(machine: Machine, value: Value | None) -> Static:
    """`len(value)`, where that is no constant."""
    known = None if value is None else extent(machine, value)
    if known is not None and known.shape and known.shape[0] is not None:
        return Static(known.shape[0])
    return EXTENT if is_long(value) else INT


def combined_extent(machine: Machine, op: str, left: Value, right: Value, result: Value) -> None:
    """Notes how long the axes of the result of an operator are, where those of its operands are
    known."""
    if not machine.arrays or len(machine.arrays) >= MOST_COMBINED:
        return
    if result is left or result is right or not isinstance(result, (Traced, Concrete)):
        return
    shapes = [_shape_of(machine, one) for one in (left, right)]
    if shapes[0] is None or shapes[1] is None:
        return
    shape = (_multiplied if op == "@" else _broadcast)(shapes[0], shapes[1])
    if shape is not None and id(result) not in machine.arrays:
        machine.arrays[id(result)] = Extent(result, shape, None)


def _shape_of(machine: Machine, value: Value) -> Shape | None:
    if isinstance(value, Static):
        return () if value.kind in ("int", "float", "bool", "complex") else None
    known = extent(machine, value)
    if known is not None:
        return known.shape
    return () if isinstance(value, (Traced, Concrete)) and _is_scalar(value) else None


def _is_scalar(value: Traced | Concrete) -> bool:
    return value.rank == 0 and not (isinstance(value, Traced) and value.weak)


def _broadcast(left: Shape, right: Shape) -> Shape | None:
    """The shape of arrays that are broadcast against each other, None where they do not fit."""
    least, most = sorted((left, right), key=len)
    padded = (*(1 for _ in range(len(most) - len(least))), *least)
    found: list[int | None] = []
    for one, other in zip(padded, most, strict=True):
        if one == other or other == 1:
            found.append(one)
        elif one == 1:
            found.append(other)
        elif one is None or other is None:
            found.append(one or other)
        else:
            return None
    return tuple(found)


def _multiplied(left: Shape, right: Shape) -> Shape | None:
    """The shape of a product of matrices and vectors."""
    if not 1 <= len(left) <= 2 or not 1 <= len(right) <= 2:
        return None
    return (*left[:-1], *(right[1:] if len(right) == 2 else ()))


def reduced_shape(shape: Shape, axis: Value, keeps: bool) -> Shape | None:
    """The shape of what is computed along axes: all of them for None."""
    items = axis.items if isinstance(axis, Sequence) else [axis]
    numbers: list[Any] = [
        one.const if isinstance(one, Static) else ... for one in items or [Static(...)]
    ]
    if numbers == [None]:
        numbers = [*range(len(shape))]
    if not all(type(one) is int and -len(shape) <= one < len(shape) for one in numbers):
        return None
    gone = {one % len(shape) for one in numbers}
    kept = (1 if at in gone else size for at, size in enumerate(shape))
    left = (size for at, size in enumerate(shape) if at not in gone)
    return tuple(kept if keeps else left)
