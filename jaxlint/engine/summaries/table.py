"""What is remembered of runs, for calls that give and do the same."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.domain.traversal import parts, walk_values
from jaxlint.engine.domain.typestate import Typestate
from jaxlint.engine.domain.values import Value
from jaxlint.engine.summaries.interning import Interned
from jaxlint.engine.summaries.known import Known
from jaxlint.engine.summaries.shared_calls import SharedCall

# How deep objects are looked through for a part.
_DEPTH = 5


class Summaries:
    """The memo tables of one machine."""

    __slots__ = (
        "again",
        "alike",
        "calls",
        "examples",
        "host_results",
        "interned",
        "memo",
        "presumed",
        "ran_for_any",
        "ran_for_numbers",
        "spent",
    )

    def __init__(self) -> None:
        # What is remembered of calls by their keys, the latest first.
        self.memo: dict[Any, list[Known]] = {}
        # What is remembered of calls by what they are given.
        self.calls: dict[Any, list[SharedCall]] = {}
        # The parts of the keys of both.
        self.interned = Interned()
        # What is remembered of host functions for any arguments, None while they run.
        self.host_results: dict[Any, Known | None] = {}
        self.ran_for_any: set[tuple[int, int, int]] = set()
        # How often host functions ran again for the numbers that they were given.
        self.ran_for_numbers: dict[int, int] = {}
        # What the last run of a function did to the keys that it was given or that it names.
        self.spent: dict[Any, Typestate] = {}
        # The objects of a class that stand for those made alike, by what they were given.
        self.alike: dict[int, dict[str, Value]] = {}
        # Those that stand for more than one, by identity.
        self.again: dict[int, Value] = {}
        # Objects that stand for those of a class.
        self.examples: dict[Any, list[Any]] = {}
        # The classes that have what code asks of an object.
        self.presumed: dict[Any, list[Any]] = {}

    def forget(self, part: Value) -> None:
        """A part of an object is no longer what it was when it was made: the next object that is
        made alike is another one."""
        for held in self.alike.values():
            for key in [key for key, one in held.items() if _holds(one, part)]:
                del held[key]

    def is_single(self, part: Value) -> bool:
        """Whether a part of an object belongs to one object alone."""
        return not any(_holds(one, part) for one in self.again.values())


def _holds(whole: Value, part: Value) -> bool:
    return any(one is part for one in walk_values(whole, parts, _DEPTH))
