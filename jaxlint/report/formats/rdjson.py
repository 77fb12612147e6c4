"""Findings for reviewdog, in its diagnostic format."""

from __future__ import annotations

from typing import Any

from jaxlint.base.finding import Because, Finding, Severity
from jaxlint.base.text import SourceText, Span
from jaxlint.report.formats.json import dump
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.report.links import HOME, page
from jaxlint.report.notebook_lines import has_lines_of_file, span_in, spot_of, spot_of_step
from jaxlint.results.report import Report

_SEVERITIES = {
    Severity.ERROR: "ERROR",
    Severity.WARNING: "WARNING",
    Severity.PERF: "WARNING",
    Severity.INFO: "INFO",
}


class Rdjson(Formatter):
    """One object. Columns count the bytes of UTF-8."""

    def __init__(self, scene: RunContext) -> None:
        super().__init__(scene)
        self._rows: list[dict[str, Any]] = []

    def add(self, report: Report) -> str:
        self._rows += [self._row(finding, report) for finding in report.findings]
        return ""

    def end(self, outcome: RunResult) -> str:
        source = {"name": "jaxlint", "url": HOME}
        return dump({"source": source, "severity": "WARNING", "diagnostics": self._rows})

    def _row(self, finding: Finding, report: Report) -> dict[str, Any]:
        row: dict[str, Any] = {
            "message": spot_of(finding, report.source).worded(finding.message),
            "location": _location(finding.filename, finding.span, report.source),
            "severity": _SEVERITIES[finding.severity],
            "code": {"value": finding.code, "url": page(finding.name)},
        }
        if finding.fix is not None and has_lines_of_file(report.source):
            row["suggestions"] = [
                {"range": _range(edit.span, report.source), "text": edit.replacement}
                for edit in finding.fix.whole
            ]
        if related := (*finding.because, *finding.places):
            row["relatedLocations"] = [
                {
                    "message": spot_of_step(step, finding, report.source).worded(step.message),
                    "location": self._location_of(step, finding, report),
                }
                for step in related
            ]
        return row

    def _location_of(self, step: Because, finding: Finding, report: Report) -> dict[str, Any]:
        source = self.scene.source(step.filename) if step.filename else report.source
        return _location(step.filename or finding.filename, span_in(step, source), source)


def _location(path: str, span: Span, source: SourceText | None) -> dict[str, Any]:
    if source is not None and not has_lines_of_file(source):
        # Columns of its cells are not those of the file.
        return {"path": path, "range": {"start": {"line": source.file_line(span.line)}}}
    return {"path": path, "range": _range(span, source)}


def _range(span: Span, source: SourceText | None) -> dict[str, Any]:
    start, end = {"line": span.line}, {"line": span.end_line}
    if source is not None:
        start["column"] = _column(source, span.line, span.column)
        end["column"] = _column(source, span.end_line, span.end_column)
    return {"start": start, "end": end}


def _column(source: SourceText, line: int, column: int) -> int:
    before = source.line(line)[: column - 1]
    return len(before.encode("utf-8", "replace")) + 1
