"""What is known of single arrays: the lengths of their axes, and that nothing was written into them
yet."""

from __future__ import annotations

import math
from typing import Final

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.environment import Frame
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

Shape = tuple[int | None, ...]
STATIC_KINDS: Final[dict[str, Static]] = {
    "shape": SHAPE,
    "ndim": INT,
    "size": INT,
    "nbytes": INT,
    "itemsize": INT,
    "dtype": Static(kind="dtype"),
}


@slotted(frozen=True)
class Extent:
    """What is known of one array, which is kept with it: an identity must not be used again."""

    array: Value
    shape: Shape | None
    blank: ir.Expr | None


def extent(machine: Machine, value: Value) -> Extent | None:
    """What is known of an array."""
    found = machine.arrays.get(id(value)) if machine.arrays else None
    return found if isinstance(found, Extent) else None


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
    return STATIC_KINDS.get(attr, STATIC)


def length_of(machine: Machine, value: Value | None) -> Static:
    """`len(value)`, where that is no constant."""
    known = None if value is None else extent(machine, value)
    if known is not None and known.shape and known.shape[0] is not None:
        return Static(known.shape[0])
    return EXTENT if is_long(value) else INT
