"""The lines that statements take up in the source, what is in their blocks included."""

from __future__ import annotations

from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir


def lines(code: Code, statement: ir.Stmt) -> tuple[int, int] | None:
    """The first and the last line of a statement, decorators included; None where it shares one."""
    span = code.module.locate(statement)
    if code.source.line(span.line)[: span.column - 1].strip():
        return None
    first = span.line
    if isinstance(statement, (ir.FunctionDef, ir.ClassDef)) and statement.decorators:
        first = min(first, code.module.locate(statement.decorators[0]).line)
    inner = [one for one in walk(statement) if isinstance(one, (ir.Node, ir.Param))]
    last = known = max(code.module.locate(one).end_line for one in inner)
    if isinstance(statement, _BLOCKS):
        last = _indented(code, span.column - 1, known)
    behind = code.source.line(known)[_end(code, inner, known) - 1 :].strip(" \t)]},:")
    if behind.startswith(";") or "\\" in behind.partition("#")[0]:
        return None
    return first, last


_BLOCKS = (ir.FunctionDef, ir.ClassDef, ir.For, ir.While, ir.If, ir.With, ir.Try, ir.Match)


def _end(code: Code, inner: list[ir.Node | ir.Param], line: int) -> int:
    spans = [code.module.locate(one) for one in inner]
    return max(span.end_column for span in spans if span.end_line == line)


def _indented(code: Code, indent: int, last: int) -> int:
    """The last line that belongs to a block whose header is indented so far: also what is in no
    node, such as `pass` and comments."""
    found = last
    for number in range(last + 1, len(code.source.lines) + 1):
        line = code.source.line(number)
        if not line.strip():
            continue
        if len(line) - len(line.lstrip()) <= indent:
            break
        found = number
    return found


def text(code: Code, first: int, last: int) -> str:
    """The text of some lines."""
    return "\n".join(code.source.lines[first - 1 : last])


def removed(code: Code, first: int, last: int) -> Edit | None:
    """Takes out some lines, and a blank one behind them where one is before them too."""
    if last >= len(code.source.lines):
        return None
    is_parted = first == 1 or not code.source.line(first - 1).strip()
    is_opened = code.source.line(first - 1).rstrip().endswith(":")
    if (is_parted or is_opened) and not code.source.line(last + 1).strip():
        last += last + 1 < len(code.source.lines)
    return Edit(Span(first, 1, last + 1, 1), "")


def dedented(lines_: str, old: str, new: str) -> str | None:
    """Text at another indentation; None where that could change what is in a string."""
    every = lines_.split("\n")
    if any(one.count(quotes) % 2 for one in every for quotes in ('"""', "'''")):
        return None
    if any(one.strip() and not one.startswith(old) for one in every):
        return None
    return "\n".join(new + one[len(old) :] if one.strip() else one for one in every)
