"""Dispatch by the kind of a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

F = TypeVar("F")


class ByType(dict[type, F]):
    """Functions by classes of values: of the entries the first whose class is a base of a value's,
    and `otherwise` for all other values."""

    def __init__(self, entries: Iterable[tuple[type, F]], otherwise: F) -> None:
        self._entries = tuple(entries)
        self._otherwise = otherwise

    def __missing__(self, kind: type) -> F:
        entries = (one for cls, one in self._entries if issubclass(kind, cls))
        found = self[kind] = next(entries, self._otherwise)
        return found
