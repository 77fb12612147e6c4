"""Comments that are written: they silence what is found, and change nothing else."""

from __future__ import annotations

import ast
import io
import tokenize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from silenced import program, statement

from jaxlint.base.errors import JaxlintError
from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.results.merge import Place
from jaxlint.session.session import Session
from jaxlint.suppression.writing import Style, Written, refuse_reason, with_comments

pytestmark = pytest.mark.usefixtures("empty_directory")

FEW = settings(derandomize=True, max_examples=40, deadline=None, database=None)


def found(text: str) -> list[Finding]:
    report = Session().check_source(text, "a.py")
    return [one for one in report.findings if one.code > "JAX100"]


def silenced(text: str, style: Style = Style.NOQA, reason: str = "") -> Written:
    places = {Place(one.line, one.code, one.name) for one in found(text)}
    return with_comments(SourceText("a.py", text), places, style, reason)


def code(text: str) -> list[tuple[int, str]]:
    """The tokens without comments and the blanks before them."""
    return [
        (token.type, token.string)
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type != tokenize.COMMENT
    ]


@FEW
@given(
    st.lists(statement(), min_size=1, max_size=4),
    st.sampled_from(Style),
    st.sampled_from(["", "why not"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_afterwards_nothing_is_found_and_the_code_is_the_same(
    statements: list[str], style: Style, reason: str, end: str
) -> None:
    text = program(statements).replace("\n", end)
    written = silenced(text, style, reason)
    assert () == written.refused
    assert [] == found(written.text)
    assert 0 == silenced(written.text, style, reason).count
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(written.text))
    assert code(text) == code(written.text)
    assert text.count(end) == written.text.count(end) == written.text.count("\n")


HEAD = "import jax\n@jax.jit\ndef f(x):\n"


@pytest.mark.parametrize(
    ("before", "noqa", "ignore"),
    [
        ("", "  # noqa: JAX310", "  # jaxlint: ignore[NAME]"),
        ("  \t", "  # noqa: JAX310", "  # jaxlint: ignore[NAME]"),
        (" # hm", " # hm  # noqa: JAX310", " # hm  # jaxlint: ignore[NAME]"),
        (
            "  # noqa: E501 long",
            "  # noqa: E501, JAX310 long",
            "  # noqa: E501 long  # jaxlint: ignore[NAME]",
        ),
        (
            "  # noqa:E501,W605",
            "  # noqa:E501,W605, JAX310",
            "  # noqa:E501,W605  # jaxlint: ignore[NAME]",
        ),
        (
            "  # jaxlint: ignore[JAX302] y",
            "  # jaxlint: ignore[JAX302] y  # noqa: JAX310",
            "  # jaxlint: ignore[JAX302, NAME] y",
        ),
        (" + \\\n  1", " + \\\n  1  # noqa: JAX310", " + \\\n  1  # jaxlint: ignore[NAME]"),
    ],
)
def test_where_comments_go(before: str, noqa: str, ignore: str) -> None:
    text = f"{HEAD}    y = int(x){before}\n    pass\n"
    for style, expected in ((Style.NOQA, noqa), (Style.IGNORE, ignore)):
        behind = expected.replace("NAME", "scalar-cast-of-traced")
        assert f"{HEAD}    y = int(x){behind}\n    pass\n" == silenced(text, style).text


def test_several_rules_share_a_comment_with_one_reason() -> None:
    text = HEAD + "    if int(x): assert x > 0\n"
    written = silenced(text, Style.NOQA, "old code")
    assert f"{text[:-1]}  # noqa: JAX303, JAX310 old code\n" == written.text
    assert 1 == written.count


def test_what_is_silenced_already_gets_no_second_comment() -> None:
    source = SourceText("a.py", HEAD + "    if x:  # noqa: JAX301\n        pass\n")
    written = with_comments(source, {Place(4, "JAX301", "branch-on-traced")}, Style.NOQA)
    assert (source.text, 0, ()) == (written.text, written.count, written.refused)


def test_a_place_that_takes_no_comment_is_told_and_the_others_are_silenced() -> None:
    # Behind what no Python can read, nobody can tell comments from strings.
    text = "a = 1\nb = '''\n"
    places = {Place(1, "JAX301", "a"), Place(2, "JAX302", "b"), Place(9, "JAX303", "c")}
    written = with_comments(SourceText("a.py", text), places, Style.NOQA)
    assert "a = 1  # noqa: JAX301\nb = '''\n" == written.text
    assert ["JAX302", "JAX303"] == [place.code for place in written.refused]


@pytest.mark.parametrize("style", Style)
def test_no_comment_goes_into_a_string_that_older_pythons_take_for_text(style: Style) -> None:
    text = HEAD + '    y = f"""{\n      int(x)\n    }"""\n    z = int(x)\n'
    written = silenced(text, style)
    lines = written.text.splitlines()
    assert text.splitlines()[3:5] == lines[3:5]
    # Where the string is one token, a comment behind it speaks for all of it.
    assert bool(written.refused) != ("#" in lines[5])
    assert "#" in lines[6]


@pytest.mark.parametrize("reason", ["two\nlines", "a # hash", "JAX302", "E501 too", "bell\a"])
def test_a_reason_that_would_be_read_as_something_else_is_refused(reason: str) -> None:
    with pytest.raises(JaxlintError, match="reason"):
        refuse_reason(Style.NOQA, reason)


def test_other_reasons_are_fine() -> None:
    for reason in ("", "known since v1", "see issue 12", "re-exported here", "\u4e16"):
        for style in Style:
            refuse_reason(style, reason)
