"""Findings in SARIF 2.1.0, for code scanning and the viewers of editors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from jaxlint.base.finding import Applicability, Because, Finding, Fix, Severity
from jaxlint.base.own_codes import Meta
from jaxlint.base.text import SourceText, Span
from jaxlint.base.version import version
from jaxlint.project.file_systems.files import Problem
from jaxlint.registry.pages import page
from jaxlint.report import links
from jaxlint.report.formats import json
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.report.notebook_lines import has_lines_of_file, span_in, spot, spot_of, spot_of_step
from jaxlint.results.fingerprints import fingerprints
from jaxlint.results.report import Report
from jaxlint.rule import Rule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.PERF: "warning",
    Severity.INFO: "note",
}
# What GitHub sorts its alerts by.
_PROBLEMS = {"error": "error", "warning": "warning", "note": "recommendation"}
_ROOT = "%SRCROOT%"
# GitHub has a fingerprint of its own, and warns of others under its name.
_FINGERPRINT = "jaxlint/v1"


class Sarif(Formatter):
    """One log with one run. It holds the rules that were broken, and no times: the same findings
    have the same log."""

    def __init__(self, scene: RunContext) -> None:
        super().__init__(scene)
        self._results: list[dict[str, Any]] = []
        self._rules: dict[str, int] = {}

    def add(self, report: Report) -> str:
        path = links.relative(report.filename, self.scene.directory)
        known = fingerprints(report.findings, report.source, path)
        for finding, fingerprint in zip(report.findings, known, strict=True):
            self._results.append(self._result(finding, report.source, fingerprint))
        return ""

    def end(self, outcome: RunResult) -> str:
        run = {
            "tool": {"driver": self._driver()},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {_ROOT: {"uri": self._here()}},
            "invocations": [self._invocation(outcome)],
            "results": self._results,
        }
        return json.dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})

    def _driver(self) -> dict[str, Any]:
        return {
            "name": "jaxlint",
            "version": version,
            "semanticVersion": version,
            "informationUri": links.HOME,
            "rules": [_rule(self.scene.find(code)) for code in self._rules],
        }

    def _here(self) -> str:
        return links.uri(self.scene.directory.replace(os.sep, "/")).rstrip("/") + "/"

    def _invocation(self, outcome: RunResult) -> dict[str, Any]:
        invocation: dict[str, Any] = {
            "executionSuccessful": outcome.code in (0, 1),
            "exitCode": outcome.code,
            "workingDirectory": {"uri": self._here()},
        }
        if outcome.problems:
            notifications = [self._notification(problem) for problem in outcome.problems]
            invocation["toolExecutionNotifications"] = notifications
        return invocation

    def _notification(self, problem: Problem) -> dict[str, Any]:
        return {
            "level": "error",
            "message": {"text": f"{problem.filename}: {problem.message}"},
            "locations": [
                {"physicalLocation": {"artifactLocation": self._artifact(problem.filename)}}
            ],
        }

    def _result(
        self, finding: Finding, source: SourceText | None, fingerprint: str
    ) -> dict[str, Any]:
        result = {
            "ruleId": finding.code,
            "ruleIndex": self._rules.setdefault(finding.code, len(self._rules)),
            "level": _LEVELS[finding.severity],
            "message": {"text": spot_of(finding, source).worded(finding.message)},
            "locations": [self._location(finding.filename, finding.span, source)],
            "partialFingerprints": {_FINGERPRINT: fingerprint},
            "properties": _properties(finding, source),
        }
        if related := (*finding.because, *finding.places):
            result["relatedLocations"] = [
                {"id": number, **self._step(step, finding, source)}
                for number, step in enumerate(related, 1)
            ]
        if finding.fix is not None and has_lines_of_file(source):
            result["fixes"] = [self._fix(finding.fix, finding.filename)]
        if steps := finding.trail or finding.because:
            result["codeFlows"] = [self._flow(steps, finding, source)]
        return result

    def _fix(self, fix: Fix, path: str) -> dict[str, Any]:
        """A fix, which says in its words if it is not safe: SARIF has no place for that."""
        unsafe = " (unsafe: look at it)" if fix.applicability is Applicability.UNSAFE else ""
        replacements = [
            {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.replacement}}
            for edit in fix.whole
        ]
        return {
            "description": {"text": f"{fix.title}{unsafe}"},
            "artifactChanges": [
                {"artifactLocation": self._artifact(path), "replacements": replacements}
            ],
        }

    def _flow(
        self, steps: Sequence[Because], finding: Finding, source: SourceText | None
    ) -> dict[str, Any]:
        """The trail as the tracer goes it: from where tracing starts to the finding."""
        places = [self._step(step, finding, source) for step in reversed(steps)]
        places.append(
            {
                **self._location(finding.filename, finding.span, source),
                "message": {"text": spot_of(finding, source).worded(finding.message)},
            }
        )
        return {"threadFlows": [{"locations": [{"location": place} for place in places]}]}

    def _step(self, step: Because, finding: Finding, source: SourceText | None) -> dict[str, Any]:
        if step.filename and step.filename != finding.filename:
            source = self.scene.source(step.filename)
        path = step.filename or finding.filename
        place = self._location(path, span_in(step, source), source)
        message = spot_of_step(step, finding, source).worded(step.message)
        return {**place, "message": {"text": message}}

    def _location(self, path: str, span: Span, source: SourceText | None) -> dict[str, Any]:
        place = spot(path, span, source)
        region: dict[str, Any] = {**_region(place.in_file)}
        if source is not None:
            region["snippet"] = {"text": source.slice(span)}
        physical = {"artifactLocation": self._artifact(path), "region": region}
        cell = {"logicalLocations": [{"name": f"cell {place.cell}"}]} if place.cell else {}
        return {"physicalLocation": physical, **cell}

    def _artifact(self, path: str) -> dict[str, str]:
        short = links.relative(path, self.scene.directory)
        based = {} if os.path.isabs(short) else {"uriBaseId": _ROOT}
        return {"uri": links.uri(short), **based}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _properties(finding: Finding, source: SourceText | None) -> dict[str, Any]:
    """What SARIF has no place for."""
    found: dict[str, Any] = {
        "name": finding.name,
        "severity": str(finding.severity),
        "confidence": str(finding.confidence),
    }
    if finding.help:
        found["help"] = finding.help
    if finding.doubt is not None:
        found["doubt"] = json.step(finding.doubt, finding, source)
    if finding.minor:
        found["minor"] = finding.minor
    if finding.verdict is not None:
        found["verdict"] = json.verdict(finding.verdict)
    return found


def _rule(entry: Rule | Meta) -> dict[str, Any]:
    words = page(entry) or f"{entry.name}\n"
    summary, _, rest = words.strip().partition("\n\n")
    level = _LEVELS[entry.severity]
    return {
        "id": entry.code,
        "name": entry.name,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": rest.partition("\n## ")[0].strip() or summary},
        "help": {"text": words, "markdown": words},
        "helpUri": links.page(entry.name),
        "defaultConfiguration": {"enabled": entry.default, "level": level},
        "properties": {
            "tags": ["jax", _tag(entry.severity)],
            "problem.severity": _PROBLEMS[level],
        },
    }


def _tag(severity: Severity) -> str:
    return "performance" if severity is Severity.PERF else "correctness"
