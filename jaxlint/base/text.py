"""Source text, spans in it, and where its lines are in the cells of a notebook."""

from __future__ import annotations

import re
from bisect import bisect
from operator import itemgetter

from jaxlint.base.dataclass import slotted
from jaxlint.base.file_stats import NOTEBOOK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The text of a notebook is that of its cells, each behind a line such as "# %% cell 3". There are
# so many percent signs that no line of a cell looks like that. Where the cell begins with an
# indented line, IPython takes it as if it were not, and here the line before opens a block.
BLOCK = "if True:  "
_HEADER = re.compile(rf"(?:{BLOCK})?(# %{{2,}} cell )[0-9]+")


@slotted(frozen=True, order=True)
class Span:
    """A range of source text: lines and columns count from 1, columns count code points.

    The end is exclusive, so an empty span has equal start and end.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, line: int, column: int) -> bool:
        """Whether a place is in the range."""
        return (self.line, self.column) <= (line, column) < (self.end_line, self.end_column)


class SourceText:
    """The decoded text of one file and its name as the user knows it.

    Of a file that holds more than Python, `original` is what stands on the same lines, and
    `file_line` tells on which line of the file a line of the text is.
    """

    __slots__ = ("_cells", "_file_line", "_lines", "_original", "path", "text")

    def __init__(
        self,
        path: str,
        text: str,
        original: str | None = None,
        file_line: Callable[[int], int] | None = None,
    ) -> None:
        self.path = path
        self.text = text
        self._file_line = file_line
        self._original = None if original is None else SourceText(path, original)
        self._lines: list[str] | None = None
        self._cells: list[tuple[int, int]] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines as Python counts them (split at newline, CR and CRLF), without their ends."""
        if self._lines is None:
            self._lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines

    def line(self, number: int) -> str:
        """The text of a line counted from 1, empty when there is no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def quoted(self, number: int) -> str:
        """A line as it stands in the file."""
        return (self._original or self).line(number)

    def file_line(self, number: int) -> int:
        """The line of the file on which a line stands."""
        return number if self._file_line is None else self._file_line(number)

    def slice(self, span: Span) -> str:
        """The text of a span; line ends inside it become newlines."""
        if span.line == span.end_line:
            return self.line(span.line)[span.column - 1 : span.end_column - 1]
        first = self.line(span.line)[span.column - 1 :]
        middle = self.lines[span.line : span.end_line - 1]
        last = self.line(span.end_line)[: span.end_column - 1]
        return "\n".join([first, *middle, last])

    def place(self, line: int) -> tuple[int, int]:
        """The cell of a notebook that a line is in, and which line of the cell it is. In a file
        without cells, 0 and the line."""
        at = bisect(self.cells, line, key=itemgetter(0))
        first, cell = self.cells[at - 1] if at else (1, 0)
        return cell, max(1, line - first + 1)

    def shown(self, line: int) -> str:
        """A line as it stands in a place: "12", "cell 5:3"."""
        cell, within = self.place(line)
        return f"cell {cell}:{within}" if cell else str(line)

    def named(self, line: int) -> str:
        """A line in words: "line 12", "line 3 of cell 5"."""
        cell, within = self.place(line)
        return f"line {within} of cell {cell}" if cell else f"line {line}"

    def line_in(self, cell: int, line: int) -> int:
        """The line of the text that is this line of a cell, 0 when there is none."""
        for first, number in self.cells:
            if number == cell and 0 < line <= self.limits(first)[1] - first + 1:
                return first + line - 1
        return 0

    def limits(self, line: int) -> tuple[int, int]:
        """The first and the last line of the cell that a line is in; in a file without cells,
        those of the file."""
        at = bisect(self.cells, line, key=itemgetter(0))
        if at < len(self.cells):
            last = self.cells[at][0] - 2
        else:
            # The line behind the last line end is in no cell.
            last = len(self.lines) - (at > 0 and not self.lines[-1])
        return self.cells[at - 1][0] if at else 1, last

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The first line of each cell of a notebook, and the number of the cell."""
        if self._cells is None:
            self._cells = []
            start = _HEADER.match(self.text) if self.path.endswith(NOTEBOOK) else None
            if start is not None:
                header = re.compile(rf"(?:{BLOCK})?{re.escape(start[1])}([0-9]+)")
                found = ((at, header.fullmatch(line)) for at, line in enumerate(self.lines, 2))
                self._cells = [(at, int(it[1])) for at, it in found if it is not None]
        return self._cells
