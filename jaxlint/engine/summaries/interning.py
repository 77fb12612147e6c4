"""Parts of keys that are kept once.

The key of a call is a tuple of tuples, and those of calls that are remembered repeat each other:
the keys of an object, of a function with what it captures, of a configuration. Of the keys of a
large file less than a tenth is different.
"""

from __future__ import annotations

from typing import Any


class Interned:
    """Equal parts of keys, each kept once."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}

    def once(self, part: Any) -> Any:
        """What stands for a key or a part of one: equal to it, and the same for all that are."""
        if type(part) is tuple:
            kept = self._kept.get(part)
            if kept is not None:
                return kept
            part = tuple([self.once(one) for one in part])
        elif type(part) is not frozenset:
            return part
        return self._kept.setdefault(part, part)
