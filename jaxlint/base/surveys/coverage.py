"""What ran in a survey, and what calls came to, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from jaxlint.base.dataclass import slotted
from jaxlint.base.surveys.inventory import Inventory, Key
from jaxlint.base.surveys.spot import Spot

T = TypeVar("T")


@slotted(frozen=True)
class Outcome:
    """A call that was evaluated: the functions of the project that it is known to call, or why
    what it calls is not known. `callee` is what it calls, as written or by its full name."""

    call: Key
    traced: bool
    spot: Spot
    callee: str
    reason: str
    targets: frozenset[Key] = frozenset()


@slotted(frozen=True)
class Handed:
    """A function goes to code that is not followed: `callee`, for `reason` if nothing is known of
    that. It may be the method of an `object` that goes there."""

    function: Key
    traced: bool
    spot: Spot
    callee: str
    reason: str
    object: bool = False


@slotted(frozen=True)
class Left:
    """A function whose body was left out in traced code, and where it was called."""

    function: Key
    spot: Spot
    reason: str


@slotted(frozen=True)
class Broken:
    """A file that was not analysed, or not to its end."""

    file: str
    spot: Spot
    reason: str


@slotted(frozen=True)
class Coverage:
    """What ran.

    `entered` are the functions that ran in traced code for the arguments of visible calls,
    `supposed` those that did so for any arguments, `hosted` those that ran on the host. `came` are
    the statements that traced code came to, and `ended` functions that were not run to their end.
    `asked` are the files that somebody wants to know about, `aside` those of them from which no
    tracing starts and that none leads to.
    """

    inventories: frozenset[Inventory] = frozenset()
    entered: frozenset[Key] = frozenset()
    supposed: frozenset[Key] = frozenset()
    hosted: frozenset[Key] = frozenset()
    came: frozenset[Key] = frozenset()
    ended: frozenset[Key] = frozenset()
    outcomes: frozenset[Outcome] = frozenset()
    handed: frozenset[Handed] = frozenset()
    left: frozenset[Left] = frozenset()
    broken: frozenset[Broken] = frozenset()
    asked: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()


def united(every: Iterable[Coverage]) -> Coverage:
    """All of them as one."""
    found = list(every)

    def all_of(part: Callable[[Coverage], frozenset[T]]) -> frozenset[T]:
        return frozenset().union(*map(part, found))

    return Coverage(
        all_of(lambda one: one.inventories),
        all_of(lambda one: one.entered),
        all_of(lambda one: one.supposed),
        all_of(lambda one: one.hosted),
        all_of(lambda one: one.came),
        all_of(lambda one: one.ended),
        all_of(lambda one: one.outcomes),
        all_of(lambda one: one.handed),
        all_of(lambda one: one.left),
        all_of(lambda one: one.broken),
        all_of(lambda one: one.asked),
        all_of(lambda one: one.aside),
    )
