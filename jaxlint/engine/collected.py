"""Facts as they are collected: of equal ones, the one that promises most is kept.

Which of two callers of a function comes first must decide neither whether a fact is certain nor
whose call it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.engine.facts import Fact
    from jaxlint.syntax import ir


class Collected:
    """The facts of a run by what they are about, each the strongest of those that are equal."""

    __slots__ = ("_best",)

    def __init__(self) -> None:
        self._best: dict[Any, Fact] = {}

    def takes(self, fact: Fact) -> bool:
        """Whether a fact is the first of its kind at its place, or stronger than those before."""
        identity = _identity(fact)
        known = self._best.get(identity)
        if known is not None and _strength(known) <= _strength(fact):
            return False
        self._best[identity] = fact
        return True

    def left(self, facts: list[Fact]) -> list[Fact]:
        """Those of the facts that no stronger one has replaced."""
        best = {id(fact) for fact in self._best.values()}
        return [fact for fact in facts if id(fact) in best]


def _identity(fact: Fact) -> Any:
    return (
        type(fact),
        id(fact.node),
        getattr(fact, "sink", ""),
        getattr(fact, "need", ""),
        getattr(fact, "kind", ""),
        getattr(fact, "target", ""),
        fact.is_traced,
    )


def _strength(fact: Fact) -> tuple[Any, ...]:
    """What comes first is stronger: what is certain, and then what stands first in the source."""
    trail = fact.trail
    certain = fact.is_certain and (trail is None or trail.guessed() is None)
    root = None if trail is None else trail.root().node
    calls = tuple(_place(node) for _, node in fact.calls)
    entry = _place(None if fact.entry is None else fact.entry.node)
    return (not certain, fact.unsure, fact.supposed, entry, calls, _place(root))


def _place(node: ir.Node | ir.Param | None) -> int:
    return -1 if node is None else node.origin
