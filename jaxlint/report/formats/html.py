"""Findings as one page for browsers, which needs nothing beside it: no script, no other file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.printable import display, one_line
from jaxlint.base.text import SourceText
from jaxlint.base.version import version
from jaxlint.project.file_systems.files import Problem
from jaxlint.registry.pages import page
from jaxlint.report import links, verdicts
from jaxlint.report.formats import text
from jaxlint.report.formats.figure import ROW, Figure, Piece, Row, Stop, draw, lanes, trail
from jaxlint.report.formats.style import STYLE
from jaxlint.report.formatter import Formatter, RunContext, RunResult
from jaxlint.report.notebook_lines import spot, spot_of, spot_of_step
from jaxlint.results.report import Report

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_CODE = re.compile(r"(`+)(.+?)\1")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LABELS = {
    Severity.ERROR: "errors",
    Severity.WARNING: "warnings",
    Severity.PERF: "performance",
    Severity.INFO: "notes",
}


class Html(Formatter):
    """A page: the findings of each file with source, trail, verdict and help, then the rules."""

    def __init__(self, scene: RunContext) -> None:
        super().__init__(scene)
        self._parts: list[str] = []
        self._checked = 0
        self._number = 0

    def add(self, report: Report) -> str:
        self._checked += 1
        if report.findings:
            self._parts.append(f"<h2>{_words(report.filename)}</h2>\n")
        for finding in report.findings:
            self._number += 1
            self._parts += self._article(finding, report)
        return ""

    def end(self, outcome: RunResult) -> str:
        counted = Counter(finding.severity for finding in outcome.findings)
        parts = [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>jaxlint: {len(outcome.findings)} findings</title>\n",
            f"<style>{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>jaxlint</h1>\n",
            f"<p>{_words(text.summary(outcome.findings, self._checked))}</p>\n",
            *_filters(counted),
            "</header>\n<main>\n",
            *_unchecked(outcome.problems),
            *self._parts,
            *self._rules(outcome.findings),
            f'</main>\n<footer class="soft">jaxlint {version}</footer>\n</body>\n</html>\n',
        ]
        return _BEYOND_ASCII.sub(_reference, "".join(parts))

    def _article(self, finding: Finding, report: Report) -> Iterator[str]:
        severity = finding.severity.value
        place = str(spot_of(finding, report.source))
        sources = partial(self._source, report=report)
        stops = trail(finding, sources)
        yield f'<article class="{severity}" id="finding-{self._number}">\n'
        yield (
            f'<h3><b class="{severity}">{severity}</b> '
            f'<a href="#{finding.code}">{finding.code}</a> {_words(finding.name)}</h3>\n'
        )
        yield f"<p>{_marked(finding.message)}</p>\n"
        yield f'<p class="soft">{_words(place)}</p>\n'
        figure = draw(stops, sources)
        yield from self._figure(figure, len(stops))
        yield from self._steps(stops[:-1], figure, sources)
        yield from _verdict(finding)
        if finding.doubt is not None:
            yield f"<p>{finding.confidence} confidence: {_marked(finding.doubt.message)}</p>\n"
        for step in finding.places:
            at = spot_of_step(step, finding, report.source)
            yield f'<p class="soft">Also: {_words(str(at))}: {_marked(step.message)}</p>\n'
        if finding.minor:
            yield f"<p>Minor: {_marked(finding.minor)}</p>\n"
        if finding.help:
            yield f"<p><b>Help:</b> {_marked(finding.help)}</p>\n"
        yield "</article>\n"

    def _source(self, path: str, report: Report) -> SourceText | None:
        return report.source if path == report.filename else self.scene.source(path)

    def _figure(self, figure: Figure, last: int) -> Iterator[str]:
        if not figure.rows:
            return
        width, path = lanes(figure)
        height = ROW * len(figure.rows)
        numbers = "\n".join(str(row.number or "") for row in figure.rows)
        lines = "\n".join(self._line(row, last) for row in figure.rows)
        yield '<div class="figure">'
        if path:
            yield f'<svg width="{width}" height="{height}" aria-hidden="true">'
            yield f'<path d="{path}"/></svg>'
        # A line end right behind the tag does not count.
        yield f'<pre class="numbers">\n{numbers}</pre><pre class="lines">\n{lines}</pre></div>\n'

    def _line(self, row: Row, last: int) -> str:
        if row.path:
            return f"<b>{_words(row.path)}</b>"
        if not row.number:
            return '<span class="soft">\N{MIDLINE HORIZONTAL ELLIPSIS}</span>'
        return "".join(self._piece(piece, last) for piece in row.pieces)

    def _piece(self, piece: Piece, last: int) -> str:
        badges = "".join(
            f'<span class="stop" id="stop-{self._number}-{index}">{index}</span>'
            for index in piece.begins
            if index != last
        )
        shown = escape(display(piece.text))
        if not piece.within:
            return badges + shown
        kind = ' class="here"' if last in piece.within else ""
        return f"{badges}<mark{kind}>{shown}</mark>"

    def _steps(
        self,
        stops: Sequence[Stop],
        figure: Figure,
        sources: Callable[[str], SourceText | None],
    ) -> Iterator[str]:
        if stops:
            yield "<ol>\n"
            for index, stop in enumerate(stops, 1):
                place = _words(str(spot(stop.path, stop.span, sources(stop.path))))
                if index in figure.stops:
                    place = f'<a href="#stop-{self._number}-{index}">{place}</a>'
                yield f"<li>{_marked(stop.message)} {place}</li>\n"
            yield "</ol>\n"

    def _rules(self, findings: Iterable[Finding]) -> Iterator[str]:
        codes = sorted({finding.code for finding in findings})
        if codes:
            yield "<h2>Rules</h2>\n"
        for code in codes:
            entry = self.scene.find(code)
            yield f'<section class="rule" id="{code}">\n<details><summary><b>{code}</b> '
            yield f'<a href="{links.page(entry.name)}">{_words(entry.name)}</a></summary>\n'
            yield from _markdown(page(entry))
            yield "</details>\n</section>\n"


def _filters(counted: Counter[Severity]) -> Iterator[str]:
    """A switch for each severity that was found."""
    if len(counted) > 1:
        yield "<fieldset>\n"
        for severity in Severity:
            if counted[severity]:
                box = f'<input type="checkbox" id="show-{severity.value}" checked>'
                yield f"<label>{box} {_LABELS[severity]} ({counted[severity]})</label>\n"
        yield "</fieldset>\n"


def _unchecked(problems: Sequence[Problem]) -> Iterator[str]:
    if problems:
        yield '<div class="unchecked error"><b>Could not be checked:</b>\n<ul>\n'
        for problem in problems:
            yield f"<li>{_words(f'{problem.filename}: {problem.message}')}</li>\n"
        yield "</ul></div>\n"


def _verdict(finding: Finding) -> Iterator[str]:
    verdict = finding.verdict
    if verdict is None:
        return
    headline = _marked(verdicts.headline(verdict))
    yield f'<p>Verdict: <span class="verdict {verdict.status.value}">{headline}</span></p>\n'
    evidence = list(verdicts.evidence(verdict, finding.span))
    if evidence:
        yield "<ul>\n"
        yield from (f"<li><code>{_words(line)}</code></li>\n" for line in evidence)
        yield "</ul>\n"
    if program := verdicts.program(verdict):
        listing = "\n".join(escape(display(line)) for line in program.splitlines())
        yield f"<details><summary>The traced program</summary><pre>\n{listing}</pre></details>\n"


def _markdown(words: str) -> Iterator[str]:
    """A page of ours: paragraphs, headings, lists and blocks of code."""
    for number, part in enumerate(re.split(r"^```.*\n", words, flags=re.MULTILINE)):
        if number % 2:
            yield f'<pre class="code">\n{escape(part)}</pre>\n'
            continue
        for block in filter(None, (block.strip() for block in part.split("\n\n"))):
            if block.startswith("#"):
                yield f"<h4>{_marked(block.lstrip('# '))}</h4>\n"
            elif block.startswith(("- ", "* ")):
                items = re.split(r"^[-*] ", block, flags=re.MULTILINE)[1:]
                yield f"<ul>{''.join(f'<li>{_marked(item)}</li>' for item in items)}</ul>\n"
            else:
                yield f"<p>{_marked(block)}</p>\n"


def _marked(words: str) -> str:
    """Words on one line, with code between backticks."""
    return _CODE.sub(r"<code>\2</code>", _words(words))


def _words(words: str) -> str:
    return escape(one_line(words))


def _reference(found: re.Match[str]) -> str:
    number = ord(found.group())
    is_none = 0xD800 <= number < 0xE000 or 0xFDD0 <= number < 0xFDF0 or number & 0xFFFE == 0xFFFE
    return "&#65533;" if is_none else f"&#{number};"
