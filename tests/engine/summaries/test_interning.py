"""Keys of remembered calls are kept with their equal parts once."""

from __future__ import annotations

from jaxlint.engine.summaries.interning import Interned


def made(word: str) -> tuple[object, ...]:
    """A key, all of it anew each time."""
    return (word, ("field", ("static", word), frozenset([word])), (1, 2))


def test_what_stands_for_a_key_is_equal_to_it() -> None:
    interned = Interned()
    assert interned.once(made("a")) == made("a")
    assert interned.once(made("b")) == made("b")


def test_equal_keys_are_one() -> None:
    interned = Interned()
    assert interned.once(made("a")) is interned.once(made("a"))


def test_equal_parts_of_different_keys_are_one() -> None:
    interned = Interned()
    first, second = interned.once((1, made("a"))), interned.once((2, made("a")))
    assert first is not second
    assert first[1] is second[1]
    assert interned.once((3, frozenset(["a"])))[1] is first[1][1][2]


def test_a_key_that_is_no_tuple_is_itself() -> None:
    key = object()
    assert Interned().once(key) is key
