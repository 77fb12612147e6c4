"""Findings and rules for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from jaxlint.base.finding import Because, Finding
from jaxlint.base.text import Span
from jaxlint.base.verdict import Verdict


def findings(found: Iterable[Finding]) -> str:
    """A JSON list with one object a finding."""
    return dump([_finding(finding) for finding in found])


def statistics(rows: Iterable[tuple[int, str, str]]) -> str:
    """A JSON list of how often each code was found."""
    return dump([{"count": count, "code": code, "name": name} for count, code, name in rows])


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
        "because": [_step(step) for step in finding.because],
        "trail": [_step(step) for step in finding.trail],
    }
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


def _step(step: Because) -> dict[str, Any]:
    return {**_place(step.span), "message": step.message}


def _place(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
