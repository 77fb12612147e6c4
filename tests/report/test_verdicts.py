"""Verdicts in reports: the notes below a finding, the brackets on one line, JSON, the totals."""

from __future__ import annotations

import json as standard_json
from dataclasses import replace
from typing import Any

import pytest

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.text import SourceText, Span
from jaxlint.base.verdict import Status, Verdict
from jaxlint.report.formats import json, text

SOURCE = SourceText("demo.py", "import jax\n\nrate = 2.5\n\ny = x * rate\n")
FINDING = Finding(
    "demo.py", Span(5, 9, 5, 13), "JAX205", "stale-global-capture", Severity.WARNING, "is frozen",
    help="pass it",
)  # fmt: skip


def notes(status: Status, summary: str = "it is so", **fields: Any) -> list[str]:
    """The notes of the full form, without their bars."""
    judged = replace(FINDING, verdict=Verdict(status, summary, **fields))
    shown = text.full(judged, SOURCE).splitlines()
    return [line.partition(" = ")[2] for line in shown if " = " in line and "|" not in line]


def test_a_frozen_value_is_shown_as_two_equations() -> None:
    evidence = {"before": "mul b 2.5:f32[]", "after": "mul b 3.5:f32[]", "value": "2.5"}
    shown = notes(Status.CONFIRMED, signatures=("x: f32[4] (recorded)",), evidence=evidence)
    assert shown == [
        "verdict: confirmed with x: f32[4] (recorded)",
        "evidence: it is so",
        "evidence: before: mul b 2.5:f32[]",
        "evidence: after:  mul b 3.5:f32[]",
        "help: pass it",
    ]


@pytest.mark.parametrize(
    "status, fields, headline",
    [
        (
            Status.CONFIRMED_IF,
            {"assumption": "`n` is a traced i32[]", "signatures": ("n: i32[] (invented)",)},
            "confirmed if `n` is a traced i32[], with n: i32[] (invented)",
        ),
        (
            Status.CONFIRMED_NEXT,
            {"signatures": ("n=2 (given)",)},
            "confirmed next with n=2 (given)",
        ),
        (
            Status.REFUTED_FOR,
            {"signatures": ("a (run)", "b (run)", "c (run)", "d (run)", "e (run)")},
            "refuted for a (run); b (run); c (run); and 2 more",
        ),
        (Status.EAGER_ONLY, {}, "eager only"),
    ],
)
def test_the_headline_says_what_the_verdict_rests_on(
    status: Status, fields: dict[str, Any], headline: str
) -> None:
    assert [f"verdict: {headline}", "evidence: it is so"] == notes(status, **fields)[:2]


@pytest.mark.parametrize("status", [Status.NOT_REACHED, Status.INCONCLUSIVE])
def test_where_nothing_was_seen_the_reason_stands_alone(status: Status) -> None:
    shown = notes(status, "no arguments")
    assert [f"verdict: {status.replace('-', ' ')}: no arguments", "help: pass it"] == shown


def test_what_user_code_printed_cannot_move_the_cursor() -> None:
    shown = notes(Status.CONFIRMED, evidence={"stdout": "\x1b[2Jone\ntwo\nthree\nfour\nfive\n"})
    assert "evidence: prints: \N{SYMBOL FOR ESCAPE}[2Jone" in shown
    assert shown[-2] == "evidence: prints 2 more lines"


def test_other_places_and_signatures_are_named() -> None:
    evidence = {
        "place": {"line": 9, "column": 4},
        "uses": [{"line": 5, "column": 8}, "demo.py:6"],
        "absent_for": ["n=2 (recorded)"],
    }
    assert notes(Status.CONFIRMED, evidence=evidence)[2:-1] == [
        "evidence: at line 9, column 5",
        "evidence: consumed at line 5, column 9",
        "evidence: consumed at demo.py:6",
        "evidence: not seen with n=2 (recorded)",
    ]
    assert "evidence: at" not in "\n".join(
        notes(Status.CONFIRMED, evidence={"place": {"line": 5, "column": 8}})
    )


def test_a_whole_program_follows_the_finding() -> None:
    verdict = Verdict(Status.CONFIRMED, "so", evidence={"program": "{ lambda ; a.\n  let b = a }"})
    shown = text.full(replace(FINDING, verdict=verdict), SOURCE)
    assert shown.endswith("= help: pass it\n\n    { lambda ; a.\n      let b = a }\n\n")


def test_one_line_carries_the_status() -> None:
    judged = replace(FINDING, verdict=Verdict(Status.REFUTED_FOR, "so"))
    assert text.concise(judged) == "demo.py:5:9: JAX205 is frozen [refuted-for]\n"
    assert text.concise(FINDING) == "demo.py:5:9: JAX205 is frozen\n"


def test_the_summary_counts_verdicts_from_the_strongest_down() -> None:
    judged = [
        replace(FINDING, verdict=Verdict(status, "so"))
        for status in (Status.NOT_REACHED, Status.CONFIRMED, Status.NOT_REACHED)
    ]
    assert text.summary([*judged, FINDING], 1).splitlines() == [
        "Found 4 findings in 1 file (4 warnings).",
        "Verdicts: 1 confirmed, 2 not reached.",
    ]


def test_json_holds_everything() -> None:
    verdict = Verdict(
        Status.CONFIRMED_IF,
        "so",
        "`n` is traced",
        ("n: i32[] (invented)",),
        {"jax": "0.10.2"},
        True,
    )
    judged, plain = standard_json.loads(json.findings([replace(FINDING, verdict=verdict), FINDING]))
    assert judged["verdict"] == {
        "status": "confirmed-if",
        "summary": "so",
        "assumption": "`n` is traced",
        "signatures": ["n: i32[] (invented)"],
        "is_invented": True,
        "evidence": {"jax": "0.10.2"},
    }
    assert "verdict" not in plain
