"""What can change behind the back of a trace: containers, instances, arrays and iterators.

Each is known with the trace that it was first seen in. What another trace changes is an effect.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import operator
import random
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

_State = list[Any]
_SMALL = 256


@dataclass(slots=True)
class Thing:
    """Something that can change, the kind of effect that a change is, and its state."""

    value: Any
    kind: str
    state: _State
    read: Callable[[Any], _State]

    def changed(self) -> bool:
        """Whether it changed since it was last asked. A generator that runs is asked later."""
        state = self.read(self.value)
        before = self.state
        if len(state) == len(before) and all(map(operator.is_, state, before)):
            return False
        if self.kind in _VALUES and state == before:
            return False
        if self.read is _frame and self.value.gi_running:
            return False
        self.state = state
        return True


def _entries(value: Any) -> _State:
    return [*value.keys(), *value.values()]


def _attributes(value: Any) -> _State:
    fields = getattr(value, "__dict__", {})
    return [*fields.keys(), *fields.values()]


def _bytes(value: Any) -> _State:
    return [value.tobytes()]


def _generator_state(value: Any) -> _State:
    return [repr(value.bit_generator.state)]


def _random_state(value: Any) -> _State:
    return [value.getstate()]


def _frame(value: Any) -> _State:
    frame = value.gi_frame
    return [] if frame is None else [frame.f_lasti, *map(id, frame.f_locals.values())]


def _count(value: Any) -> _State:
    return [repr(value)]


def _remaining(value: Any) -> _State:
    return [operator.length_hint(value)]


_VALUES = ("rng", "iterator", "array")
_ITERATORS = tuple(map(type, (iter([]), iter(()), iter(""), iter({}), iter(range(0)), iter({1}))))

_READERS: tuple[tuple[type | tuple[type, ...], str, Callable[[Any], _State]], ...] = (
    (dict, "container", _entries),
    ((list, set, collections.deque), "container", list),
    (np.ndarray, "array", _bytes),
    (np.random.Generator, "rng", _generator_state),
    (random.Random, "rng", _random_state),
    (types.GeneratorType, "iterator", _frame),
    (itertools.count, "iterator", _count),
    (_ITERATORS, "iterator", _remaining),
)


class Births:
    """All things seen in a run, by the trace that they were first seen in."""

    def __init__(self, module: str, stores: str) -> None:
        self._module = module
        self._stores = stores
        self._readers: dict[type, tuple[str, Callable[[Any], _State]] | None] = {}
        self._plain: set[type] = set()
        self._known: set[int] = set()
        self._things: list[tuple[Any, list[Thing]]] = [(None, [])]

    def enter(self, trace: Any) -> None:
        """Make a trace the current one; what those within it made is forgotten."""
        things = self._things
        if things[-1][0] is trace:
            return
        for index, (each, _) in enumerate(things):
            if each is trace:
                for _, gone in things[index + 1 :]:
                    self._known.difference_update(id(thing.value) for thing in gone)
                del things[index + 1 :]
                return
        self._renew(things[-1][1])
        things.append((trace, []))

    def see(self, value: Any, depth: int = 4) -> None:
        """Note a value, and what it holds, as made in the current trace if it is new."""
        kind = type(value)
        if kind in self._plain:
            return
        if issubclass(kind, _PLAIN):
            self._plain.add(kind)
            return
        if isinstance(value, (type, types.FunctionType)) and value.__module__ != self._module:
            return
        if kind not in self._readers:
            self._readers[kind] = self._reader(kind)
        reader = self._readers[kind]
        if reader is not None:
            if id(value) in self._known or (kind is np.ndarray and value.size > _SMALL):
                return
            self._known.add(id(value))
            name, read = reader
            self._things[-1][1].append(Thing(value, name, read(value), read))
        if depth:
            for part in _parts(value, self._module):
                self.see(part, depth - 1)

    def _reader(self, kind: type) -> tuple[str, Callable[[Any], _State]] | None:
        """How to read the state of values of a type; None if they have none that matters."""
        for kinds, name, read in _READERS:
            if issubclass(kind, kinds):
                return name, read
        is_own = kind.__module__ == self._module
        if self._stores and is_own:
            return "attribute", _attributes
        others = (type, types.SimpleNamespace, types.FunctionType)
        if self._stores == "any" and issubclass(kind, others):
            return "attribute", _attributes
        return None

    def changes(self) -> list[str]:
        """The kinds of what changed that other traces made."""
        found = []
        for _, things in self._things[:-1]:
            for thing in things:
                if thing.changed():
                    found.append("container" if thing.kind == "array" else thing.kind)
                    self._see_new(thing)
        return found

    def _see_new(self, thing: Thing) -> None:
        for part in _parts(thing.value, self._module):
            self.see(part, 1)

    def _renew(self, things: list[Thing]) -> None:
        """Take things as they are now."""
        for thing in list(things):
            if thing.changed():
                self._see_new(thing)


_PLAIN = (
    *(int, float, complex, str, bytes, type(None), types.ModuleType, types.BuiltinFunctionType),
    *(jax.core.Tracer, jax.Array, np.generic, np.dtype, BaseException),
)


def _parts(value: Any, module: str) -> Iterable[Any]:
    """What a value holds."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        return list(value)
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, types.MethodType):
        return [value.__self__]
    if isinstance(value, types.FunctionType):
        return _captured(value, module)
    if isinstance(value, type):
        return list(vars(value).values()) if value.__module__ == module else ()
    if type(value).__module__ == module:
        return list(getattr(value, "__dict__", {}).values())
    wrapped = getattr(value, "__dict__", None)
    return [wrapped["__wrapped__"]] if wrapped and "__wrapped__" in wrapped else ()


def _captured(function: types.FunctionType, module: str) -> Iterator[Any]:
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    if function.__module__ == module:
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # An empty cell.
                yield cell.cell_contents
    if "__wrapped__" in function.__dict__:
        yield function.__dict__["__wrapped__"]
