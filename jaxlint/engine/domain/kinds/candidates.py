"""Unknown values of which it is known what they may be, and callables and objects among these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from jaxlint.engine.domain.kinds.value import Unknown, Value, options

# How many are followed.
MOST_CANDIDATES: Final = 32


class Possible(Unknown):
    """An unknown value that may be one of some others."""

    __slots__ = ("options",)

    def __init__(self, reason: str, options: tuple[Value, ...]) -> None:
        super().__init__(reason)
        self.options = options

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.options}"

    def children(self) -> list[Value]:
        return [*self.options]

    def rebuild(self, children: list[Value]) -> Value:
        return type(self)(self.reason, tuple(children))


class Candidates(Possible):
    """One of some functions, classes and objects, or something else: what a registry holds under a
    key that is not known."""

    __slots__ = ()


def among(unknown: Unknown, found: Iterable[Value]) -> Unknown:
    """An unknown value that may be one of these, as far as they can be called."""
    known = {id(one): one for value in found for one in alternatives(value)}
    followed = tuple(one for one in known.values() if one.is_followed)
    if not followed or len(followed) > MOST_CANDIDATES:
        return unknown
    return Candidates(unknown.reason, followed)


def alternatives(value: Value) -> Iterator[Value]:
    """What a value may be, as far as that is known."""
    if isinstance(value, Candidates):
        yield from value.options
    else:
        yield from options(value)
