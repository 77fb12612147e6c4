"""How two abstract values join: what is known where either may hold."""

from __future__ import annotations

import functools
from typing import Final

from jaxlint.engine.domain.kinds.candidates import Candidates, alternatives, among
from jaxlint.engine.domain.kinds.value import (
    NONE,
    NonNone,
    Perhaps,
    Static,
    Union,
    Unknown,
    Value,
    options,
)

MOST_OPTIONS: Final = 4
# Tuples that nest deeper are not joined element by element.
MOST_NESTED: Final = 6


def join(a: Value, b: Value, depth: int = MOST_NESTED) -> Value:
    """What is known when either may hold. Unknown absorbs. Arrays join to a third one."""
    if a is b:
        return a
    if depth == 0:
        return Unknown("deeply nested")
    for one in (a, b):
        if isinstance(one, Candidates):
            found = [*alternatives(a), *alternatives(b)]
            if _are_definitions(found):
                return among(Unknown(one.reason), found)
    for one in (a, b):
        if isinstance(one, Unknown):
            present = a.is_present() and b.is_present()
            leafless = a.may_be_leafless() or b.may_be_leafless()
            return (NonNone if present else Perhaps if leafless else Unknown)(one.reason)
    if not isinstance(a, Union) and not isinstance(b, Union):
        plain = a.merged(b, depth)
        if plain is not None:
            return plain
    merged: list[Value] = []
    for value in (*options(a), *options(b)):
        for at, other in enumerate(merged):
            plain = value if value is other else other.merged(value, depth)
            if plain is not None:
                merged[at] = plain
                break
        else:
            merged.append(value)
    if len(merged) == 1:
        return merged[0]
    if len(merged) > MOST_OPTIONS:
        many = Unknown("too many alternatives")
        return among(many, merged) if _are_definitions(merged) else many
    return Union(tuple(merged))


def _are_definitions(values: list[Value]) -> bool:
    """Whether values are functions and classes, beside constants. Others are not followed through
    joins: objects and methods of presumed ones multiply."""
    return all(one.is_definition or isinstance(one, Static) for one in values)


def join_all(values: list[Value]) -> Value:
    """The join of several values, None for no value at all."""
    return functools.reduce(join, values) if values else NONE


def are_told_apart(a: Value, b: Value, depth: int) -> bool:
    """Whether a test may tell two values apart that are no arrays."""
    if not (a.is_told_apart or b.is_told_apart):
        return False
    if isinstance(a, Static) and isinstance(b, Static) and a.known and a.const != b.const:
        return True
    return depth <= 0 or a.merged(b, depth) is None
