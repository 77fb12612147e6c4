"""Source text, spans in it, and the line index that converts between offsets and positions."""

from __future__ import annotations

from jaxlint.base.slotted import slotted


@slotted(frozen=True, order=True)
class Span:
    """A range of source text: lines and columns count from 1, columns count code points.

    The end is exclusive, so an empty span has equal start and end.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class SourceText:
    """The decoded text of one file and its name as the user knows it."""

    __slots__ = ("_lines", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines as Python counts them (split at newline, CR and CRLF), without their ends."""
        if self._lines is None:
            self._lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines

    def line(self, number: int) -> str:
        """The text of a line counted from 1, empty when there is no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def slice(self, span: Span) -> str:
        """The text of a span; line ends inside it become newlines."""
        if span.line == span.end_line:
            return self.line(span.line)[span.column - 1 : span.end_column - 1]
        first = self.line(span.line)[span.column - 1 :]
        middle = self.lines[span.line : span.end_line - 1]
        last = self.line(span.end_line)[: span.end_column - 1]
        return "\n".join([first, *middle, last])
