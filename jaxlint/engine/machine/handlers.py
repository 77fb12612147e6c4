"""What handlers around the running code catch, and which facts they hide."""

from __future__ import annotations

from jaxlint.facts import Fact


class Caught(frozenset[str]):
    """The builtin classes that the handlers of one `try` catch of what tracers raise; `hidden`
    are the facts about errors that they caught."""

    hidden: list[Fact]

    def __new__(cls, names: frozenset[str]) -> Caught:
        made = super().__new__(cls, names)
        made.hidden = []
        return made


def hides(around: tuple[frozenset[str], ...], fact: Fact) -> bool:
    """Whether what a fact says is raised is caught, by the innermost handlers that may."""
    for caught in reversed(around):
        if fact.raises & caught:
            if isinstance(caught, Caught):
                caught.hidden.append(fact)
            return True
    return False
