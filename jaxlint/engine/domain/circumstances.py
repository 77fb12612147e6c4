"""The circumstances around a call: what matters only to code that asks for it, and to facts.

A call is noted with the parts that were asked for while it ran. It stands for another one where
these are the same.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

NOTHING: Final[frozenset[Any]] = frozenset()


class Circumstances(NamedTuple):
    """Whether nothing is emitted, whether what runs is one of several alternatives, and whether it
    stands behind an open test, in a test function or in a loop; what handlers around catch, the
    names under test, and how many calls of presumed objects may follow within each other."""

    muted: bool
    unsure: bool
    conditional: bool
    in_test: bool
    in_loop: bool
    caught: frozenset[frozenset[str]]
    tested: frozenset[str]
    presuming: int


# What may be asked for, as bits of a number.
MUTED, UNSURE, CONDITIONS, IN_TEST, IN_LOOP, CAUGHT, TESTED, PRESUMING = (
    1 << at for at in range(len(Circumstances._fields))
)
# A note beside these: pytrees of which nothing is known were among what may be presumed.
TREES: Final = PRESUMING << 1
# Another one: functions that were called were chosen from a registry.
CHOICES: Final = TREES << 1


def agree(one: Circumstances, other: Circumstances, asked: int) -> bool:
    """Whether the parts that were asked for are the same."""
    if not asked:
        return True
    pairs = enumerate(zip(one, other, strict=True))
    return all(mine == its for at, (mine, its) in pairs if asked >> at & 1)


def tells_more(one: Circumstances, other: Circumstances) -> bool:
    """Whether all that is found in the second circumstances is found in the first."""
    more = one.muted <= other.muted and one.unsure <= other.unsure and one.in_test <= other.in_test
    return bool(more and one.caught <= other.caught and one.tested <= other.tested)
