"""Unknown values of which it is known what they may be.

What asks for nothing in particular treats them as any unknown value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.engine.domain.kinds.value import Unknown, Value
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Instance,
    Partial,
    Traced,
    Transformed,
    options,
)

# How many are followed.
MOST_CANDIDATES = 12
_FOLLOWED = (Bound, Class, Function, Instance, Partial, Transformed)


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


class Leaf(Possible):
    """An unknown value that is an array if code treats it as one."""

    __slots__ = ()

    @property
    def leaf(self) -> Traced:
        """The array that it is if it is one."""
        (traced,) = self.options
        assert isinstance(traced, Traced)
        return traced


class Element(Leaf):
    """What iterating over a parameter that may be a pytree gives: traced, or else a key of a dict.
    What computes with it tells that it is no key."""

    __slots__ = ()


class Field(Leaf):
    """An attribute of a parameter that may be a pytree: traced, or else static data of a class.
    Numbers may be static too, but methods that arrays alone have tell that it is one."""

    __slots__ = ()


def among(unknown: Unknown, found: Iterable[Value]) -> Unknown:
    """An unknown value that may be one of these, as far as they can be called."""
    known = {id(one): one for value in found for one in alternatives(value)}
    followed = tuple(one for one in known.values() if isinstance(one, _FOLLOWED))
    if not followed or len(followed) > MOST_CANDIDATES:
        return unknown
    return Candidates(unknown.reason, followed)


def alternatives(value: Value) -> Iterator[Value]:
    """What a value may be, as far as that is known."""
    if isinstance(value, Candidates):
        yield from value.options
    else:
        yield from options(value)
