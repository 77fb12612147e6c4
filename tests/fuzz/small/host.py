"""The state of the host: everything outside a trace that a line of a program can change."""

from __future__ import annotations

import collections
import functools
import io
import random
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

Key = tuple[Any, ...]
_DEPTH = 5
_CONTAINERS = (list, dict, set, collections.deque, bytearray)
_ITERATORS = frozenset(
    {"list_iterator", "tuple_iterator", "range_iterator", "dict_keyiterator", "enumerate", "zip"}
    | {"map", "filter", "reversed", "list_reverseiterator"}
)


@dataclass(frozen=True)
class Part:
    """One part of the state; `content` are the objects that it consists of, and keeps alive."""

    kind: str
    content: tuple[Any, ...]
    owner: object = None

    def differs(self, other: Part) -> bool:
        if len(self.content) != len(other.content):
            return True
        return any(
            a is not b and not _is_same(a, b)
            for a, b in zip(self.content, other.content, strict=True)
        )

    def gains_tracer(self, before: Part) -> bool:
        known = {id(each) for each in before.content}
        return any(_holds_tracer(each) for each in self.content if id(each) not in known)


def _is_same(one: Any, other: Any) -> bool:
    plain = (int, float, str, bytes, tuple, type(None))
    if isinstance(one, plain) and isinstance(other, plain):
        return type(one) is type(other) and repr(one) == repr(other)
    # A bound method is a new object on each access.
    return isinstance(one, types.MethodType) and one == other


def _holds_tracer(value: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))


class Survey:
    """Collects the parts of the state that are reachable from some roots."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.parts: dict[Key, Part] = {}
        self._owner: object = None

    def names(self, namespace: dict[str, Any]) -> None:
        for name, value in list(namespace.items()):
            if not name.startswith("__"):
                self.parts["name", name] = Part("name", (value,))
                self.reach(value)

    def locals(self, owner: object, values: dict[str, Any]) -> None:
        """The objects that a host function holds; its own bindings are no state."""
        self._owner = owner
        for value in list(values.values()):
            self.reach(value)
        self._owner = None

    def reach(self, value: Any, depth: int = _DEPTH) -> None:
        key = ("object", id(value))
        if key in self.parts or depth < 0 or isinstance(value, (jax.Array, types.ModuleType)):
            return
        for kind, content in self._described(value):
            part = Part(kind, content, self._owner)
            self.parts[key] = part
            for each in content:
                self.reach(each, depth - 1)
        for below in self._behind(value):
            self.reach(below, depth - 1)

    def _described(self, value: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
        if isinstance(value, dict):
            yield "container", (*value.keys(), *value.values())
        elif isinstance(value, set):
            yield "container", tuple(sorted(value, key=repr))
        elif isinstance(value, _CONTAINERS):
            yield "container", tuple(value)
        elif isinstance(value, np.ndarray):
            yield "container", (value.tobytes(),)
        elif isinstance(value, np.random.Generator):
            yield "rng", (repr(value.bit_generator.state),)
        elif isinstance(value, np.random.RandomState):
            yield "rng", (repr(value.get_state()),)
        elif isinstance(value, random.Random):
            yield "rng", (repr(value.getstate()),)
        elif isinstance(value, io.StringIO | io.BytesIO):
            yield "io", (len(value.getvalue()), value.tell())
        elif isinstance(value, io.TextIOWrapper):
            yield "io", (value.closed or value.tell(),)
        elif isinstance(value, types.GeneratorType):
            frame = value.gi_frame
            yield "iterator", () if frame is None else (frame.f_lasti, repr(frame.f_locals))
        elif type(value).__name__ in _ITERATORS:
            yield "iterator", (repr(value.__reduce__()[1:]),)
        elif type(value).__module__ == "itertools" and type(value).__name__ == "count":
            yield "iterator", (repr(value),)
        elif (
            isinstance(value, types.SimpleNamespace)
            or (isinstance(value, type) and value.__module__ == self.module)
            or (type(value).__module__ == self.module and hasattr(value, "__dict__"))
            or (isinstance(value, types.FunctionType) and value.__module__ == self.module)
        ):
            yield "attribute", self._attributes(vars(value))
        elif isinstance(value, types.CellType):
            yield "name", _cell(value)

    def _attributes(self, values: Any) -> tuple[Any, ...]:
        hidden = (types.FunctionType, classmethod, staticmethod, types.GetSetDescriptorType)
        return tuple(
            part
            for name, value in list(values.items())
            if not name.startswith("__") and not isinstance(value, hidden)
            for part in (name, value)
        )

    def _behind(self, value: Any) -> Iterable[Any]:
        """What a callable carries with it."""
        if isinstance(value, functools.partial):
            return (value.func, *value.args, *value.keywords.values())
        if isinstance(value, types.MethodType):
            return (value.__self__, value.__func__)
        if isinstance(value, types.FunctionType):
            if value.__module__ != self.module:
                return filter(None, (getattr(value, "__wrapped__", None),))
            defaults = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            return (*(value.__closure__ or ()), *defaults)
        if callable(value) and hasattr(value, "__wrapped__"):
            return (value.__wrapped__,)
        return ()


def _cell(cell: types.CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def generators() -> Part:
    """The random generators that modules share."""
    _, key, position, has_gauss, cached = np.random.get_state(legacy=True)
    state = random.getstate()
    legacy = (int(key[0]), position, has_gauss, cached)
    return Part("rng", (*legacy, state[1][-1], state[1][0], state[2]))
