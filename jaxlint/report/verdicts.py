"""Verdicts in words: the line that says how sure we are, and the evidence below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jaxlint.base.finding import Finding
from jaxlint.base.text import Span
from jaxlint.base.verdict import Status, Verdict

_WORDS = {status: status.value.replace("-", " ") for status in Status}
COLOURS = {
    Status.CONFIRMED: "red",
    Status.CONFIRMED_NEXT: "red",
    Status.CONFIRMED_IF: "yellow",
    Status.REFUTED_FOR: "green",
}
_MOST_SIGNATURES = 3
_MOST_OUTPUT_LINES = 3


def headline(verdict: Verdict) -> str:
    """How sure, for which arguments: "confirmed with x: f32[4] (recorded)"."""
    if verdict.status in (Status.NOT_REACHED, Status.INCONCLUSIVE):
        return f"{_WORDS[verdict.status]}: {verdict.summary}"
    text = _WORDS[verdict.status]
    if verdict.assumption:
        text += f" {verdict.assumption}" if text.endswith(" if") else f" if {verdict.assumption}"
    if verdict.signatures:
        joint = "" if verdict.status is Status.REFUTED_FOR else "with "
        text += f"{', ' if verdict.assumption else ' '}{joint}{_some(verdict.signatures)}"
    return text


def evidence(verdict: Verdict, span: Span) -> Iterator[str]:
    """What was seen, one line each, for a finding at this span."""
    if verdict.status in (Status.NOT_REACHED, Status.INCONCLUSIVE):
        return
    yield verdict.summary
    found = verdict.evidence
    place = found.get("place")
    if isinstance(place, Mapping) and not span.line <= place["line"] <= span.end_line:
        yield f"at {_place(place)}"
    if "before" in found and "after" in found:
        yield f"before: {found['before']}"
        yield f"after:  {found['after']}"
    lines = str(found.get("stdout") or "").splitlines()
    for line in lines[:_MOST_OUTPUT_LINES]:
        yield f"prints: {line}"
    if len(lines) > _MOST_OUTPUT_LINES:
        yield f"prints {len(lines) - _MOST_OUTPUT_LINES} more lines"
    for use in found.get("uses") or ():
        yield f"consumed at {_place(use)}"
    if absent := found.get("absent_for"):
        yield f"not seen with {_some(absent)}"


def program(verdict: Verdict | None) -> str:
    """The whole traced program, if it was asked for."""
    return "" if verdict is None else str(verdict.evidence.get("program") or "")


def totals(findings: Iterable[Finding]) -> str:
    """The counts of all verdicts: "2 confirmed, 1 not reached"; empty where there are none."""
    counted = Counter(found.verdict.status for found in findings if found.verdict)
    return ", ".join(f"{counted[status]} {_WORDS[status]}" for status in Status if counted[status])


def _some(signatures: Iterable[str]) -> str:
    listed = list(signatures)
    shown = "; ".join(listed[:_MOST_SIGNATURES])
    rest = len(listed) - _MOST_SIGNATURES
    return f"{shown}; and {rest} more" if rest > 0 else shown


def _place(place: Any) -> str:
    if not isinstance(place, Mapping):
        return str(place)
    column = place.get("column")
    line = f"line {place.get('line')}"
    return line if column is None else f"{line}, column {int(column) + 1}"
