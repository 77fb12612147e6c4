"""Where a finding is for whoever looks at its file: in a notebook, lines count in each cell."""

from __future__ import annotations

from typing import NamedTuple

from jaxlint.base.dataclass import replace
from jaxlint.base.finding import Because, Finding
from jaxlint.base.text import SourceText, Span


class Spot(NamedTuple):
    """A place in a file; `cell` is the number of the cell, 0 in a file without cells, and
    `in_file` the span for formats that know no cells, whose lines are those of the file."""

    path: str
    cell: int
    span: Span
    in_file: Span

    def __str__(self) -> str:
        return f"{self.path}:{self.within}"

    @property
    def within(self) -> str:
        """The place without the file: "2:5", "cell 3:2:5"."""
        place = f"{self.span.line}:{self.span.column}"
        return f"cell {self.cell}:{place}" if self.cell else place

    @property
    def row(self) -> dict[str, int]:
        """The place without the file, for programs."""
        span = self.span
        cell = {"cell": self.cell} if self.cell else {}
        return cell | {
            "line": span.line,
            "column": span.column,
            "end_line": span.end_line,
            "end_column": span.end_column,
        }

    def worded(self, message: str) -> str:
        """A message for such formats: it tells the place that the span cannot."""
        return f"{self.within}: {message}" if self.cell else message


def spot(path: str, span: Span, source: SourceText | None) -> Spot:
    """The place of a span of a file; `source` is what the file holds, if it is known."""
    if source is None or not source.cells:
        return Spot(path, 0, span, span)
    cell, line = source.place(span.line)
    end_line = span.end_line + line - span.line
    at = source.file_line(span.line)
    # There, columns are those of JSON.
    whole = Span(at, 1, at, 1)
    return Spot(path, cell, replace(span, line=line, end_line=end_line), whole)


def has_lines_of_file(source: SourceText | None) -> bool:
    """Whether the lines of a source are those of its file, as those of cells are not."""
    return source is None or not source.cells


def spot_of(finding: Finding, source: SourceText | None) -> Spot:
    """The place of a finding in this source."""
    return spot(finding.filename, finding.span, source)


def spot_of_step(step: Because, finding: Finding, source: SourceText | None) -> Spot:
    """The place of a step of the reason for a finding in this source. Steps in other files than
    the finding's say themselves which cell they are in."""
    if step.filename and step.filename != finding.filename:
        return spot(step.filename, step.span, None)._replace(cell=step.cell)
    return spot(finding.filename, step.span, source)


def span_in(step: Because, source: SourceText | None) -> Span:
    """The span of a step in the text of its file, which holds all cells."""
    line = source.line_in(step.cell, step.span.line) if source is not None and step.cell else 0
    if not line:
        return step.span
    return replace(step.span, line=line, end_line=step.span.end_line + line - step.span.line)
