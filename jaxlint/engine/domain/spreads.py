"""Over which axes of a mesh values in `shard_map` vary, as their trails tell."""

from __future__ import annotations

from copy import copy

from jaxlint.engine.domain.values import (
    MOST_NESTED,
    Concrete,
    LibraryName,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
)
from jaxlint.facts.spread import EVEN, UNTOLD, Spread

_EVEN = (Concrete, LibraryName, NumPy, Static)


def spread_of(value: Value, depth: int = MOST_NESTED) -> Spread:
    """Over which axes a value in `shard_map` varies: what Python knows is the same everywhere."""
    if isinstance(value, Traced):
        return value.trail.spread or UNTOLD
    if isinstance(value, _EVEN):
        return EVEN
    if isinstance(value, Union):
        first, *others = [spread_of(one, depth) for one in value.options]
        for one in others:
            first &= one
        return first
    if isinstance(value, (Sequence, Mapping)) and depth:
        inner = value.items is not None and not (isinstance(value, Mapping) and value.open)
        found = computed([*value.children()], depth - 1)
        return found if inner else Spread(found.over, False)
    return UNTOLD


def computed(operands: list[Value], depth: int = MOST_NESTED) -> Spread:
    """Over which axes the result of an operation on these varies."""
    found = EVEN
    for one in operands:
        found |= spread_of(one, depth)
    return found


def spread_over(value: Traced, spread: Spread | None) -> Traced:
    """The same tracer, which varies over these axes."""
    if value.trail.spread == spread:
        return value
    made = copy(value)
    made.trail = copy(value.trail)
    made.trail.spread = spread
    return made
