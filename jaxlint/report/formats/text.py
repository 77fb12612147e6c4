"""Findings for people: in full with the source, on one line each, or counted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from jaxlint.base.finding import Applicability, Finding, Severity
from jaxlint.base.printable import display, one_line
from jaxlint.base.text import SourceText, Span
from jaxlint.base.verdict import Verdict
from jaxlint.base.wording import counted
from jaxlint.report import verdicts
from jaxlint.report.formatter import Formatter
from jaxlint.report.notebook_lines import spot_of, spot_of_step
from jaxlint.results.report import Report

_COLOURS = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.PERF: "magenta",
    Severity.INFO: "cyan",
}
# How much of a long line is quoted, and how much of it stands before what is underlined.
_MOST_CHARACTERS, _LEAD = 240, 40
# So many calls in other files are shown.
_MOST_PLACES = 3
_NOUNS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.PERF: "performance finding",
    Severity.INFO: "note",
}


class Full(Formatter):
    """Findings over their source, with reasons and help."""

    is_for_people = True

    def add(self, report: Report) -> str:
        colour = self.scene.colour
        return "".join(full(found, report.source, colour=colour) for found in report.findings)


class Concise(Formatter):
    """Findings on one line each."""

    is_for_people = True

    def add(self, report: Report) -> str:
        scene, source = self.scene, report.source
        return "".join(
            concise(found, source, colour=scene.colour, unsafe_fixes=scene.unsafe_fixes)
            for found in report.findings
        )


def concise(
    finding: Finding,
    source: SourceText | None = None,
    *,
    colour: bool = False,
    unsafe_fixes: bool = False,
) -> str:
    """`path:line:column: CODE message`, with [*] behind the code of what can be fixed, and the
    verdict in brackets where there is one."""
    paint = _Painter(colour)
    place = paint(f"{one_line(str(spot_of(finding, source)))}:", bold=True)
    code = paint(finding.code, fg=_COLOURS[finding.severity], bold=True)
    verdict = f" [{finding.verdict.status}]" if finding.verdict else ""
    mark = f" [{paint('*', fg='cyan')}]" if _is_fixable(finding, unsafe_fixes) else ""
    return f"{place} {code}{mark} {one_line(finding.message)}{verdict}\n"


def full(
    finding: Finding,
    source: SourceText | None,
    *,
    colour: bool = False,
    only_place: bool = False,
) -> str:
    """The finding over its source, with reasons and help below; with `only_place`, the source
    tells the place and is not quoted."""
    paint = _Painter(colour)
    shade = _COLOURS[finding.severity]
    frame = [] if source is None or only_place else _frame(finding.span, source)
    margin = max((len(number) for number, _ in frame), default=1)
    bar = paint(" " * margin + " |", fg="blue")
    head = paint(f"{finding.severity}[{finding.code}]", fg=shade, bold=True)
    arrow = paint(" " * margin + "-->", fg="blue")
    place = one_line(str(spot_of(finding, source)))
    lines = [
        f"{head} {paint(finding.name + ':', bold=True)} {one_line(finding.message)}",
        f"{arrow} {place}",
    ]
    if frame:
        lines.append(bar)
        for number, text in frame:
            if number:
                lines.append(f"{paint(number.rjust(margin) + ' |', fg='blue')} {text}".rstrip())
            else:
                lines.append(f"{bar} {paint(text, fg=shade, bold=True)}")
        lines.append(bar)
    note = paint(" " * margin + " =", fg="blue")
    if finding.verdict:
        lines += [f"{note} {line}" for line in _verdict(finding.verdict, finding.span, paint)]
    reasons = [("because:", step) for step in finding.because]
    if finding.doubt is not None:
        reasons.append((f"{finding.confidence} confidence:", finding.doubt))
    for label, step in reasons:
        where = one_line(str(spot_of_step(step, finding, source)))
        lines.append(f"{note} {paint(label, bold=True)} {where}: {one_line(step.message)}")
    for step in finding.places[:_MOST_PLACES]:
        where = one_line(str(spot_of_step(step, finding, source)))
        lines.append(f"{note} {paint('also:', bold=True)} {where}: {one_line(step.message)}")
    if (more := len(finding.places) - _MOST_PLACES) > 0:
        lines.append(f"{note} {paint('also:', bold=True)} {counted(more, 'more place')}")
    if finding.minor:
        lines.append(f"{note} {paint('minor:', bold=True)} {one_line(finding.minor)}")
    if finding.help:
        lines.append(f"{note} {paint('help:', bold=True)} {one_line(finding.help)}")
    if finding.fix is not None:
        unsafe = " (unsafe)" if finding.fix.applicability is Applicability.UNSAFE else ""
        title = one_line(finding.fix.title)
        lines.append(f"{note} {paint(f'fix{unsafe}:', bold=True)} {title}")
    text = "\n".join(lines) + "\n\n"
    listing = verdicts.program(finding.verdict)
    return f"{text}{_indented(listing)}\n\n" if listing else text


def _verdict(verdict: Verdict, span: Span, paint: _Painter) -> Iterator[str]:
    shade = verdicts.COLOURS.get(verdict.status)
    headline = paint(one_line(verdicts.headline(verdict)), fg=shade, bold=True)
    yield f"{paint('verdict:', bold=True)} {headline}"
    for line in verdicts.evidence(verdict, span):
        yield f"{paint('evidence:', bold=True)} {one_line(line)}"


def _indented(listing: str) -> str:
    return "\n".join(f"    {one_line(line)}".rstrip() for line in listing.splitlines())


def counts(findings: Iterable[Finding]) -> list[tuple[int, str, str]]:
    """How often each code was found, with its name, most frequent first."""
    counted = Counter((finding.code, finding.name) for finding in findings)
    return sorted(
        ((count, code, name) for (code, name), count in counted.items()),
        key=lambda row: (-row[0], row[1]),
    )


def statistics(rows: Sequence[tuple[int, str, str]]) -> str:
    """One line for each code: count, code, name."""
    width = max((len(str(count)) for count, _, _ in rows), default=0)
    return "".join(f"{count:>{width}} {code} {name}\n" for count, code, name in rows)


def summary(findings: Sequence[Finding], checked: int) -> str:
    """The last line: "Found 3 findings in 2 files (2 errors, 1 warning)."."""
    if not findings:
        return f"No findings in {counted(checked, 'file')}.\n"
    files = len({finding.filename for finding in findings})
    kinds = Counter(finding.severity for finding in findings)
    parts = ", ".join(
        counted(kinds[severity], _NOUNS[severity]) for severity in Severity if kinds[severity]
    )
    total = counted(len(findings), "finding")
    found = f"Found {total} in {counted(files, 'file')} ({parts}).\n"
    judged = verdicts.totals(findings)
    return f"{found}Verdicts: {judged}.\n" if judged else found


def fixable(findings: Iterable[Finding], *, unsafe: bool = False) -> str:
    """How many of these findings can be fixed, and with which options; empty if none can."""
    kinds = Counter(it.fix.applicability for it in findings if it.fix is not None)
    safe, more = kinds[Applicability.SAFE], kinds[Applicability.UNSAFE]
    if unsafe:
        safe, more = safe + more, 0
    option = "--fix --unsafe-fixes" if unsafe else "--fix"
    if not safe:
        return f"{more} fixable with `--fix --unsafe-fixes`.\n" if more else ""
    rest = f" ({more} more with `--unsafe-fixes`)" if more else ""
    return f"[*] {safe} fixable with `{option}`{rest}.\n"


def _is_fixable(finding: Finding, unsafe_fixes: bool) -> bool:
    fix = finding.fix
    return fix is not None and (unsafe_fixes or fix.applicability is Applicability.SAFE)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text with their columns aligned; the last column is not padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "".join(line + "\n" for line in lines)


def _frame(span: Span, source: SourceText) -> list[tuple[str, str]]:
    """The line of a span, its neighbours and, without a number, the carets below it."""
    if not 0 < span.line <= len(source.lines):
        return []
    begin, end = source.limits(span.line)
    first, last = max(begin, span.line - 1), min(end, span.line + 1)
    while first < span.line and not source.quoted(first).strip():
        first += 1
    while last > span.line and not source.quoted(last).strip():
        last -= 1
    rows: list[tuple[str, str]] = []
    for number in range(first, last + 1):
        text = source.quoted(number)
        shown = str(source.place(number)[1])
        if number != span.line:
            rows.append((shown, _window(text, 0)[1]))
            continue
        start, window = _window(text, span.column - 1)
        rows.append((shown, window))
        end = span.end_column if span.end_line == span.line else len(text.rstrip()) + 1
        end = min(end - 1, start + _MOST_CHARACTERS)
        before = _width(display(text[start : span.column - 1])) + (start > 0)
        under = _width(display(text[span.column - 1 : end]))
        rows.append(("", " " * before + "^" * max(1, under)))
    return rows


def _window(text: str, column: int) -> tuple[int, str]:
    """The part of a long line around a column, as it is printed, and where it begins."""
    if len(text) <= _MOST_CHARACTERS:
        return 0, display(text)
    start = max(0, min(column - _LEAD, len(text) - _MOST_CHARACTERS))
    end = start + _MOST_CHARACTERS
    before, after = "…" * (start > 0), "…" * (end < len(text))
    return start, f"{before}{display(text[start:end])}{after}"


def _width(text: str) -> int:
    """The number of terminal cells that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("F", "W") else 1


class _Painter:
    """Styles text, or leaves it alone where there are no colours."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, *, fg: str | None = None, bold: bool = False) -> str:
        if not self._colour:
            return text
        # Only the command shows colours, and it has click.
        import click

        return click.style(text, fg=fg, bold=bold or None)
