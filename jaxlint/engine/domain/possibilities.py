"""Unknown values of which it is known what they may be.

What asks for nothing in particular treats them as any unknown value.
"""

from __future__ import annotations

from jaxlint.engine.domain.kinds.candidates import (
    MOST_CANDIDATES,
    Candidates,
    Possible,
    alternatives,
    among,
)
from jaxlint.engine.domain.values import Traced

__all__ = [
    "MOST_CANDIDATES",
    "Candidates",
    "Element",
    "Field",
    "Leaf",
    "Possible",
    "alternatives",
    "among",
]


class Leaf(Possible):
    """An unknown value that is an array if code treats it as one."""

    __slots__ = ()

    @property
    def leaf(self) -> Traced:
        """The array that it is if it is one."""
        (traced,) = self.options
        assert isinstance(traced, Traced)
        return traced

    @property
    def tree(self) -> Traced:
        """What stands for the leaves of the object that it is if it is one."""
        return Traced(self.leaf.trail, self.leaf.kind, leaf=False)


class Element(Leaf):
    """What iterating over a parameter that may be a pytree gives: traced, or else a key of a dict.
    What computes with it tells that it is no key."""

    __slots__ = ()


class Field(Leaf):
    """An attribute of a parameter that may be a pytree: traced, or else static data of a class.
    Numbers may be static too, but methods that arrays alone have tell that it is one."""

    __slots__ = ()
