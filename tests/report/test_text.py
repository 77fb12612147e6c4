"""Findings as text and JSON: whole reports are held against files in `golden`."""

from __future__ import annotations

import json as standard_json
from dataclasses import replace
from pathlib import Path

import pytest

from jaxlint.base.finding import Because, Confidence, Finding, Severity
from jaxlint.base.text import SourceText, Span
from jaxlint.report.formats import json, text

GOLDEN = Path(__file__).parent / "golden"

SOURCE = SourceText(
    "src/norm.py",
    "\n".join(
        [
            "import jax",
            "",
            "@jax.jit",
            "def clip(grad, limit):",
            "    norm = length(grad)",
            "    if norm > limit:",
            "        grad = grad / norm",
            "    return jax.debug.print(",
            "        grad,",
            "    )",
            "\tif\tgrad: pass",
            "größe = '长度' if grad else '\x1b[31m'",
        ]
    ),
)

TRAIL = (
    Because(Span(6, 8, 6, 12), "`norm` is computed from a traced value"),
    Because(Span(4, 10, 4, 14), "`grad` is a parameter of `clip`"),
    Because(Span(3, 2, 3, 9), "`clip` is jitted here"),
)


def finding(
    span: Span,
    code: str = "JAX301",
    severity: Severity = Severity.ERROR,
    *,
    message: str = "`if` needs the value of `norm > limit`",
    help: str = "",
    because: tuple[Because, ...] = (),
) -> Finding:
    return Finding(
        SOURCE.path,
        span,
        code,
        "branch-on-traced",
        severity,
        message,
        help,
        because,
        because,
    )


FINDINGS = [
    finding(Span(6, 8, 6, 20), help="use `jnp.where(norm > limit, a, b)`", because=TRAIL),
    finding(Span(8, 12, 10, 6), "JAX101", Severity.WARNING, message="spans three lines"),
    finding(Span(11, 5, 11, 9), "JAX901", Severity.PERF, message="stands behind two tabs"),
    finding(Span(12, 9, 12, 13), "JAX902", Severity.INFO, message="covers\nwide \x07characters"),
    finding(Span(1, 1, 1, 1), "JAX009", message="has no extent"),
]


DOUBTED = [
    replace(
        FINDINGS[0],
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        because=(*TRAIL[:2], replace(TRAIL[2], filename="src/train.py")),
        doubt=Because(Span(4, 16, 4, 21), "`limit` is traced only if it is passed"),
    ),
    replace(
        FINDINGS[1],
        confidence=Confidence.LOW,
        doubt=Because(Span(5, 12, 5, 24), "`length` is taken to give an array", "src/shapes.py"),
    ),
]


def check_golden(name: str, actual: str) -> None:
    assert (GOLDEN / name).read_text(encoding="utf-8") == actual


@pytest.mark.parametrize("colour", [False, True])
def test_the_full_form_shows_source_reasons_and_help(colour: bool) -> None:
    actual = "".join(text.full(found, SOURCE, colour=colour) for found in FINDINGS)
    check_golden("full-colour.txt" if colour else "full.txt", actual)


@pytest.mark.parametrize("colour", [False, True])
def test_the_concise_form_takes_one_line(colour: bool) -> None:
    actual = "".join(text.concise(found, colour=colour) for found in FINDINGS)
    check_golden("concise-colour.txt" if colour else "concise.txt", actual)


def test_json_is_a_list_of_objects() -> None:
    check_golden("findings.json", json.findings(FINDINGS[:2]))


def test_what_is_not_certain_says_why() -> None:
    check_golden("doubted.txt", "".join(text.full(found, SOURCE) for found in DOUBTED))
    check_golden("doubted.json", json.findings(DOUBTED))


def test_json_of_nothing_is_an_empty_list() -> None:
    assert standard_json.loads(json.findings([])) == []


def test_statistics_are_sorted_by_count_and_code() -> None:
    counted = text.counts([*FINDINGS, *FINDINGS[2:4], *FINDINGS[:1] * 9])
    check_golden("statistics.txt", text.statistics(counted))
    check_golden("statistics.json", json.statistics(counted))


def carets(line: str, start: int, end: int) -> tuple[str, str]:
    """The source line and the line below it in the full form."""
    rows = text.full(finding(Span(1, start, 1, end)), SourceText("a.py", line)).splitlines()
    return rows[3].partition("| ")[2], rows[4].partition("| ")[2]


@pytest.mark.parametrize(
    "line, start, end, expected",
    [
        ("x = y", 5, 6, "    ^"),
        ("\tx = y", 2, 3, "    ^"),
        ("x\t= y", 4, 5, "      ^"),
        ("'长' + y", 7, 8, "       ^"),
        ("'长长' + y", 1, 5, "^^^^^^"),
        ("'e\u0301' + y", 8, 9, "      ^"),
        ("x = y", 6, 6, "     ^"),
        ("x = y", 99, 120, "     ^"),
        ("'\x1b' + y", 7, 8, "      ^"),
        ("'\u202e' + y", 7, 8, "      ^"),
    ],
)
def test_carets_stand_below_what_they_mean(line: str, start: int, end: int, expected: str) -> None:
    assert expected == carets(line, start, end)[1]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (1, 2, ("aaaa", "…", "^")),
        (500, 501, ("…aaaa", "…", " " * 41 + "^")),
        (1000, 1001, ("…aaaa", "ab", " " * 240 + "^")),
        (200, 900, ("…aaaa", "…", " " * 41 + "^" * 200)),
    ],
)
def test_of_a_long_line_there_is_a_window(
    start: int, end: int, expected: tuple[str, str, str]
) -> None:
    line, under = carets("a" * 999 + "b", start, end)
    first, last, marked = expected
    assert line.startswith(first) and line.endswith(last) and len(line) <= 242
    assert marked == under


def test_neighbours_of_a_line_are_cut_too() -> None:
    long = "a" * 100_000
    source = SourceText("a.py", f"{long}\nx = y\n{long}")
    assert 1_000 > len(text.full(finding(Span(2, 1, 2, 2)), source))


@pytest.mark.parametrize("bad", ["\x1b", "\x07", "\x7f", "\u202e", "\u2028"])
def test_nothing_in_the_source_reaches_the_terminal_as_a_command(bad: str) -> None:
    found = Finding(
        f"{bad}.py",
        Span(1, 1, 1, 2),
        "JAX301",
        "n",
        Severity.ERROR,
        f"m{bad}m",
        f"h{bad}h",
        (Because(Span(1, 1, 1, 2), f"b{bad}b"),),
    )
    for shown in (text.full(found, SourceText(f"{bad}.py", f"x{bad}y")), text.concise(found)):
        assert bad not in shown


def test_a_finding_without_source_has_no_frame() -> None:
    shown = text.full(finding(Span(1, 1, 1, 1), help="look"), None)
    assert "|" not in shown
    assert "= help: look" in shown


def test_a_place_outside_the_source_has_no_frame() -> None:
    assert "|" not in text.full(finding(Span(99, 1, 99, 2)), SOURCE)


@pytest.mark.parametrize(
    "findings, expected",
    [
        ([], "No findings in 3 files.\n"),
        (FINDINGS[:1], "Found 1 finding in 1 file (1 error).\n"),
        (
            [*FINDINGS, *FINDINGS[2:4]],
            "Found 7 findings in 1 file (2 errors, 1 warning, 2 performance findings, 2 notes).\n",
        ),
    ],
)
def test_the_summary_counts_by_severity(findings: list[Finding], expected: str) -> None:
    assert expected == text.summary(findings, 3)


def test_a_table_is_aligned_without_trailing_space() -> None:
    assert text.table([("a", "bcd", "x"), ("efg", "h", "")]) == "a    bcd  x\nefg  h\n"
