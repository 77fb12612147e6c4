"""Findings as workflow commands, which GitHub Actions shows as annotations of the code."""

from __future__ import annotations

import os

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.printable import clean, one_line
from jaxlint.base.text import SourceText
from jaxlint.report.formatter import Formatter, RunResult
from jaxlint.report.notebook_lines import spot_of, spot_of_step
from jaxlint.results.report import Report

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.PERF: "warning",
    Severity.INFO: "notice",
}


class GitHub(Formatter):
    """A command for each finding, with absolute paths: those are right in every directory."""

    def add(self, report: Report) -> str:
        return "".join(self._annotation(finding, report.source) for finding in report.findings)

    def end(self, outcome: RunResult) -> str:
        return "".join(
            _command(
                "error",
                {"title": "jaxlint", "file": self._full(problem.filename)},
                one_line(f"{problem.filename}: {problem.message}"),
            )
            for problem in outcome.problems
        )

    def _annotation(self, finding: Finding, source: SourceText | None) -> str:
        span = spot_of(finding, source).in_file
        properties: dict[str, object] = {
            "title": f"jaxlint ({finding.code})",
            "file": self._full(finding.filename),
            "line": span.line,
            "endLine": span.end_line,
        }
        if span.line == span.end_line:
            # GitHub takes columns only with findings on one line.
            properties |= {"col": span.column, "endColumn": span.end_column}
        return _command(_COMMANDS[finding.severity], properties, _message(finding, source))

    def _full(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.scene.directory, path))


def _message(finding: Finding, source: SourceText | None) -> str:
    place = spot_of(finding, source)
    verdict = f" [{finding.verdict.status}]" if finding.verdict else ""
    lines = [one_line(f"{place}: {finding.code} {finding.message}") + verdict]
    for step in finding.because:
        where = spot_of_step(step, finding, source)
        lines.append(one_line(f"because: {where}: {step.message}"))
    for step in finding.places:
        lines.append(one_line(f"also: {spot_of_step(step, finding, source)}: {step.message}"))
    if finding.help:
        lines.append(one_line(f"help: {finding.help}"))
    return "\n".join(lines)


def _command(name: str, properties: dict[str, object], message: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return clean(_data(text)).replace(":", "%3A").replace(",", "%2C")
