"""Findings and rules for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from jaxlint.base.finding import Because, Finding, Fix
from jaxlint.base.printable import in_json
from jaxlint.base.surveys.call_graph import Survey
from jaxlint.base.text import SourceText
from jaxlint.base.verdict import Verdict
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.report.notebook_lines import spot, spot_of, spot_of_step
from jaxlint.report.silence import totals
from jaxlint.results.report import Report

# Halves of characters, as they stand for bytes of file names that are no text. JSON has no form
# for them that all its readers take.
_HALVES = re.compile("[\ud800-\udfff]")


class Json(Formatter):
    """A list of objects, or one object with the survey too."""

    holds_survey = True

    def __init__(self, scene: RunContext) -> None:
        super().__init__(scene)
        # The files whose places are not those of their lines.
        self._celled: dict[str, SourceText] = {}

    def add(self, report: Report) -> str:
        if report.source is not None and report.source.cells:
            self._celled[report.filename] = report.source
        return ""

    def end(self, outcome: RunResult) -> str:
        return findings(outcome.findings, outcome.survey, self._celled)


class JsonLines(Formatter):
    """An object on each line."""

    def add(self, report: Report) -> str:
        return "".join(dump(row(finding, report.source), None) for finding in report.findings)


def findings(
    found: Iterable[Finding],
    survey: Survey | None = None,
    celled: Mapping[str, SourceText] = MappingProxyType({}),
) -> str:
    """A JSON list with one object a finding; with a survey, an object that holds both. `celled`
    are the files that have cells."""
    rows = [row(finding, celled.get(finding.filename)) for finding in found]
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
    return in_json(json.dumps(value, indent=indent)) + "\n"


def row(finding: Finding, source: SourceText | None = None) -> dict[str, Any]:
    """All that there is to say about a finding."""
    found = {
        "filename": finding.filename,
        **spot_of(finding, source).row,
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "because": [step(one, finding, source) for one in finding.because],
        "trail": [step(one, finding, source) for one in finding.trail],
        "confidence": str(finding.confidence),
    }
    if finding.doubt is not None:
        found["doubt"] = step(finding.doubt, finding, source)
    if finding.places:
        found["places"] = [step(one, finding, source) for one in finding.places]
    if finding.minor:
        found["minor"] = finding.minor
    if finding.verdict is not None:
        found["verdict"] = verdict(finding.verdict)
    if finding.fix is not None:
        found["fix"] = fix(finding.fix, finding.filename, source)
    return found


def fix(one: Fix, path: str, source: SourceText | None = None) -> dict[str, Any]:
    """A fix: whether it is safe, what it does, and what it puts in the place of what."""
    edits = [{**spot(path, it.span, source).row, "content": it.replacement} for it in one.whole]
    return {"applicability": str(one.applicability), "message": one.title, "edits": edits}


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


def step(one: Because, finding: Finding, source: SourceText | None = None) -> dict[str, Any]:
    """One step of the reason for a finding."""
    place = spot_of_step(one, finding, source)
    return {"filename": place.path, **place.row, "message": one.message}
