"""Which findings comments silence."""

from __future__ import annotations

import random

import pytest
from flake8.defaults import NOQA_FILE, NOQA_INLINE_REGEXP
from flake8.utils import parse_comma_separated_list

from jaxlint.base.text import SourceText
from jaxlint.syntax.comments import suppressions


def _covered(source: str, code: str = "JAX301", name: str = "branch-on-traced") -> list[int]:
    found = suppressions(SourceText("file.py", source))
    return [n for n in range(1, source.count("\n") + 2) if found.covers(n, code, name)]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NoQA",
        "# noqa: JAX301",
        "# noqa:JAX301",
        "# noqa: JAX3",
        "# noqa: E501,JAX301",
        "# noqa: E501 JAX301, W605",
        "# noqa: JAX301 because of this",
        "# noqa: branch-on-traced",
        "# noqa: Branch-On-Traced, E501",
        "# type: ignore # noqa",
        "# type: ignore[x]  # noqa: JAX301",
        "# see above # noqa: JAX301  # pragma: no cover",
        "# noqa : JAX999",
        "# noqa: not a list",
        "# noqa: re-exported on purpose",
        "# noqa: branch-on-traced (the sign is known)",
    ],
)
def test_a_comment_silences_its_line(comment: str) -> None:
    assert [2] == _covered(f"a\nb  {comment}\nc\n")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: JAX302",
        "# noqa: JAX30100",
        "# noqa: jax301",
        "# noqa: E501JAX301",
        "# noqa: E501and more",
        "# noqa: E501",
        "# noqa: leaked-tracer",
        "# noqa: branch-on-traced-twice",
        "# no qa",
        "#noqa",
        "# jaxlint: noqa: JAX301",
        "# flake8: noqa",
        "",
    ],
)
def test_other_comments_silence_nothing(comment: str) -> None:
    assert [] == _covered(f"a\nb  {comment}\nc\n")


@pytest.mark.parametrize(
    "comment",
    [
        "# flake8: noqa",
        "# FLAKE8: NOQA  ",
        "# flake8=noqa",
        "  # jaxlint: noqa",
        "# jaxlint: noqa: JAX301",
        "# jaxlint: noqa: E501, JAX3",
        "# jaxlint: noqa: branch-on-traced",
        "# flake8: noqa: E501",
    ],
)
def test_a_comment_on_a_line_of_its_own_silences_the_file(comment: str) -> None:
    assert [1, 2, 3, 4] == _covered(f"a\n{comment}\nc\n")


@pytest.mark.parametrize("comment", ["# jaxlint: noqa: JAX302", "# jaxlint: noqa this is prose"])
def test_other_comments_for_the_file_silence_nothing(comment: str) -> None:
    assert [] == _covered(f"a\n{comment}\nc\n")


def test_several_comments_for_the_file_add_up() -> None:
    source = "# jaxlint: noqa: JAX1\n# jaxlint: noqa: JAX3\n"

    assert [1, 2, 3] == _covered(source, "JAX101", "x")
    assert [1, 2, 3] == _covered(source, "JAX301", "y")
    assert [] == _covered(source, "JAX201", "z")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = '''\n\n'''  # noqa\nb", [1, 2, 3]),
        ("a = 1 + \\\n  2  # noqa\nb", [1, 2]),
        ("a = (\n  1,  # noqa\n  2)\nb", [2]),
        ("a = (\n  1,\n  2)  # noqa\nb", [3]),
        ("f('''\n''',  # noqa\n  2)\nb", [1, 2]),
        ("if a:\n  b\n# noqa\nc", [3]),
        ("a  # noqa", [1]),
        ("a\r\nb  # noqa\r\nc\rd  # noqa", [2]),
    ],
)
def test_a_comment_speaks_for_the_lines_that_are_joined_before_it(
    source: str, expected: list[int]
) -> None:
    assert expected == [n for n in _covered(source) if n < 4 or "\r" not in source]


@pytest.mark.parametrize(
    "source", ["a = '# noqa'", "a = '''\n# noqa\n'''", "# flake8: no\na = '''\n# flake8: noqa\n'''"]
)
def test_strings_are_no_comments(source: str) -> None:
    assert [] == _covered(source)


def test_comments_after_what_this_python_cannot_read_still_count() -> None:
    assert [1, 4] == _covered("a  # noqa\n  b = (\nc = [\nd = 1  # noqa\n")


def test_comments_on_lines_can_be_left_out() -> None:
    found = suppressions(SourceText("file.py", "a  # noqa\n# jaxlint: noqa: JAX1\n"))

    assert found.covers(1, "JAX301", "x")
    assert not found.covers(1, "JAX301", "x", noqa=False)
    assert found.covers(1, "JAX101", "x", noqa=False)


def _flake8_silences(line: str, code: str) -> bool:
    """By flake8's own patterns and its way to compare codes."""
    if NOQA_FILE.match(line):
        return True
    found = NOQA_INLINE_REGEXP.search(line)
    if found is None or found["codes"] is None:
        return found is not None
    return any(code.startswith(one) for one in parse_comma_separated_list(found["codes"]))


PIECES = [
    *["# ", "#", "noqa", "NoQA", ":", " :", ": ", " ", "  ", "\t", ",", "x", "(", "because"],
    *["JAX301", "jax301", "E501", "JAX3", "JAX", "# noqa", "# noqa: ", "flake8: noqa", "flake8="],
]


@pytest.mark.parametrize("seed", range(5))
def test_comments_without_names_are_read_as_flake8_reads_them(seed: int) -> None:
    pick = random.Random(seed)
    for _ in range(400):
        comment = "#" + "".join(pick.choices(PIECES, k=pick.randrange(1, 7)))
        line = pick.choice(["", "a  "]) + comment
        assert _flake8_silences(line, "JAX301") == ([1] == _covered(line)), line
