"""What is taken out of comments that silence nothing, and what stays."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from silenced import program, statement

from jaxlint.base.edit import Edit, applied
from jaxlint.base.text import SourceText, Span
from jaxlint.session.session import Session
from jaxlint.settings import Selection, Settings
from jaxlint.suppression.removal import removals
from jaxlint.syntax.comments import suppressions

pytestmark = pytest.mark.usefixtures("empty_directory")

FEW = settings(derandomize=True, max_examples=15, deadline=None, database=None)
ALL = Settings(selections=(Selection(select=("JAX",)),))
COMMENTS = [
    *["", "  # words", "  # noqa", "  # noqa: E501", "  # noqa: JAX302, JAX301, E501 why"],
    *["  # noqa: JAX399", "  # jaxlint: ignore[while-on-traced] why  # pragma: no cover"],
    *["  # jaxlint: ignore[JAX310, JAX302, JAX301, JAX304]  # noqa: JAX5", "  # noqa: JAX501"],
]


def without(text: str, *unused: str) -> str:
    """The text without these words in its suppression comments."""
    source = SourceText("a.py", text)
    found = [
        word.span
        for directive in suppressions(source).directives
        for word in directive.words or ()
        if word.text in unused
    ]
    return applied(text, removals(source, found))


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("  # noqa: JAX1", ""),
        ("\t# noqa: JAX1  ", ""),
        ("  # noqa: JAX1 because", ""),
        ("  # noqa: JAX1, JAX2", ""),
        ("  # noqa: JAX1, E501", "  # noqa: E501"),
        ("  # noqa: E501, JAX1", "  # noqa: E501"),
        ("  # noqa: E501,JAX1 , JAX2,W605 why", "  # noqa: E501,W605 why"),
        ("  # noqa: JAX1 JAX2 W605", "  # noqa: W605"),
        ("  # noqa: JAX1, E501, JAX2, W605", "  # noqa: E501, W605"),
        ("  # words  # noqa: JAX1", "  # words"),
        ("  # noqa: JAX1  # words", "  # words"),
        ("  # a  # jaxlint: ignore[JAX1] why  # b", "  # a  # b"),
        ("  # jaxlint: ignore[JAX1]  # noqa: JAX2", ""),
        ("  # jaxlint: ignore[JAX1]  # b  # noqa: JAX2", "  # b"),
        ("  # jaxlint: ignore[JAX1, JAX3]  # noqa: JAX2", "  # jaxlint: ignore[JAX3]"),
        ("  # jaxlint: ignore[JAX3, JAX1,] why", "  # jaxlint: ignore[JAX3,] why"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_a_word_goes_with_its_comma_and_a_list_with_its_comment(
    comment: str, expected: str, end: str
) -> None:
    assert f"a\r\nb{expected}{end}" == without(f"a\r\nb{comment}{end}", "JAX1", "JAX2")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_of_which_nothing_is_left_goes(end: str) -> None:
    lines = ["# jaxlint: ignore-file[JAX1]", "a", "    # jaxlint: ignore[JAX1] why", "b", ""]
    assert f"a{end}b{end}" == without(end.join(lines), "JAX1")
    assert "a\n" == without("a\n# jaxlint: noqa: JAX1", "JAX1")


@FEW
@given(st.lists(statement(COMMENTS), min_size=1, max_size=4))
def test_afterwards_nothing_is_unused_and_all_else_is_as_before(statements: list[str]) -> None:
    text = program(statements)
    session = Session(ALL)
    before = session.check_source(text, "a.py").findings
    spans = {one.span for one in before if one.code == "JAX003"}
    after = applied(text, removals(SourceText("a.py", text), spans))
    left = session.check_source(after, "a.py").findings
    kept = [(one.code, one.message) for one in before if one.code > "JAX100"]
    assert kept == [(one.code, one.message) for one in left if one.code != "JAX005"]
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(after))


def test_changes_that_overlap_are_refused() -> None:
    edits = [Edit(Span(1, 1, 1, 3), ""), Edit(Span(1, 2, 1, 4), "")]
    with pytest.raises(ValueError, match="line 1"):
        applied("abcd", edits)
    assert "Xcd\r\nY" == applied(
        "abcd\r\n", [Edit(Span(2, 1, 2, 1), "Y"), Edit(Span(1, 1, 1, 3), "X")]
    )
