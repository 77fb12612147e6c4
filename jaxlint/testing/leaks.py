"""Finds tracers that outlived their trace, wherever a program may have put them."""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Iterable
from typing import Any

import jax

from jaxlint.verify.child.internals import home_of

_MOST_OBJECTS = 20_000
_DEPTH = 12
_OPAQUE = (
    types.ModuleType, types.CodeType, types.FrameType, types.TracebackType,
    types.BuiltinFunctionType, str, bytes, int, float, complex, bool, jax.Array,
)  # fmt: skip
_FOREIGN = ("jax", "jaxlib", "numpy")


def tracers_in(namespace: dict[str, Any], value: Any) -> list[str]:
    """The names under which a program still holds a tracer; "the value" is its last expression.

    Looks through containers, closures, default values, attributes of instances and classes,
    iterators and caches of `functools`, but not into modules and the libraries' own objects.
    """
    places = [(name, held) for name, held in namespace.items() if not name.startswith("__")]
    return [
        name for name, held in [*places, ("the value", value)] if _holds_tracer(held, namespace)
    ]


def _holds_tracer(root: Any, namespace: dict[str, Any]) -> bool:
    seen = {id(namespace)}
    level = [root]
    for _ in range(_DEPTH):
        below: list[Any] = []
        for held in level:
            if isinstance(held, jax.core.Tracer):
                return True
            if id(held) in seen or len(seen) > _MOST_OBJECTS:
                continue
            seen.add(id(held))
            below.extend(_inside(held, namespace))
        level = below
    return False


def _inside(held: Any, namespace: dict[str, Any]) -> Iterable[Any]:
    """What an object of the example refers to."""
    if isinstance(held, _OPAQUE):
        return ()
    if isinstance(held, types.FunctionType) and held.__globals__ is not namespace:
        return ()
    if isinstance(held, type) and home_of(held) != namespace["__name__"]:
        return ()
    if home_of(type(held)).partition(".")[0] in _FOREIGN:
        # A function made by a transform: the user's own function is inside.
        return filter(None, (getattr(held, "__wrapped__", None),))
    if isinstance(held, functools.partial):
        return (held.func, held.args, held.keywords)
    return gc.get_referents(held)
