"""Findings and rules for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from jaxlint.base.finding import Because, Finding
from jaxlint.base.reach import Survey
from jaxlint.base.text import Span
from jaxlint.base.verdict import Verdict
from jaxlint.report.form import Form, Outcome
from jaxlint.report.silence import totals
from jaxlint.reports import Report

# Halves of characters, as they stand for bytes of file names that are no text. JSON has no form
# for them that all its readers take.
_HALVES = re.compile("[\ud800-\udfff]")


class Json(Form):
    """A list of objects, or one object with the survey too."""

    holds_survey = True

    def end(self, outcome: Outcome) -> str:
        return findings(outcome.findings, outcome.survey)


class JsonLines(Form):
    """An object on each line."""

    def add(self, report: Report) -> str:
        return "".join(dump(row(finding), None) for finding in report.findings)


def findings(found: Iterable[Finding], survey: Survey | None = None) -> str:
    """A JSON list with one object a finding; with a survey, an object that holds both."""
    rows = [row(finding) for finding in found]
    return dump(rows) if survey is None else dump({"findings": rows, "silence": totals(survey)})


def statistics(rows: Iterable[tuple[int, str, str]], survey: Survey | None = None) -> str:
    """A JSON list of how often each code was found; with a survey, an object that holds both."""
    counts = [{"count": count, "code": code, "name": name} for count, code, name in rows]
    if survey is None:
        return dump(counts)
    return dump({"statistics": counts, "silence": totals(survey)})


def dump(value: Any, indent: int | None = 2) -> str:
    """JSON in the layout that all our output has: ASCII, so that no encoding can spoil it."""
    text = json.dumps(value, ensure_ascii=False)
    if _HALVES.search(text):
        value = json.loads(_HALVES.sub("\N{REPLACEMENT CHARACTER}", text))
    return json.dumps(value, indent=indent) + "\n"


def row(finding: Finding) -> dict[str, Any]:
    """All that there is to say about a finding."""
    found = {
        "filename": finding.filename,
        **_place(finding.span),
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "because": [step(one, finding) for one in finding.because],
        "trail": [step(one, finding) for one in finding.trail],
        "confidence": str(finding.confidence),
    }
    if finding.doubt is not None:
        found["doubt"] = step(finding.doubt, finding)
    if finding.verdict is not None:
        found["verdict"] = verdict(finding.verdict)
    return found


def verdict(judged: Verdict) -> dict[str, Any]:
    """What real JAX made of a finding."""
    return {
        "status": str(judged.status),
        "summary": judged.summary,
        "assumption": judged.assumption,
        "signatures": list(judged.signatures),
        "is_invented": judged.is_invented,
        "evidence": dict(judged.evidence),
    }


def step(one: Because, finding: Finding) -> dict[str, Any]:
    """One step of the reason for a finding."""
    filename = one.filename or finding.filename
    return {"filename": filename, **_place(one.span), "message": one.message}


def _place(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
