"""What is said about one file, and the words for what jaxlint itself has to say."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.errors import DocumentError
from jaxlint.base.finding import Because, Finding
from jaxlint.base.own_codes import INCOMPLETE_ANALYSIS, Meta
from jaxlint.base.surveys.call_graph import Survey
from jaxlint.base.text import SourceText, Span
from jaxlint.base.wording import counted
from jaxlint.project.file_systems.files import Problem
from jaxlint.results.merge import Located, Site
from jaxlint.syntax.formats.documents import document, python_in
from jaxlint.syntax.python import REFUSALS, tree_of

if TYPE_CHECKING:
    from jaxlint.dataflow.budget import Cut
    from jaxlint.syntax import ir

T = TypeVar("T")
Placed = TypeVar("Placed", Because, Finding)
_LONG = re.compile(r"([^\r\n]{200})[^\r\n]+")


@slotted(frozen=True)
class Report:
    """What is to be said about one file.

    `source` is there to quote from, if there are findings and the file is text. `crashed` tells
    that jaxlint failed on the file, even where the finding that says so is ignored. `survey` is
    about the traced code in text that stands in no file, where the session makes surveys.
    """

    filename: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: SourceText | None = None
    crashed: bool = False
    survey: Survey | None = None


def own_finding(
    meta: Meta, path: str, line: int, column: int, message: str, help: str = ""
) -> Finding:
    """A finding of jaxlint itself."""
    span = Span(line, column, line, column)
    return Finding(path, span, meta.code, meta.name, meta.severity, message, help)


def incomplete(module: ir.Module, cuts: Iterable[Cut]) -> Located:
    """The note about the places of a file from which not everything was followed."""
    cuts = [*cuts]
    places = [(it.node, it.repeated) for it in cuts if it.module is module]
    spans = {module.locate(node): repeated for node, repeated in places if node is not None}
    first = min(spans, default=Span(1, 1, 1, 1))
    others = f" and from {counted(len(spans) - 1, 'other place')}" if len(spans) > 1 else ""
    repeated = spans[first] if spans else next((it.repeated for it in cuts), "")
    reason = "that would take too many steps"
    help = "exclude generated code, or split what stands here"
    if repeated:
        reason = f"`{repeated}` would run too often"
        help = f"what the first runs of `{repeated}` do was followed; check its file too"
    path = module.source.path
    finding = own_finding(
        INCOMPLETE_ANALYSIS,
        path,
        first.line,
        first.column,
        f"not everything was followed from here{others}: {reason}",
        help,
    )
    return Located(finding, (Site(module.file, path, finding.span),))


def is_python(source: str | bytes, path: str = "") -> bool:
    """Whether this Python's own parser takes what a file holds: the cheap test.

    Source that it does not take may still be good: written for a newer Python, or deep.
    """
    try:
        tree_of(python_in(source, path))
    except (*REFUSALS, DocumentError):
        return False
    return True


def in_cells(report: Report) -> tuple[Finding, ...]:
    """The findings of a report, those in a notebook with the lines of their cells."""
    if report.source is None or not report.source.cells:
        return report.findings
    source = report.source

    def placed(one: Placed) -> Placed:
        if isinstance(one, Because) and one.filename:
            return one
        cell, line = source.place(one.span.line)
        end_line = one.span.end_line + line - one.span.line
        return replace(one, span=replace(one.span, line=line, end_line=end_line), cell=cell)

    return tuple(
        replace(
            placed(finding),
            because=tuple(map(placed, finding.because)),
            trail=tuple(map(placed, finding.trail)),
            doubt=None if finding.doubt is None else placed(finding.doubt),
        )
        for finding in report.findings
    )


def quotable(source: str | bytes, path: str) -> SourceText:
    """The Python of a file that may not be decodable, with what is not replaced; of a file in
    which there should be some and is none, the beginnings of its lines."""
    try:
        found = document(source, path)
    except DocumentError:
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        return SourceText(path, _LONG.sub(r"\1", text))
    if found is not None:
        return SourceText(path, found.source, found.original, found.file_line)
    if isinstance(source, str):
        return SourceText(path, source)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding, "replace")
    except (SyntaxError, LookupError, UnicodeError):
        # No such encoding, or one that is not for text.
        text = source.decode("utf-8", "replace")
    return SourceText(path, text)
