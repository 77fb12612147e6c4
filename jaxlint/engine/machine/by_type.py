"""Dispatch by the kind of a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

F = TypeVar("F")


class ByType(Generic[F]):
    """Functions by classes of values: the first entry counts whose class a value is an instance
    of, and for all other values `otherwise`."""

    __slots__ = ("_entries", "_known", "_otherwise")

    def __init__(self, entries: Iterable[tuple[type, F]], otherwise: F) -> None:
        self._entries = tuple(entries)
        self._otherwise = otherwise
        self._known: dict[type, F] = {}

    def __call__(self, value: object) -> F:
        kind = type(value)
        found = self._known.get(kind)
        if found is None:
            entries = (one for cls, one in self._entries if issubclass(kind, cls))
            found = self._known[kind] = next(entries, self._otherwise)
        return found
