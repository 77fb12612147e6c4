"""Fixes on the text of one file: which are carried out together, and when it ends."""

from __future__ import annotations

from jaxlint.apply.files import difference
from jaxlint.apply.rounds import settled
from jaxlint.apply.text import fixed_text, is_fixable, is_safe
from jaxlint.base.edit import Edit
from jaxlint.base.finding import Applicability, Finding, Fix, Severity
from jaxlint.base.text import Span


def edit(line: int, column: int, end: int, text: str) -> Edit:
    return Edit(Span(line, column, line, end), text)


def finding(*edits: Edit, applicability: Applicability = Applicability.SAFE) -> Finding:
    fix = Fix("Change it", applicability, edits)
    span = edits[0].span
    return Finding("f.py", span, "JAX999", "x", Severity.ERROR, "message", fix=fix)


def test_fixes_that_meet_wait_for_another_round() -> None:
    found = [
        finding(edit(1, 1, 3, "bb")),
        finding(edit(1, 2, 4, "cc")),
        finding(edit(2, 1, 1, "d")),
    ]
    one = fixed_text("aaaa\ne\n", found)
    assert ("bbaa\nde\n", [found[0], found[2]]) == (one.text, list(one.findings))
    touching = [finding(edit(1, 1, 3, "b")), finding(edit(1, 3, 4, "c"))]
    assert "baa\n" == fixed_text("aaaa\n", touching).text


def test_the_same_edit_of_two_fixes_is_made_once() -> None:
    line = edit(1, 1, 1, "import math\n")
    found = [finding(line, edit(1, 1 + at, 2 + at, "b")) for at in (2, 4)]
    assert "import math\na,b,b\n" == fixed_text("a,a,a\n", found).text


def test_unsafe_fixes_are_carried_out_if_they_are_wanted() -> None:
    found = [finding(edit(1, 1, 2, "b"), applicability=Applicability.UNSAFE)]
    assert "a\n" == fixed_text("a\n", found, is_safe).text
    assert "b\n" == fixed_text("a\n", found, is_fixable).text


def test_a_fix_that_breaks_the_file_is_left_out() -> None:
    found = [finding(edit(1, 1, 2, "(")), finding(edit(2, 1, 2, "c"))]
    one = fixed_text("a\nb\n", found)
    assert ("a\nc\n", [found[1]]) == (one.text, list(one.findings))
    # Of a file that is not Python before, nothing can be asked after.
    assert "((\n" == fixed_text("a(\n", [finding(edit(1, 1, 2, "("))]).text


def test_a_fix_that_leaves_its_finding_is_taken_back() -> None:
    one = settled("a\n", lambda text: [finding(edit(1, 1, 1, "b"))])
    assert ("a\n", ()) == (one.text, one.findings)
    assert [None] == [it.fix for it in one.left]
    assert ["JAX999"] == [it.code for it in one.refused]


def test_a_difference_has_the_lines_of_python() -> None:
    text = difference("f.py", "a\n\fb\x1c\nc", "a\n\fb\x1c\nd")
    assert "--- f.py\n+++ f.py\n@@ -1,3 +1,3 @@\n a\n \fb\x1c\n" in text
    assert text.endswith("-c\n\\ No newline at end of file\n+d\n\\ No newline at end of file\n")
    assert "" == difference("f.py", "a\n", "a\n")
