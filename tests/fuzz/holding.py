"""What a value holds: tracers, anything else, or what cannot be looked into."""

from __future__ import annotations

import collections
import functools
import itertools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

TRACED, STATIC, OPAQUE = 1, 2, 4
"""Bits, so that several visits add up."""

DEPTH = 3
"""How deep an object holds what it may be said to hold. What is deeper belongs to others as well:
an object cannot be looked into that leads to tracers there only."""

MOST_PARTS = 1024
"""How many parts of containers and objects are searched, the outermost first."""

_Look = Callable[[Any], Iterable[Any]]


def kind_of(seen: int) -> str:
    """The name of what was seen on all visits together."""
    if seen & OPAQUE:
        return "opaque"
    return {TRACED: "traced", STATIC: "static"}.get(seen, "may")


def holds(value: Any, most: int = MOST_PARTS) -> int:
    """The bit of one value. A value of which `most` parts show no tracer, and which has more of
    them, cannot be looked into. Asks no tracer for anything."""
    found = STATIC
    # With how deep a part is, whether it is in an object, and whether it is out of sight.
    queue = collections.deque([(value, 0, False, False)])
    # By identity. The parts are kept alive, so that no other has their identity.
    searched: dict[tuple[int, bool], Any] = {}
    while queue:
        part, depth, is_inside, is_hidden = queue.popleft()
        look = _looks.get(type(part))
        if look is None:
            look = _looks[type(part)] = _look_of(type(part))
        if isinstance(look, int):
            if look == TRACED and not is_hidden:
                return TRACED
            found = found if look == STATIC else OPAQUE
        elif (id(part), is_hidden) not in searched:
            searched[id(part), is_hidden] = part
            is_inside = is_inside or look is _fields
            # A method of an object that holds a tracer is neither traced nor static.
            is_hidden = is_hidden or look is _owner or (is_inside and depth >= DEPTH)
            inner = list(itertools.islice(look(part), most + 1))
            if len(inner) > most:
                found = OPAQUE
            queue.extend((one, depth + 1, is_inside, is_hidden) for one in inner[:most])
            most -= min(len(inner), most)
    return found


def _items(value: Any) -> Iterable[Any]:
    return list(value)


def _pairs(value: Any) -> Iterable[Any]:
    for key in list(value):
        yield key
        yield value[key]


def _partial(value: Any) -> Iterable[Any]:
    return [value.func, *value.args, *value.keywords.values()]


def _owner(value: Any) -> Iterable[Any]:
    return [value.__self__]


def _fields(value: Any) -> Iterable[Any]:
    yield from getattr(value, "__dict__", {}).values()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                yield getattr(value, name, None)


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
        return _owner
    if issubclass(kind, Mapping):
        return _pairs
    return _items if issubclass(kind, _HOLDERS) else _fields


def _is_compiled(kind: type) -> bool:
    """Whether a type is that of the functions that `jax.jit` makes."""
    return kind.__name__ == "PjitFunction"


_looks: dict[type, _Look | int] = {}
