"""Pages are read right, and the static half of their proof lets no lie pass."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.text import Span
from jaxlint.testing.expectations import disagreements
from jaxlint.testing.markers import Marker, PageError, read_markers
from jaxlint.testing.pages import Page, docstring_lines, parse_page, read_page


def page_of(text: str) -> Page:
    return parse_page(dedent(text).splitlines(), 1, "own-rule", "page.md")


def finding(line: int, name: str = "own-rule", severity: Severity = Severity.ERROR) -> Finding:
    return Finding("page.md", Span(line, 1, line, 2), "JAX999", name, severity, "because")


def told(text: str, *findings: Finding) -> list[str]:
    """What the static half says of a page with one example."""
    return disagreements(page_of(text).examples[0], findings, ["other-rule", "own-rule"])


# Reading


def test_the_lines_of_a_page_are_those_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "own_rule.py"
    path.write_text(
        '"""\nSummary.\n\n## Here\n\n```py\nx = 1\nx  # error\n```\n\n```py fixed\n2\n```\n"""\n'
    )
    page = read_page(path, "own-rule")
    assert "Summary." == page.title
    first, second = page.examples
    assert (7, "Here", "x = 1\nx  # error\n") == (first.line, first.heading, first.code)
    assert (Marker(8, "error", "own-rule"),) == first.markers
    assert (12, True) == (second.line, second.is_fixed)
    assert first is page.hazard_above(second)
    assert "x  # error" == first.program.splitlines()[7]


def test_the_summary_may_stand_behind_the_quotes() -> None:
    assert (["One line.", "", "More.", ""], 1) == docstring_lines(
        '"""One line.\n\nMore.\n\n"""\n', "rule.py"
    )


def test_markers_name_their_kind_and_rules() -> None:
    code = "a  # error\nb  # a remark  # error: [p, q]\nc  # missed: [p]  # false-alarm\n"
    assert (
        Marker(5, "error", "own"),
        Marker(6, "error", "p"),
        Marker(6, "error", "q"),
        Marker(7, "false-alarm", "own"),
        Marker(7, "missed", "p"),
    ) == read_markers(code, 5, "own", "page.md")


def test_a_block_may_be_about_some_versions_of_jax() -> None:
    example = page_of("```py jax>=0.8 jax<0.10\nx\n```").examples[0]
    assert (">=0.8", "<0.10") == example.versions
    versions = ("0.7.2", "0.8", "0.8.0.dev1", "0.9.1", "0.10.0", "0.10", "1.0")
    meant = [version for version in versions if example.is_about(version)]
    assert ["0.8", "0.8.0.dev1", "0.9.1"] == meant
    assert page_of("```py\nx\n```").examples[0].is_about("0.4.30")


def test_a_marker_in_a_string_is_none() -> None:
    assert () == read_markers("x = '# error'\n", 1, "own", "page.md")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```py\nx\n", "never closed"),
        ("```\nx\n```", "names no language"),
        ("```python\nx\n```", "fenced as `py`"),
        ("```py fixd\nx\n```", "fence words"),
        ("```py no-jax\nx\n```", "fence words"),
        ("```py jax>0.8\nx\n```", "fence words"),
        ("```py\nx  # error: own-rule\n```", "starts like a marker"),
        ("```py\nx  # missed the bus\n```", "starts like a marker"),
        ("```py fixed\nx  # error\n```", "a fix has no markers"),
        ("```py\nx = (\n```", "not Python"),
    ],
)
def test_a_malformed_page_is_an_error_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(PageError, match=rf"^page\.md:\d+: .*{complaint}"):
        page_of(text)


@pytest.mark.parametrize("source", ["x = 1\n", '"""A \\n b."""\n', "'''Quoted otherwise.'''\n"])
def test_a_module_without_a_plain_docstring_has_no_page(source: str) -> None:
    with pytest.raises(PageError, match=r"^rule\.py:1: "):
        docstring_lines(source, "rule.py")


def test_a_fix_without_a_hazard_above_is_an_error() -> None:
    page = page_of("```py fixed\n1\n```\n\n```py\n1  # error\n```")
    with pytest.raises(PageError, match="no hazard above"):
        page.hazard_above(page.examples[0])


# The static half

HAZARD = """\
    ```py
    x = 1
    x + 1  # error
    ```
    """


def test_a_finding_on_the_marked_line_is_right() -> None:
    assert [] == told(HAZARD, finding(3))


def test_a_blind_rule_is_caught() -> None:
    assert ["page.md:3: own-rule is not reported, but marked"] == told(HAZARD)


def test_a_marker_on_the_wrong_line_is_caught_twice() -> None:
    assert [
        "page.md:2: own-rule is reported: because",
        "page.md:3: own-rule is not reported, but marked",
    ] == told(HAZARD, finding(2))


@pytest.mark.parametrize("name", ["other-rule", "own-rule"])
def test_a_look_alike_is_silent_for_every_error(name: str) -> None:
    assert [f"page.md:2: {name} is reported: because"] == told("```py\n1\n```", finding(2, name))


def test_a_look_alike_may_draw_a_warning_of_another_rule() -> None:
    other = finding(2, "other-rule", Severity.WARNING)
    assert [] == told("```py\n1\n```", other)
    own = finding(2, "own-rule", Severity.WARNING)
    assert ["page.md:2: own-rule is reported: because"] == told("```py\n1\n```", own)


def test_another_rule_must_be_named_where_nothing_is_marked() -> None:
    assert ["page.md:2: other-rule is reported: because"] == told(
        HAZARD, finding(2, "other-rule"), finding(3)
    )
    assert [] == told(HAZARD, finding(3, "other-rule"), finding(3))


def test_a_named_rule_must_report_too() -> None:
    text = "```py\n1  # error: [other-rule]\n```"
    assert ["page.md:2: other-rule is not reported, but marked"] == told(text)
    assert [] == told(text, finding(2, "other-rule"))


def test_known_gaps_are_held_to() -> None:
    missed = "```py\n1  # missed: [own-rule]\n```"
    assert [] == told(missed)
    assert ["page.md:2: own-rule is reported, but marked as missed"] == told(missed, finding(2))
    alarm = "```py\n1  # false-alarm: [own-rule]\n```"
    assert [] == told(alarm, finding(2))
    assert ["page.md:2: own-rule is not reported, but marked"] == told(alarm)


def test_a_marker_for_a_rule_that_does_not_exist_is_caught() -> None:
    assert "page.md:2: there is no rule misspelt" in told("```py\n1  # missed: [misspelt]\n```")


# The pytest plugin


@pytest.mark.jax
def test_pytest_runs_a_page_in_both_worlds(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\njaxlint_pages = pages\n")
    pages = pytester.mkdir("pages")
    (pages / "README.md").write_text("```py\nnot a page\n```\n")
    text = "```py\njax.jit(lambda x: 1 if x else 0)(1)  # error\n```\n"
    text += '\n```py\n1 / 0\n```\n\n```py no-jax="no reason"\n1\n```\n'
    (pages / "branch-on-traced.md").write_text(text)
    # In a process of its own: JAX cannot be imported twice in one, and pytester forgets imports.
    result = pytester.runpytest_subprocess(
        "-p", "jaxlint.testing.pytest_plugin", "-rA", "-k", "jax]"
    )
    result.assert_outcomes(passed=2, failed=1, skipped=1, deselected=4)
    result.stdout.fnmatch_lines(
        [
            "*branch-on-traced.md:6: must run clean, but raised ZeroDivisionError at line 6*",
            "*1 without JAX: no reason",
            "PASSED *::branch-on-traced:2[[]jax]",
        ]
    )
