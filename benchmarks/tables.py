"""What is printed: Markdown tables whose rows may be held against what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

ABSENT = "-"


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `figure` is what counts of it, a ratio or an exponent; `allowed` its bound.

    A row that ought to have a figure and could not be measured says why in `absent`.
    """

    name: str
    cells: tuple[str, ...] = ()
    figure: float | None = None
    allowed: float | None = None
    absent: str = ""

    @property
    def is_too_much(self) -> bool:
        if self.figure is None or self.allowed is None:
            return False
        return self.figure > self.allowed

    @property
    def verdict(self) -> str:
        if self.figure is None or self.allowed is None:
            return self.absent
        return "too much" if self.is_too_much else "ok"


@dataclass(slots=True)
class Table:
    """Rows under a title. `columns` head the cells between a row's name and its figure."""

    title: str
    columns: tuple[str, ...] = ()
    figure: str = "ratio"
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(
        self,
        name: str,
        *cells: str,
        figure: float | None = None,
        allowed: float | None = None,
        absent: str = "",
    ) -> None:
        self.rows.append(Row(name, cells, figure, allowed, absent))

    def markdown(self) -> str:
        """The title, the table and its notes."""
        lines = [("", *self.columns, self.figure, "allowed", "")]
        for row in self.rows:
            cells = row.cells + (ABSENT,) * (len(self.columns) - len(row.cells))
            allowed = "" if row.allowed is None else f"{row.allowed:g}"
            lines.append((row.name, *cells, number(row.figure), allowed, row.verdict))
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{grid(lines)}{notes}"

    def as_json(self) -> dict[str, object]:
        """What the table holds, for programs."""
        rows = [
            {
                "name": row.name,
                **dict(zip(self.columns, row.cells, strict=False)),
                self.figure: row.figure,
                "allowed": row.allowed,
                "verdict": row.verdict,
            }
            for row in self.rows
        ]
        return {"title": self.title, "rows": rows, "notes": self.notes}


def grid(lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first line is its header, the first column to the left."""
    widths = [max(3, *(len(line[at]) for line in lines)) for at in range(len(lines[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    printed = []
    for line in (lines[0], rule, *lines[1:]):
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        printed.append(f"| {' | '.join(cells)} |\n")
    return "".join(printed)


def number(value: float | None) -> str:
    """Three significant digits at least, and never an exponent."""
    if value is None:
        return ABSENT
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"


def judged(tables: Sequence[Table]) -> Table:
    """One row for each figure that has a bound."""
    every = Table("All figures with a bound")
    for table in tables:
        for row in table.rows:
            if row.allowed is not None or row.absent:
                every.rows.append(
                    Row(f"{table.title}: {row.name}", (), row.figure, row.allowed, row.absent)
                )
    return every
