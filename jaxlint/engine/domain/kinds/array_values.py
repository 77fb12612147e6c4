"""Abstract arrays: tracers, arrays of JAX and NumPy, references."""

from __future__ import annotations

from copy import copy
from typing import Final, Literal

from jaxlint.engine.domain.kinds.value import Union, Value
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

TracerKind = Literal["abstract", "batch", "ad"]
"""The trace that a tracer belongs to: staged code, `vmap`, or `grad` and kin."""
# The kind of the tracers of a trace or a transform that is not staged, by its kind.
TRACER_KINDS: Final[dict[str, TracerKind]] = {"vmap": "batch", "shard": "batch", "ad": "ad"}


Strength = bool | str
"""Whether a dtype certainly does not give way to another: the width of the dtype where that is
known as well (`jaxlint.knowledge.arrays.widths`)."""


Dims = tuple[int | None, ...]
"""The lengths of the axes of an array, None for each that is not known."""


def _common(one: Dims | None, other: Dims | None) -> Dims | None:
    """The lengths that two arrays have in common."""
    if one is None or other is None or len(one) != len(other):
        return None
    both = tuple(m if m == n else None for m, n in zip(one, other, strict=True))
    return both if any(size is not None for size in both) else None


def _stronger(one: Strength, other: Strength) -> Strength:
    """What holds of both of two arrays."""
    return one if one == other else bool(one and other)


def _either(one: Provenance, other: Provenance) -> Provenance:
    """The trail of the first of two, as far as the other varies over the same axes of a mesh."""
    if one.spread == other.spread:
        return one
    made = copy(one)
    made.spread = None if one.spread is None or other.spread is None else one.spread & other.spread
    return made


class NumPy(Value):
    """A concrete NumPy array or scalar; what has `axes` is certainly no scalar. Identity is that of
    the array, for in-place changes."""

    __slots__ = ("axes", "changes", "dtype")

    is_object = True

    def __init__(self, dtype: str = "", axes: bool = False) -> None:
        self.dtype, self.axes = dtype, axes
        self.changes: list[tuple[int, ir.Node]] = []

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, NumPy):
            return None
        same = self.dtype == other.dtype and self.axes == other.axes
        dtype = self.dtype if self.dtype == other.dtype else ""
        return self if same else NumPy(dtype, self.axes and other.axes)


class Concrete(Value):
    """A concrete `jax.Array`, in host code or captured by traced code."""

    __slots__ = ("dims", "dtype", "rank", "strong")

    is_object = True

    def __init__(self, dtype: str = "", rank: int | None = None, strong: Strength = False) -> None:
        self.dtype = dtype
        self.dims: Dims | None = None
        self.rank, self.strong = rank, strong

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, Concrete):
            return None
        same = self.dtype == other.dtype and self.rank == other.rank
        strong, dims = _stronger(self.strong, other.strong), _common(self.dims, other.dims)
        same = same and self.dims == dims
        if same and type(self) is type(other) and self.strong == strong:
            return copy(self)
        dtype = self.dtype if self.dtype == other.dtype else ""
        rank = self.rank if self.rank == other.rank else None
        made = Concrete(dtype, rank, strong if dtype else False)
        made.dims = dims
        return made


class Traced(Value):
    """A tracer.

    `kind` is "abstract" (staged code), "batch" (`vmap`) or "ad" (`grad` and kin outside staged
    code: it carries a concrete value). `leaf` is False for a parameter that may be a pytree:
    then only uses that fail for containers as well may be reported. `strong` and `weak` tell that
    its dtype certainly stands, or gives way to another.
    """

    __slots__ = ("dims", "dtype", "kind", "leaf", "rank", "strong", "trail", "weak")

    def __init__(
        self,
        trail: Provenance,
        kind: TracerKind = "abstract",
        dtype: str = "",
        rank: int | None = None,
        leaf: bool = True,
        weak: bool = False,
        strong: Strength = False,
    ) -> None:
        self.trail, self.kind = trail, kind
        self.dtype, self.rank = dtype, rank
        self.leaf, self.weak, self.strong = leaf, weak, strong
        self.dims: Dims | None = None

    def is_present(self) -> bool:
        return self.leaf

    def __repr__(self) -> str:
        return f"Traced({self.kind}, {self.dtype or '?'}{'' if self.leaf else ', tree?'})"

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, Traced) or self.kind != other.kind or self.leaf != other.leaf:
            return None
        same = self.dtype == other.dtype and self.rank == other.rank
        strong, dims = _stronger(self.strong, other.strong), _common(self.dims, other.dims)
        told = self.weak <= other.weak and self.strong == strong and self.dims == dims
        trail = _either(self.trail, other.trail)
        if same and told and type(self) is type(other) and trail is self.trail:
            return copy(self)
        dtype = self.dtype if self.dtype == other.dtype else ""
        rank = self.rank if self.rank == other.rank else None
        made = Traced(trail, self.kind, dtype, rank, self.leaf, self.weak and other.weak)
        made.strong, made.dims = strong if dtype else False, dims
        return made


class Ref(Value):
    """A mutable array reference (`jax.Ref`, Pallas): reading gives an array, writing is legal."""

    __slots__ = ("trail",)

    def __init__(self, trail: Provenance) -> None:
        self.trail = trail


def as_traced(value: Value) -> Traced | None:
    """The tracer that a value is on every path, None where it may be something else."""
    if not isinstance(value, Union):
        return value if isinstance(value, Traced) else None
    found = [one for one in value.options if isinstance(one, Traced)]
    weakest = (one for one in found if not one.leaf)
    return None if len(found) < len(value.options) else next(weakest, found[0])
