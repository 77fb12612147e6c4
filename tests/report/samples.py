"""Reports to be written in each format, and the formats applied to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jaxlint.base.finding import Because, Confidence, Finding, Severity
from jaxlint.base.own_codes import Meta
from jaxlint.base.text import SourceText, Span
from jaxlint.base.verdict import Status, Verdict
from jaxlint.project.file_systems.files import Problem
from jaxlint.report.formats import table
from jaxlint.report.formatter import RunContext, RunResult
from jaxlint.results.report import Report

HERE = "/home/me/my project"
PAGE = "Python branches on a traced value.\n\nIt has none.\n\n## Example\n\n`if x: ...`\n"
NORM = SourceText(
    "src/norm.py",
    "import jax\n\n@jax.jit\ndef clip(grad, 名):\n"
    "    '😀é'; return (grad if 名 > 0 else\n        2)\n",
)
OTHER = SourceText("src/größe 1.py", "from norm import clip\n'é'; clip(1, 2)\n")
BRANCH = Finding(
    NORM.path,
    Span(5, 27, 5, 32),
    "JAX301",
    "branch-on-traced",
    Severity.ERROR,
    "`if` needs the value of `名 > 0`: 100%, really",
    "use `jnp.where(a, b, c)`",
    (Because(Span(4, 16, 4, 17), "`名` is a parameter of `clip`"),),
    (
        Because(Span(4, 16, 4, 17), "`名` is a parameter of `clip`"),
        Because(Span(2, 6, 2, 10), "`clip` is called here", OTHER.path),
        Because(Span(3, 2, 3, 9), "`clip` is jitted here"),
    ),
)
FINDINGS = (
    BRANCH,
    replace(BRANCH, message="the same line again", because=(), trail=(), help=""),
    Finding(
        NORM.path,
        Span(5, 19, 6, 11),
        "JAX901",
        "slow",
        Severity.PERF,
        "spans two lines",
        because=(Because(Span(2, 6, 2, 10), "called here", OTHER.path),),
        confidence=Confidence.LOW,
        doubt=Because(Span(4, 10, 4, 14), "`grad` is taken to be an array"),
    ),
    Finding(NORM.path, Span(1, 1, 1, 1), "JAX902", "told", Severity.INFO, "has no extent"),
)
JUDGED = replace(
    BRANCH,
    severity=Severity.WARNING,
    verdict=Verdict(Status.CONFIRMED, "raises", "", ("x: f32[]",), {"jax": "0.10.2"}),
)
REPORTS = (
    Report(NORM.path, FINDINGS, source=NORM),
    Report("src/clean.py"),
    Report(
        OTHER.path,
        (replace(JUDGED, filename=OTHER.path, span=Span(2, 6, 2, 10), trail=()),),
        source=OTHER,
    ),
)
PROBLEMS = (Problem("gone, 1.py", "no such file or directory"),)
SOURCES = {NORM.path: NORM, OTHER.path: OTHER}


def find(code: str) -> Meta:
    """A rule of this code."""
    return Meta(code, "branch-on-traced", PAGE, Severity.WARNING)


def written(
    name: str,
    reports: Sequence[Report] = REPORTS,
    problems: Sequence[Problem] = PROBLEMS,
    sources: Mapping[str, SourceText] = SOURCES,
    directory: str = HERE,
) -> str:
    """What a format makes of reports."""
    form = table.load(name)(RunContext(find, sources.get, directory))
    findings = [finding for report in reports for finding in report.findings]
    code = 2 if problems else 1 if findings else 0
    parts = [form.add(report) for report in reports]
    return "".join(parts) + form.end(RunResult(code, findings, problems))
