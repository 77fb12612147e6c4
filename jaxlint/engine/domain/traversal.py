"""Walks over abstract values and what they hold.

A walk says into what it goes, by a function such as `known`, and how deep: values may hold
themselves. What is deeper is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.engine.domain.values import Instance, Mapping, Sequence, Union, Value

Inside = Callable[[Value], list[Value]]
"""What a walk goes into: the values that another one holds."""


def known(value: Value) -> list[Value]:
    """The elements of a container that are known one by one."""
    if isinstance(value, Sequence):
        return value.items or []
    return list(value.items.values()) if isinstance(value, Mapping) else []


def elements(value: Value) -> list[Value]:
    """All elements of a container: those that are known, and what the rest have in common."""
    return value.children() if isinstance(value, (Sequence, Mapping)) else []


def parts(value: Value) -> list[Value]:
    """The known elements of a container, or what the fields of an object hold."""
    return value.children() if isinstance(value, Instance) else known(value)


def walk_values(value: Value, inside: Inside, depth: int) -> Iterator[Value]:
    """A value, and what is inside it up to a depth, each before what it holds itself."""
    if depth and inside(value):
        return _walk(value, inside, depth)
    return iter((value,))


def _walk(value: Value, inside: Inside, depth: int) -> Iterator[Value]:
    yield value
    for one in inside(value):
        yield from walk_values(one, inside, depth - 1)


def alternatives(value: Value) -> list[Value]:
    """What a value may be, alternatives of alternatives included."""
    if not isinstance(value, Union):
        return [value]
    return [one for option in value.options for one in alternatives(option)]


def rebuilt(
    value: Sequence | Mapping, change: Callable[[Value], Value], born: Any, path: Any = None
) -> Value:
    """A container made in the trace `born`, whose elements are those of another one, changed.

    The change may run code that changes the old container.
    """
    if isinstance(value, Sequence):
        items = None if value.items is None else [change(one) for one in (*value.items,)]
        rest = None if value.element is None else change(value.element)
        return Sequence(value.kind, items, born, rest, path)
    held = {key: change(one) for key, one in (*value.items.items(),)}
    rest = None if value.element is None else change(value.element)
    return Mapping(held, born, rest, value.open, path)


def paired(one: Value, other: Value) -> list[tuple[Value, Value]]:
    """What stands at the same places in two containers."""
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return list(zip(one.items or [], other.items or [], strict=False))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return [(v, other.items[k]) for k, v in one.items.items() if k in other.items]
    return []
