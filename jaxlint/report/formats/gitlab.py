"""Findings as a Code Quality report, which GitLab shows in merge requests."""

from __future__ import annotations

import os
from typing import Any

from jaxlint.base.finding import Finding, Severity
from jaxlint.report.formats.json import dump
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.report.links import relative
from jaxlint.report.notebook_lines import Spot, spot_of
from jaxlint.results.fingerprints import fingerprints
from jaxlint.results.report import Report

_SEVERITIES = {
    Severity.ERROR: "major",
    Severity.WARNING: "minor",
    Severity.PERF: "minor",
    Severity.INFO: "info",
}


class GitLab(Formatter):
    """A list of objects. Paths start where GitLab says that the repository is, else here."""

    def __init__(self, scene: RunContext) -> None:
        super().__init__(scene)
        self._root = os.environ.get("CI_PROJECT_DIR") or scene.directory
        self._rows: list[dict[str, Any]] = []

    def add(self, report: Report) -> str:
        path = relative(os.path.join(self.scene.directory, report.filename), self._root)
        known = fingerprints(report.findings, report.source, path)
        for finding, fingerprint in zip(report.findings, known, strict=True):
            place = spot_of(finding, report.source)
            self._rows.append(_row(finding, place, path, fingerprint))
        return ""

    def end(self, outcome: RunResult) -> str:
        return dump(self._rows)


def _row(finding: Finding, place: Spot, path: str, fingerprint: str) -> dict[str, Any]:
    span = place.in_file
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {place.worded(finding.message)}",
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": path,
            "positions": {
                "begin": {"line": span.line, "column": span.column},
                "end": {"line": span.end_line, "column": span.end_column},
            },
        },
    }
