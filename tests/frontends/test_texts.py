"""Edits come in lines and units of an encoding, as the protocol counts them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint.frontends.lsp.texts import Encoding, edited

TEXTS = st.text(st.sampled_from("ab\n\r\x0c\u2028\u00e9\u957f\U0001f600"), max_size=12)
CODES = {
    Encoding.UTF8: ("utf-8", 1),
    Encoding.UTF16: ("utf-16-le", 2),
    Encoding.UTF32: ("utf-32-le", 4),
}


def place(text: str, at: int, encoding: Encoding) -> tuple[int, int]:
    """The line and the unit of an offset that is not between a return and its newline."""
    before = text[:at].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    name, width = CODES[encoding]
    return len(before) - 1, len(before[-1].encode(name)) // width


def is_place(text: str, at: int) -> bool:
    return text[at - 1 : at + 1] != "\r\n"


@settings(max_examples=150, deadline=None, derandomize=True)
@given(TEXTS, st.integers(0, 12), st.integers(0, 12), TEXTS, st.sampled_from(Encoding))
def test_an_edit_replaces_what_is_between_two_places(
    text: str, first: int, last: int, new: str, encoding: Encoding
) -> None:
    first, last = sorted((min(first, len(text)), min(last, len(text))))
    first -= not is_place(text, first)
    last -= not is_place(text, last)
    places = place(text, first, encoding), place(text, last, encoding)
    assert text[:first] + new + text[last:] == edited(text, *places, new, encoding)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        pytest.param((9, 0), (9, 0), "a\U0001f600b\nX", id="behind the text"),
        pytest.param((0, 99), (1, 0), "a\U0001f600bX", id="behind the line"),
        pytest.param((0, 2), (0, 3), "aXb\n", id="inside a character"),
    ],
)
def test_what_is_no_place_is_near_one(
    start: tuple[int, int], end: tuple[int, int], expected: str
) -> None:
    assert expected == edited("a\U0001f600b\n", start, end, "X", Encoding.UTF16)


@pytest.mark.parametrize(("encoding", "units"), [*zip(Encoding, (10, 5, 4), strict=True)])
def test_units_of_a_text(encoding: Encoding, units: int) -> None:
    assert units == encoding.units("\u957f\u00e9\U0001f600a")
    assert 3 == encoding.column("\u957f\u00e9\U0001f600a", units - 1)
