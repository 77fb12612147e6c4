"""Findings and rules for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from jaxlint.base.finding import Because, Finding
from jaxlint.base.reach import Survey
from jaxlint.base.text import Span
from jaxlint.base.verdict import Verdict
from jaxlint.report.silence import totals


def findings(found: Iterable[Finding], survey: Survey | None = None) -> str:
    """A JSON list with one object a finding; with a survey, an object that holds both."""
    rows = [_finding(finding) for finding in found]
    return dump(rows) if survey is None else dump({"findings": rows, "silence": totals(survey)})


def statistics(rows: Iterable[tuple[int, str, str]], survey: Survey | None = None) -> str:
    """A JSON list of how often each code was found; with a survey, an object that holds both."""
    counts = [{"count": count, "code": code, "name": name} for count, code, name in rows]
    if survey is None:
        return dump(counts)
    return dump({"statistics": counts, "silence": totals(survey)})


def dump(value: Any) -> str:
    """JSON in the layout that all our output has."""
    return json.dumps(value, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    row = {
        "filename": finding.filename,
        **_place(finding.span),
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "because": [_step(step, finding) for step in finding.because],
        "trail": [_step(step, finding) for step in finding.trail],
        "confidence": str(finding.confidence),
    }
    if finding.doubt is not None:
        row["doubt"] = _step(finding.doubt, finding)
    if finding.verdict is not None:
        row["verdict"] = _verdict(finding.verdict)
    return row


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": str(verdict.status),
        "summary": verdict.summary,
        "assumption": verdict.assumption,
        "signatures": list(verdict.signatures),
        "is_invented": verdict.is_invented,
        "evidence": dict(verdict.evidence),
    }


def _step(step: Because, finding: Finding) -> dict[str, Any]:
    filename = step.filename or finding.filename
    return {"filename": filename, **_place(step.span), "message": step.message}


def _place(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
