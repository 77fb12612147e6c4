"""Findings as failed tests, for all that shows reports of JUnit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import splitext

from jaxlint.base.finding import Finding
from jaxlint.base.printable import clean, one_line
from jaxlint.base.text import SourceText
from jaxlint.project.file_systems.files import Problem
from jaxlint.report.formats import text
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.report.notebook_lines import spot_of
from jaxlint.results.report import Report

# What XML has no form for at all.
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLANKS = re.compile("([\t\n\r]+)")
_MARKUP = re.compile('[&<>"\t\n\r]|[^\\x00-\\x7f]')


class JUnit(Formatter):
    """A suite for each file with findings, and one failure for each finding.

    The document is ASCII, so that no encoding of standard output can spoil it.
    """

    def __init__(self, scene: RunContext) -> None:
        super().__init__(scene)
        self._suites: list[str] = []

    def add(self, report: Report) -> str:
        if report.findings:
            cases = [_case(finding, report.source) for finding in report.findings]
            self._suites.append(_suite(report.filename, cases, failures=len(cases)))
        return ""

    def end(self, outcome: RunResult) -> str:
        failures, errors = len(outcome.findings), len(outcome.problems)
        suites = [*self._suites, *map(_unchecked, outcome.problems)]
        if not suites:
            case = _element("testcase", {"name": "No findings", "classname": "jaxlint"})
            suites = [_suite("jaxlint", [case])]
        totals = {
            "name": "jaxlint",
            "tests": failures + errors or 1,
            "failures": failures,
            "errors": errors,
        }
        head = '<?xml version="1.0" encoding="utf-8"?>\n'
        return head + _element("testsuites", totals, suites)


def _suite(name: str, cases: Sequence[str], failures: int = 0, errors: int = 0) -> str:
    counts = {"tests": len(cases), "failures": failures, "errors": errors, "skipped": 0}
    return _element("testsuite", {"name": name, **counts}, cases)


def _case(finding: Finding, source: SourceText | None) -> str:
    place = spot_of(finding, source)
    about: dict[str, object] = {
        "name": f"{finding.code} {finding.name} {place.within}",
        "classname": splitext(finding.filename)[0],
        "file": finding.filename,
        "line": place.in_file.line,
    }
    kind = {"message": one_line(finding.message), "type": str(finding.severity)}
    return _element("testcase", about, [_element("failure", kind, body=_body(finding, source))])


def _body(finding: Finding, source: SourceText | None) -> str:
    """The finding in full, its source aside."""
    return text.full(finding, source, only_place=True).rstrip("\n")


def _unchecked(problem: Problem) -> str:
    kind = {"message": one_line(problem.message), "type": "unchecked"}
    about = {"name": "can be checked", "classname": splitext(problem.filename)[0]}
    case = _element("testcase", about, [_element("error", kind, body=one_line(problem.message))])
    return _suite(problem.filename, [case], errors=1)


def _element(
    name: str,
    attributes: dict[str, object] | dict[str, str] | dict[str, str | int],
    children: Sequence[str] = (),
    body: str = "",
) -> str:
    listed = "".join(f' {key}="{_escaped(str(value))}"' for key, value in attributes.items())
    if not (children or body):
        return f"<{name}{listed}/>\n"
    # Only in attributes would line ends become spaces.
    inside = _escaped(body).replace("&#10;", "\n") if body else "\n" + "".join(children)
    return f"<{name}{listed}>{inside}</{name}>\n"


def _escaped(words: str) -> str:
    # Blanks have a form in XML; whatever else is not printable has none that its readers show.
    shown = "".join(clean(part) if part.strip("\t\n\r") else part for part in _BLANKS.split(words))
    return _MARKUP.sub(_reference, _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", shown))


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found.group())};"
