"""Words for numbers of things, and for words that were meant."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """How many there are of something whose plural ends in "s"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def nearest(word: str, known: Iterable[str]) -> str:
    """The one of some words that is most like another, empty if none is like it."""
    from difflib import get_close_matches

    return "".join(get_close_matches(word, list(known), n=1))


def suggestion(word: str) -> str:
    """The end of a message about a word that does not exist, where this one may be meant."""
    return f"; did you mean {word!r}?" if word else ""
