"""What a value holds: tracers, anything else, or what cannot be looked into."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

TRACED, STATIC, OPAQUE = 1, 2, 4
"""Bits, so that several visits add up."""

DEPTH = 3
"""How deep containers and instances are searched."""

MOST_ITEMS = 64
"""How many items of a container are searched."""

_Look = Callable[[Any], Iterable[Any]]


def kind_of(seen: int) -> str:
    """The name of what was seen on all visits together."""
    if seen & OPAQUE:
        return "opaque"
    return {TRACED: "traced", STATIC: "static"}.get(seen, "may")


def holds(value: Any, depth: int = DEPTH) -> int:
    """The bit of one value. Asks no tracer for anything."""
    look = _looks.get(type(value))
    if look is None:
        look = _looks[type(value)] = _look_of(type(value))
    if isinstance(look, int):
        return look
    if depth == 0:
        return STATIC
    found = STATIC
    for item, _ in zip(look(value), range(MOST_ITEMS), strict=False):
        bit = holds(item, depth - 1)
        if bit == TRACED:
            return TRACED
        found |= bit & OPAQUE
    return OPAQUE if found & OPAQUE else STATIC


def _items(value: Any) -> Iterable[Any]:
    return list(value)


def _pairs(value: Any) -> Iterable[Any]:
    for key in list(value):
        yield key
        yield value[key]


def _partial(value: Any) -> Iterable[Any]:
    return [value.func, *value.args, *value.keywords.values()]


def _bound(value: Any) -> Iterable[Any]:
    """A method of what holds a tracer is neither one nor the other. Objects that hold methods of
    each other are searched once."""
    owner = id(value.__self__)
    if owner in _searched:
        return []
    _searched.add(owner)
    try:
        return [_OPAQUE] if holds(value.__self__, 2) & TRACED else []
    finally:
        _searched.discard(owner)


def _fields(value: Any) -> Iterable[Any]:
    yield from getattr(value, "__dict__", {}).values()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                yield getattr(value, name, None)


_OPAQUE = iter(())
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_CODE = (
    *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, staticmethod, classmethod),
)
_PLAIN = (int, float, complex, str, bytes, type(None), type(...), np.ndarray, np.generic, np.dtype)
_HOLDERS = (list, tuple, set, frozenset, collections.deque, *_VIEWS)


def _look_of(kind: type) -> _Look | int:
    """How to look into values of a type, or the bit that all of them have."""
    if issubclass(kind, jax.core.Tracer):
        return TRACED
    if issubclass(kind, (*_PLAIN, *_CODE, jax.Array)) or _is_compiled(kind):
        return STATIC
    if issubclass(kind, (Iterator, BaseException)):
        return OPAQUE
    if issubclass(kind, functools.partial):
        return _partial
    if issubclass(kind, types.MethodType):
        return _bound
    if issubclass(kind, Mapping):
        return _pairs
    return _items if issubclass(kind, _HOLDERS) else _fields


def _is_compiled(kind: type) -> bool:
    """Whether a type is that of the functions that `jax.jit` makes."""
    return kind.__name__ == "PjitFunction"


_looks: dict[type, _Look | int] = {}
# The objects whose methods are being looked into.
_searched: set[int] = set()
