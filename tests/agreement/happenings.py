"""Notes what happens on the lines of a project: conversions of tracers, warnings, and random keys
that are consumed. The observer imports it into the project's process."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax._src import core
from observations import AGAIN, ALIKE, FRESH, UNKNOWN

Place = tuple[str, int]
Where = Callable[[types.FrameType], Iterator[Place]]
"""The lines of the project on the stack of a frame, innermost first."""

KEEPING = frozenset({"fold_in", "clone", "key_data", "key_impl", "wrap_key_data"})
"""The functions of `jax.random` that take a key and do not consume it."""

MOST_LINES = 8
"""On how many lines of the stack, from within, the use of a key is noted."""

_CONVERSIONS = ("__bool__", "__int__", "__float__", "__complex__", "__index__", "__array__")


class Happenings:
    """Counts by file and line."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self.conversions: Counter[tuple[str, int, str, bool]] = Counter()
        self.warnings: Counter[tuple[str, int, str]] = Counter()
        self.keys: Counter[tuple[str, int, str]] = Counter()
        self._consumed = Consumed()

    def patch(self) -> None:
        """Listens to JAX and to `warnings.warn`."""
        for name in _CONVERSIONS:
            if name in vars(core.Tracer):
                self._patch_conversion(name)
        self._patch_warnings()
        for name in consumers():
            self._patch_consumer(name)

    def _place(self) -> Place | None:
        """The innermost line of the project that runs."""
        return next(self._where(sys._getframe(2)), None)

    def _patch_conversion(self, name: str) -> None:
        plain = getattr(core.Tracer, name)

        @functools.wraps(plain)
        def converted(tracer: Any, *args: Any, **kwargs: Any) -> Any:
            place = self._place()
            done = False
            try:
                result = plain(tracer, *args, **kwargs)
                done = True
                return result
            finally:
                if place is not None:
                    self.conversions[(*place, name, done)] += 1

        setattr(core.Tracer, name, converted)

    def _patch_warnings(self) -> None:
        plain = warnings.warn

        @functools.wraps(plain)
        def warn(
            message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any
        ) -> None:
            place = self._place()
            if place is not None:
                given = type(message) if isinstance(message, Warning) else category
                self.warnings[(*place, getattr(given, "__name__", "UserWarning"))] += 1
            plain(message, category, stacklevel + 1, *args, **kwargs)

        warnings.warn = warn

    def _patch_consumer(self, name: str) -> None:
        plain = getattr(jax.random, name)

        @functools.wraps(plain)
        def consuming(*args: Any, **kwargs: Any) -> Any:
            key = args[0] if args else kwargs.get("key")
            known = self._consumed.add(key)
            if known:
                lines = dict.fromkeys(self._where(sys._getframe(1)))
                for place in list(lines)[:MOST_LINES]:
                    self.keys[(*place, known)] += 1
            return plain(*args, **kwargs)

        setattr(jax.random, name, consuming)


def consumers() -> list[str]:
    """The functions of `jax.random` that consume the key that they are given first."""
    found = []
    for name, function in vars(jax.random).items():
        if name.startswith("_") or name in KEEPING or not inspect.isfunction(function):
            continue
        if next(iter(inspect.signature(function).parameters), None) == "key":
            found.append(name)
    return sorted(found)


class Consumed:
    """The random keys that were consumed: the objects while they live, and the contents."""

    def __init__(self) -> None:
        self._objects: dict[int, weakref.ref[Any]] = {}
        self._contents: set[bytes] = set()

    def add(self, key: Any) -> str:
        """Takes in a key that is consumed; what was known of it, "" where it is no key."""
        if not isinstance(key, (jax.Array, core.Tracer)):
            return ""
        number = id(key)
        known = self._objects.get(number)
        if known is not None and known() is key:
            return AGAIN
        self._objects[number] = weakref.ref(key)
        if isinstance(key, core.Tracer):
            return UNKNOWN
        content = _content(key)
        found = ALIKE if content in self._contents else FRESH
        self._contents.add(content)
        return found


def _content(key: Any) -> bytes:
    typed = jax.dtypes.issubdtype(key.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(key) if typed else key).tobytes()
