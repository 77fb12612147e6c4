"""What the analysis asked about the modules of a project, and the answers: what it depends on.

What came of tracing a file holds as long as all that it asked has the same answers. Questions
belong to the file, or to the directory of a package, that they are about; from a file, tracing
goes on to those that the answers name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from jaxlint.project.modules import Place


class Question(NamedTuple):
    """`kind` is the method that was called, `about` whom it belongs to; `name` and `level` are
    the rest of the arguments."""

    kind: str
    about: str
    name: str = ""
    level: int = 0


# Paths and other words that make up an answer; none where there is none.
Answer = tuple[str, ...]
Asked = tuple[Question, Answer]
# What stands behind the digest of a file that cannot be parsed.
BROKEN = "broken"


class Noted(NamedTuple):
    """What was asked for the first time since the last batch with this origin."""

    origin: str
    number: int
    asked: tuple[Asked, ...]


class Answers:
    """The questions of all analyses in a project and what each was told."""

    def __init__(self) -> None:
        self._process = -1
        self._origin = ""
        self._batches = 0
        self._given: dict[str, dict[Question, Answer]] = {}
        self._new: list[Asked] = []
        # Where two analyses were told different things, neither can be relied on.
        self.conflicting: set[str] = set()

    @property
    def origin(self) -> str:
        """The name of these answers in this process: a copy in another one goes its own way."""
        if self._process != os.getpid():
            self._process, self._origin, self._batches = os.getpid(), os.urandom(8).hex(), 0
        return self._origin

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_process": -1}

    def note(self, question: Question, answer: Answer) -> None:
        """Takes in an answer."""
        given = self._given.setdefault(question.about, {})
        known = given.get(question)
        if known is None:
            given[question] = answer
            self._new.append((question, answer))
        elif known != answer:
            self.conflicting.add(question.about)

    def take_new(self) -> Noted:
        """What was noted since this was called last."""
        batch = Noted(self.origin, self._batches, tuple(self._new))
        self._new = []
        self._batches += 1
        return batch

    def restore(self, asked: Iterable[Asked]) -> None:
        """Takes in what an earlier run noted."""
        for question, answer in asked:
            self._given.setdefault(question.about, {}).setdefault(question, answer)

    def renew(self, question: Question, answer: Answer) -> None:
        """Takes in that a question that was asked has another answer now, which changes nothing for
        who asked."""
        given = self._given.get(question.about, {})
        if question in given:
            given[question] = answer
        self.conflicting.discard(question.about)

    def forget(self, about: Iterable[str]) -> None:
        """Drops what was asked about these: it will be asked again."""
        for one in about:
            self._given.pop(one, None)
            self.conflicting.discard(one)

    def __iter__(self) -> Iterator[Asked]:
        for given in self._given.values():
            yield from given.items()

    def followed(self) -> dict[str, set[str]]:
        """From each file or directory to those that its answers name."""
        return {
            about: {path for question, answer in given.items() for path in _paths(question, answer)}
            for about, given in self._given.items()
        }

    def depending(self, changed: Iterable[str]) -> set[str]:
        """All from which tracing goes to one of these, they themselves among them."""
        back: dict[str, list[str]] = {}
        for about, others in self.followed().items():
            for other in others:
                back.setdefault(other, []).append(about)
        return _closure(changed, lambda one: back.get(one, ()))

    def reached(self, start: Iterable[str]) -> set[str]:
        """All to which tracing goes from one of these, they themselves among them."""
        forth = self.followed()
        return _closure(start, lambda one: forth.get(one, ()))


def told(place: Place | None) -> Answer:
    """A place as an answer."""
    return () if place is None else (place.path or "", place.directory or "")


def pairs(found: list[tuple[str, str]]) -> Answer:
    """Pairs of words as an answer."""
    return tuple(word for pair in found for word in pair)


def word(value: bool) -> Answer:
    """Yes or no as an answer."""
    return ("yes",) if value else ()


def _paths(question: Question, answer: Answer) -> Iterator[str]:
    if question.kind in ("find", "submodule"):
        yield from filter(None, answer)
    elif question.kind in ("filling", "making", "registering", "storing"):
        yield from answer
    elif question.kind in ("having", "heirs"):
        yield from answer[::2]


def _closure(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found = set(start)
    pending = list(found)
    while pending:
        for other in following(pending.pop()):
            if other not in found:
                found.add(other)
                pending.append(other)
    return found
