"""Keys of abstract values: when two arguments are the same to the analysis."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.values import (
    UNSET,
    Choice,
    Class,
    Concrete,
    External,
    Function,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)


def key(value: Value, depth: int = 4) -> Any:
    """A hashable stand-in: equal keys mean that analysis with either gives the same result."""
    if isinstance(value, Traced):
        return ("t", value.kind, value.dtype, value.rank, value.leaf)
    if isinstance(value, Static):
        const = value.const
        if const is UNSET:
            return ("s", value.kind)
        return ("c", type(const), const) if _hashable(const) else ("s", "object")
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, NumPy):
        return ("n", value.dtype)
    if isinstance(value, Concrete):
        return ("k", value.dtype, value.rank)
    if isinstance(value, External):
        return ("e", value.dotted)
    if isinstance(value, Function) and not value.defaults:
        return ("f", id(value.node), id(value.frame))
    if depth and isinstance(value, Choice):
        return ("o", *(key(o, depth - 1) for o in value.options))
    if depth and isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        return ("q", *(key(i, depth - 1) for i in value.items))
    return ("i", id(value))


def shape_key(value: Value, depth: int = 5) -> Any:
    """As `key`, but containers compare by structure: for arguments that a transform rebuilds."""
    if depth and isinstance(value, Sequence):
        items = None if value.items is None else tuple(shape_key(i, depth - 1) for i in value.items)
        rest = None if value.element is None else shape_key(value.element, depth - 1)
        return ("q", value.kind, items, rest)
    if depth and isinstance(value, Mapping):
        known = tuple((k, shape_key(v, depth - 1)) for k, v in value.items.items())
        rest = None if value.element is None else shape_key(value.element, depth - 1)
        return ("m", known, rest, value.open)
    if depth and isinstance(value, Instance) and not value.generic:
        known = tuple((k, shape_key(v, depth - 1)) for k, v in value.fields.items())
        return ("x", id(value.cls), known)
    return key(value, depth)


def _hashable(const: Any) -> bool:
    return isinstance(const, (int, float, complex, str, bytes, bool, type(None)))


def shareable(value: Value) -> bool:
    """Whether the value may stand for the results of several calls: it has no identity."""
    if isinstance(value, Sequence):
        return (
            value.kind == "tuple" and value.items is not None and all(map(shareable, value.items))
        )
    if isinstance(value, Choice):
        return all(map(shareable, value.options))
    return isinstance(value, (Static, Traced, Concrete, Unknown, External, NumPy, Class))
