"""The figure of a finding: the lines that its trail runs through, and the trail along them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText, Span
from jaxlint.report.notebook_lines import span_in

# How many lines stand around a place, and how many lines of one place are shown.
_AROUND = 1
_MOST_LINES = 8
# How much of an uninterrupted piece of a line is shown.
_MOST_CHARACTERS = 240
# Pixels: a row of text (the style sheet knows it too), a lane of the trail, and its corners.
ROW, _LANE, _CORNER, _ARROW = 22, 9, 5, 5


@slotted(frozen=True)
class Stop:
    """A place on the trail. The last one is the finding's."""

    path: str
    span: Span
    message: str


@slotted(frozen=True)
class Piece:
    """Text of a line, the numbers of the stops that begin there, and those that it is part of."""

    text: str
    begins: tuple[int, ...] = ()
    within: tuple[int, ...] = ()


@slotted(frozen=True)
class Row:
    """One line of a figure: of source, with its number, or the name of a file, or a gap."""

    number: int = 0
    pieces: tuple[Piece, ...] = ()
    path: str = ""


@slotted(frozen=True)
class Figure:
    """Rows, and the row of each stop that is shown, by the number of the stop."""

    rows: list[Row] = field(default_factory=list)
    stops: dict[int, int] = field(default_factory=dict)


def trail(finding: Finding, source: Callable[[str], SourceText | None]) -> list[Stop]:
    """The stops from where tracing starts to the finding."""
    stops = []
    for step in reversed(finding.trail or finding.because):
        path = step.filename or finding.filename
        span = span_in(step, source(path)) if step.cell else step.span
        stops.append(Stop(path, span, step.message))
    return [*stops, Stop(finding.filename, finding.span, finding.message)]


def draw(stops: Sequence[Stop], source: Callable[[str], SourceText | None]) -> Figure:
    """The figure of a trail: file by file, in the order in which the trail comes to them."""
    figure = Figure()
    for path in dict.fromkeys(stop.path for stop in stops):
        text = source(path)
        shown = [] if text is None else _lines(stops, path, text)
        if text is None or not shown:
            continue
        previous = cell = -1
        for number in shown:
            within, line = text.place(number)
            if within != cell:
                figure.rows.append(Row(path=f"{path}, cell {within}" if within else path))
            elif number > previous + 1:
                figure.rows.append(Row())
            cell = within
            for index, stop in enumerate(stops, 1):
                if stop.path == path and stop.span.line == number:
                    figure.stops[index] = len(figure.rows)
            figure.rows.append(Row(line, tuple(_pieces(stops, path, text.quoted(number), number))))
            previous = number
    return figure


def _lines(stops: Sequence[Stop], path: str, text: SourceText) -> list[int]:
    """The numbers of the lines of a file that are shown: no blank ones at an edge, none of another
    cell, and no gap that is as long as what it leaves out."""
    wanted: set[int] = set()
    for stop in stops:
        first = stop.span.line
        if stop.path == path and first <= len(text.lines):
            last = min(stop.span.end_line, first + _MOST_LINES - 1)
            begin, end = text.limits(first)
            around = range(max(begin, first - _AROUND), min(end, last + _AROUND) + 1)
            wanted.update(n for n in around if first <= n <= last or text.quoted(n).strip())
    gaps = [low + 1 for low, high in pairwise(sorted(wanted)) if high == low + 2]
    wanted.update(gap for gap in gaps if gap <= text.limits(gap)[1])
    return sorted(wanted)


def _pieces(stops: Sequence[Stop], path: str, line: str, number: int) -> Iterator[Piece]:
    """A line, cut where stops begin and end."""
    extents: dict[int, tuple[int, int]] = {}
    for index, stop in enumerate(stops, 1):
        span = stop.span
        if stop.path == path and span.line <= number <= span.end_line:
            indent = len(line) - len(line.lstrip())
            start = span.column - 1 if number == span.line else indent
            end = span.end_column - 1 if number == span.end_line else len(line)
            extents[index] = (min(start, len(line)), min(max(start, end), len(line)))
    cuts = sorted({0, len(line), *(cut for extent in extents.values() for cut in extent)})
    for start, end in zip(cuts, [*cuts[1:], len(line) + 1], strict=True):
        begins = tuple(
            index
            for index, extent in extents.items()
            if extent[0] == start and stops[index - 1].span.line == number
        )
        within = tuple(index for index, it in extents.items() if it[0] <= start < end <= it[1])
        if begins or start < end <= len(line):
            yield Piece(_shortened(line[start:end]), begins, within)


def _shortened(text: str) -> str:
    """Text without its middle, where it is long."""
    if len(text) <= _MOST_CHARACTERS:
        return text
    half = _MOST_CHARACTERS // 2
    return f"{text[:half]} … {text[-half:]}"


def lanes(figure: Figure) -> tuple[int, str]:
    """The trail as an SVG path beside the rows, and how wide that is.

    Each hop leaves below the middle of its row and arrives above it; hops over the same rows have
    lanes of their own.
    """
    taken: list[list[tuple[int, int]]] = []
    hops: list[tuple[int, int, int]] = []
    numbers = sorted(figure.stops)
    for here, there in pairwise(numbers):
        start, end = figure.stops[here], figure.stops[there]
        if start != end:
            extent = (min(start, end), max(start, end))
            lane = next((n for n, them in enumerate(taken) if _fits(extent, them)), len(taken))
            if lane == len(taken):
                taken.append([])
            taken[lane].append(extent)
            hops.append((start, end, lane))
    width = _LANE * len(taken) + _ARROW + _CORNER if hops else 0
    return width, " ".join(_hop(start, end, lane, width) for start, end, lane in hops)


def _fits(extent: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return all(extent[1] <= low or high <= extent[0] for low, high in others)


def _hop(start: int, end: int, lane: int, width: int) -> str:
    down = 1 if end > start else -1
    turn = down * _CORNER
    x = width - _ARROW - _CORNER - _LANE * lane
    first = start * ROW + ROW // 2 + 3 * down
    last = end * ROW + ROW // 2 - 3 * down
    return (
        f"M{width} {first}H{x + _CORNER}q{-_CORNER} 0 {-_CORNER} {turn}V{last - turn}"
        f"q0 {turn} {_CORNER} {turn}H{width - 1}m-4 -3l4 3l-4 3"
    )
