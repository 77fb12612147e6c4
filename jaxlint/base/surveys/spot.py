"""Places in files, as data that outlives what was read."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.base.text import Span


@slotted(frozen=True, order=True)
class Spot:
    """A place in a file: `path` as the user knows it, `file` its identity, and `cell` the cell of
    a notebook that the lines of the span are in."""

    path: str
    span: Span
    file: str
    cell: int = 0

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def column(self) -> int:
        return self.span.column

    def __str__(self) -> str:
        cell = f"cell {self.cell}:" if self.cell else ""
        return f"{self.path}:{cell}{self.line}:{self.column}"

    @property
    def named_line(self) -> str:
        """Its line in words: "line 12", "line 3 of cell 5"."""
        return f"line {self.line} of cell {self.cell}" if self.cell else f"line {self.line}"
