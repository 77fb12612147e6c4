"""What is known of single arrays: the lengths of their axes, that they are zero or that nothing was
written into them yet, and which array of the host a tracer stands for."""

from __future__ import annotations

import math
from copy import copy
from typing import Final

from jaxlint.base.dataclass import replace, slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import dtype_value
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.array_values import Dims
from jaxlint.engine.domain.pytrees import is_promised
from jaxlint.engine.domain.shapes import broadcast, multiplied
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import (
    INT,
    NUMBERS,
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
    shape: Dims | None
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


def examples(machine: Machine, args: Args) -> Args:
    """Arguments that give shapes and dtypes alone to what runs: what they hold does not matter."""
    if not machine.arrays:
        return args

    def example(value: Value) -> Value:
        known = extent(machine, value)
        if known is None or known.blank is None:
            return value
        made = copy(value)
        machine.arrays[id(made)] = replace(known, array=made, blank=None)
        return made

    return args.refilled(list(map(example, args.values())))


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
    shape = multiplied(*shapes) if op == "@" else broadcast(shapes)
    if shape is not None and id(result) not in machine.arrays:
        machine.arrays[id(result)] = Extent(result, shape, None)


def _shape_of(machine: Machine, value: Value) -> Dims | None:
    if isinstance(value, Static):
        return () if value.kind in NUMBERS else None
    known = extent(machine, value)
    if known is not None:
        return known.shape
    return () if isinstance(value, (Traced, Concrete)) and _is_scalar(value) else None


def _is_scalar(value: Traced | Concrete) -> bool:
    return value.rank == 0 and not is_promised(value)
