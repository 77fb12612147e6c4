"""Questions that syntax answers by itself: answered once, for all files that ask.

An answer keeps the syntax that it is about alive, and with it what the modules of a whole project
are made of. So all of them are forgotten together once they are many.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# How many answers are kept from one file to the next.
MOST_ANSWERS = 40_000

_forget: list[Callable[[], None]] = []
_count: list[Callable[[], int]] = []


def answered_once(question: Callable[P, T]) -> Callable[P, T]:
    """Remembers the answers of a function until `forget`."""
    remembering = cache(question)
    _forget.append(remembering.cache_clear)
    _count.append(lambda: remembering.cache_info().currsize)
    return remembering  # type: ignore[return-value]  # `cache` drops the types of parameters


def answered_once_of(question: Callable[[Any], T]) -> Callable[[Any], T]:
    """Remembers the answers about one body each, by its identity: the hash of a tuple takes as
    long as it is."""
    known: dict[int, tuple[Any, T]] = {}
    _forget.append(known.clear)
    _count.append(known.__len__)

    def remembering(body: Any) -> T:
        found = known.get(id(body))
        if found is None:
            found = known[id(body)] = (body, question(body))
        return found[1]

    return remembering


def forget() -> None:
    """Drops all answers."""
    for one in _forget:
        one()


def settle() -> None:
    """Drops all answers if they are many: files of one project ask about the same modules."""
    if sum(count() for count in _count) > MOST_ANSWERS:
        forget()
