"""Facts as they are collected: of equal ones, the one that promises most is kept.

Which of two callers of a function comes first must decide neither whether a fact is certain nor
whose call it shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.facts import Fact
from jaxlint.syntax import ir


class Collected:
    """The facts about a module by what they are about, each the strongest of those that are equal:
    one that is or leads there from that module rather than another, what is certain, and then
    what stands first in the source.

    For tests and figures, `reveals` are what `reveal(...)` calls saw, and `unknowns` how many
    values were not known for each reason.
    """

    __slots__ = ("_before", "_best", "_module", "facts", "reveals", "unknowns")

    def __init__(self, module: ir.Module) -> None:
        self.facts: list[Fact] = []
        self.reveals: list[tuple[ir.Call, str, bool]] = []
        self.unknowns: dict[str, int] = {}
        self._best: dict[Any, Fact] = {}
        # The fact that each fact has replaced.
        self._before: dict[int, Fact] = {}
        self._module = module

    def add(self, fact: Fact) -> None:
        """Collects a fact unless a stronger one is known."""
        if self.takes(fact):
            self.facts.append(fact)

    def takes(self, fact: Fact) -> bool:
        """Whether a fact is the first of its kind at its place, or stronger than those before."""
        identity = identity_of(fact)
        known = self._best.get(identity)
        if known is not None and self._strength(known) <= self._strength(fact):
            return False
        if known is not None:
            self._before[id(fact)] = known
        self._best[identity] = fact
        return True

    def withdraw(self, fact: Fact) -> None:
        """Forgets a fact; the one that it replaced counts again."""
        identity = identity_of(fact)
        if self._best.get(identity) is not fact:
            return
        before = self._before.pop(id(fact), None)
        if before is None:
            del self._best[identity]
        else:
            self._best[identity] = before

    def _strength(self, fact: Fact) -> tuple[Any, ...]:
        """What comes first is stronger."""
        trail, entry = fact.trail, None if fact.entry is None else fact.entry.node
        certain = fact.is_certain and (trail is None or trail.guessed() is None)
        root = None if trail is None else trail.root().node
        calls = tuple((module.file, ir.number(node)) for module, node in fact.calls)
        from_here = self._shows(fact.node) or any(one is self._module for one, _ in fact.calls)
        shown = from_here or (entry is not None and self._shows(entry))
        sure = (not certain, fact.unsure, fact.supposed)
        return (not shown, *sure, _place(fact, entry), calls, _place(fact, root))

    def _shows(self, node: ir.Node) -> bool:
        return self._module.holds(node)

    def drop(self, is_dropped: Callable[[Fact], bool]) -> None:
        """Drops facts that something else disproves."""
        self.facts = [fact for fact in self.facts if not is_dropped(fact)]

    def left(self) -> list[Fact]:
        """The facts that no stronger one has replaced."""
        best = {id(fact) for fact in self._best.values()}
        return [fact for fact in self.facts if id(fact) in best]

    def settle(self) -> None:
        """Drops the facts that a stronger one has replaced."""
        self.facts = self.left()


def identity_of(fact: Fact) -> Any:
    """By which facts are the same: the place and the kind."""
    return (
        type(fact),
        id(fact.node),
        getattr(fact, "sink", ""),
        getattr(fact, "need", ""),
        getattr(fact, "kind", ""),
        getattr(fact, "target", ""),
        fact.is_traced,
    )


def _place(fact: Fact, node: ir.Node | ir.Param | None) -> tuple[str, int]:
    """Where a node stands, whichever file was read first."""
    if node is None:
        return "", -1
    owner = fact.module if fact.sources is None else fact.sources.owner(node, fact.module)
    return owner.file, ir.number(node)
