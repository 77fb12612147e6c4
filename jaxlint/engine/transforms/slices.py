"""Arrays of one dimension less or more: what loops take of arrays, and make of what bodies give."""

from __future__ import annotations

from jaxlint.engine.domain.dtypes import is_strong
from jaxlint.engine.domain.pytrees import dtype_of, map_leaves
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import dims_of, with_dims
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Concrete, NumPy, Traced, Value
from jaxlint.engine.machine.machine import Machine


def element(
    machine: Machine,
    value: Value,
    born: Trace | None = None,
    axes: int = -1,
    length: int | None = None,
) -> Value:
    """One slice along the leading axis of each leaf, or so many slices together (`axes` is 1)."""

    def leaf(one: Value) -> Value:
        rank = None if isinstance(one, NumPy) else rank_of(one)
        inner = None if rank is None or rank + axes < 0 else rank + axes
        dims = None if isinstance(one, NumPy) else dims_of(one)
        dims = dims and (dims[1:] if axes < 0 else (length, *dims))
        if isinstance(one, Traced):
            kind = dtype_of(one)
            made = Traced(one.trail, one.kind, kind, inner, one.leaf, strong=one.strong)
            return with_dims(made, dims)
        if isinstance(one, OpaqueArray):
            return with_dims(one.along(inner), dims)
        if isinstance(one, (Concrete, NumPy)):
            return with_dims(Concrete(dtype_of(one), inner, is_strong(one)), dims)
        return one

    return map_leaves(value, leaf, machine.host if born is None else born)


def stacked(machine: Machine, value: Value, born: Trace, length: int | None = None) -> Value:
    """What loops make of the values that their bodies give one after the other."""
    return element(machine, value, born, axes=1, length=length)
