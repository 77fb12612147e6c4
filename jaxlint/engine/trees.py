"""Pytrees of abstract values: what a transform makes of arguments and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.engine.values import (
    NONE,
    Choice,
    Concrete,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    join,
)

NUMBERS = frozenset({"int", "float", "bool", "complex"})
LeafMap = Callable[[Value], Value]


def map_leaves(value: Value, leaf: LeafMap, born: Any, depth: int = 6) -> Value:
    """Rebuilds containers of a pytree, each leaf mapped; the copies are born in `born`."""
    if depth == 0:
        return Unknown("deep pytree")
    if isinstance(value, Sequence):
        items = value.items
        new = None if items is None else [map_leaves(i, leaf, born, depth - 1) for i in items]
        rest = value.element
        if rest is not None:
            rest = map_leaves(rest, leaf, born, depth - 1)
        return Sequence(value.kind, new, born, rest)
    if isinstance(value, Mapping):
        known = {k: map_leaves(v, leaf, born, depth - 1) for k, v in value.items.items()}
        rest = value.element
        if rest is not None:
            rest = map_leaves(rest, leaf, born, depth - 1)
        return Mapping(known, born, rest, value.open)
    if isinstance(value, Instance):
        return _map_instance(value, leaf, born, depth)
    if isinstance(value, Choice):
        mapped = [map_leaves(o, leaf, born, depth - 1) for o in value.options]
        result = mapped[0]
        for other in mapped[1:]:
            result = join(result, other)
        return result
    if isinstance(value, Static) and value.const is None:
        return NONE
    return leaf(value)


def _map_instance(value: Instance, leaf: LeafMap, born: Any, depth: int) -> Value:
    cls = value.cls
    if not cls.tree:
        return Unknown("object of a class that is no pytree")
    copy = Instance(cls, born)
    copy.tree = value.tree
    for name, field in value.fields.items():
        static = name in cls.meta if cls.tree == "leaves" else name not in cls.children
        copy.fields[name] = field if static else map_leaves(field, leaf, born, depth - 1)
    return copy


def dtype_of(value: Value) -> str:
    """The dtype kind of an array or number: "bool", "int", "float", "complex" or ""."""
    if isinstance(value, (Traced, Concrete, NumPy)):
        return value.dtype
    if isinstance(value, Static) and value.kind in NUMBERS:
        return value.kind
    return ""


def rank_of(value: Value) -> int | None:
    """The number of dimensions where it is known; Python numbers have none."""
    if isinstance(value, (Traced, Concrete)):
        return value.rank
    if isinstance(value, Static) and value.kind in NUMBERS:
        return 0
    return None


def is_number(value: Value) -> bool:
    return isinstance(value, Static) and value.kind in NUMBERS


def is_array(value: Value) -> bool:
    """Whether the value is certainly an array of some sort."""
    return isinstance(value, (Concrete, NumPy)) or (isinstance(value, Traced) and value.leaf)
