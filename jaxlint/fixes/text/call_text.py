"""The arguments of a call as they are written: named anew, added, taken out."""

from __future__ import annotations

import re

from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_NAMED = re.compile(r"\s*(?P<name>\w+)\s*=(?!=)\s*")


class CallText:
    """One call in the source of a file. Offsets count from its first character."""

    def __init__(self, code: Code, call: ir.Call) -> None:
        self.code = code
        self.call = call
        self.span = code.module.locate(call)
        self.text = code.source.slice(self.span)
        self.bare = _bare(code, self.span, self.text)
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.opening = self.bare.index("(", self.end_of(call.func))
        self.closing = len(self.text) - 1

    def start_of(self, node: ir.Node) -> int:
        """Where a part of the call starts."""
        span = self.code.module.locate(node)
        return self.offset(span.line, span.column)

    def end_of(self, node: ir.Node) -> int:
        """Where a part of the call ends."""
        span = self.code.module.locate(node)
        return self.offset(span.end_line, span.end_column)

    def range(self, start: int, end: int) -> Span:
        """The place between two offsets."""
        return Span(*self._position(start), *self._position(end))

    def argument(self, at: int) -> tuple[int, int]:
        """Where an argument starts and ends, with its keyword, star and parentheses."""
        start = self._comma(at - 1) + 1 if at else self.opening + 1
        end = self._comma(at)
        while start < end and self.bare[start].isspace():
            start += 1
        while start < end and self.bare[end - 1].isspace():
            end -= 1
        return start, end

    def written(self, at: int) -> str:
        """The source of an argument, its keyword and star included."""
        start, end = self.argument(at)
        return self.text[start:end]

    def index(self, keyword: str) -> int | None:
        """Which argument has a keyword."""
        for at, argument in enumerate(self.call.args):
            if argument.keyword == keyword:
                return at
        return None

    def renamed(self, at: int, keyword: str) -> Edit | None:
        """Another keyword for an argument, "" for none."""
        start, _ = self.argument(at)
        found = _NAMED.match(self.bare, start)
        if found is None:
            return None
        end = found.end("name") if keyword else found.end()
        return Edit(self.range(start, end), keyword)

    def added(self, text: str) -> tuple[Edit, ...]:
        """One more argument, behind the others: on a line of its own where the last one is."""
        if not self.call.args:
            return (Edit(self.range(self.closing, self.closing), text),)
        last = len(self.call.args) - 1
        start, end = self.argument(last)
        has_comma = self.bare[self._comma(last)] == ","
        line = self.text.rfind("\n", 0, self.closing) + 1
        indent = self._indent(start)
        if line > end and not self.text[line : self.closing].strip() and indent is not None:
            more = () if has_comma else (Edit(self.range(end, end), ","),)
            return (*more, Edit(self.range(line, line), f"{indent}{text},\n"))
        if has_comma:
            at = self._comma(last) + 1
            return (Edit(self.range(at, at), f" {text}"),)
        return (Edit(self.range(end, end), f", {text}"),)

    def inserted(self, text: str, at: int) -> Edit:
        """One more argument, behind so many others."""
        if at == 0:
            start = self.opening + 1
            return Edit(self.range(start, start), f"{text}, " if self.call.args else text)
        _, end = self.argument(at - 1)
        return Edit(self.range(end, end), f", {text}")

    def removed(self, at: int) -> Edit:
        """Takes an argument out, with the comma that parts it from the others."""
        start, end = self.argument(at)
        if at:
            return Edit(self.range(self.argument(at - 1)[1], end), "")
        if len(self.call.args) > 1:
            return Edit(self.range(start, self.argument(1)[0]), "")
        return Edit(self.range(self.opening + 1, self.closing), "")

    def _comma(self, at: int) -> int:
        """Where the comma behind an argument is; where the call is closed if there is none."""
        start = self.end_of(self.call.args[at].value)
        found = self.bare.find(",", start)
        return found if found >= 0 else self.closing

    def _indent(self, offset: int) -> str | None:
        """The blanks before what starts a line, None where something else does."""
        before = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return before if before.isspace() and offset > len(before) else None

    def offset(self, line: int, column: int) -> int:
        """The offset of a place in the file."""
        first = self.span.column if line == self.span.line else 1
        return self._starts[line - self.span.line] + column - first

    def _position(self, offset: int) -> tuple[int, int]:
        line = sum(start <= offset for start in self._starts) - 1
        first = self.span.column if line == 0 else 1
        return self.span.line + line, first + offset - self._starts[line]


def _bare(code: Code, span: Span, text: str) -> str:
    """The text of a span with blanks in the place of comments."""
    if "#" not in text:
        return text
    from jaxlint.syntax.comments import without_comments

    lines = without_comments(code.source)[span.line - 1 : span.end_line]
    whole = code.source.lines[span.line - 1 : span.end_line]
    padded = [bare.ljust(len(line)) for bare, line in zip(lines, whole, strict=True)]
    padded[-1] = padded[-1][: span.end_column - 1]
    padded[0] = padded[0][span.column - 1 :]
    return "\n".join(padded)
