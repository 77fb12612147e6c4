"""Places of nodes by Python's own tree: the same as by LibCST's, or none where that is not sure.

Both give a node the text that it stands for. Only LibCST knows about parentheses, comments and the
colon of a header: what lies between two places is read from the text here, and left to LibCST where
a comment or a string may be in it. Places in f-strings depend on the Python that runs, and patterns
are rare: both are left to LibCST too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.native.statements import origins

_NAME = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_COLON = re.compile(r"[ \t),]*:")
_TRY = re.compile(r"try[ \t]*:")
_WORD = re.compile(r"\w+")
_STARS = re.compile(r"\*\*?[ \t]*\Z")
_STARRED = ("vararg", "kwarg")
_CLOSED = re.compile(r"[\s)]*,")


class Tree:
    """Python's tree of some text; `first` is the number before that of its first node."""

    def __init__(self, source: SourceText, first: int) -> None:
        self._source = source
        self._origins = origins(source.text, first)
        nodes = self._origins.nodes
        self._indices = {id(one.slice) for one in nodes if type(one) is ast.Subscript}
        # Nodes by identity whose places are left to LibCST.
        self._hidden = {
            id(inner)
            for one in nodes
            if isinstance(one, ast.JoinedStr)
            for inner in ast.walk(one)
            if inner is not one
        }

    def locate(self, origin: int) -> Span | None:
        """The place of a node in this text, None if it is for LibCST to tell."""
        node = self._origins[origin]
        # LibCST has its own columns behind a form feed.
        if self.is_hidden(origin) or "\f" in self._source.text:
            return None
        place = _PLACES.get(type(node), _whole)
        if place is _tuple and id(node) in self._indices:
            place = _indices
        try:
            return place(self._source, node)
        except _UnsureError:
            return None

    def is_hidden(self, origin: int) -> bool:
        """Whether a node is one of those that are always left to LibCST."""
        node = self._origins[origin]
        node = node[0] if type(node) is tuple else node
        return id(node) in self._hidden or isinstance(node, ast.pattern)


class _UnsureError(Exception):
    """It takes more than Python's tree to tell."""


def _column(source: SourceText, line: int, offset: int) -> int:
    """The column, from 1, of an offset in bytes."""
    text = source.line(line)
    if text.isascii():
        return offset + 1
    return len(text.encode()[:offset].decode()) + 1


def _whole(source: SourceText, node: Any) -> Span:
    line, end_line = node.lineno, node.end_lineno
    column = _column(source, line, node.col_offset)
    return Span(line, column, end_line, _column(source, end_line, node.end_col_offset))


def _behind(pattern: re.Pattern[str], source: SourceText, line: int, column: int) -> int:
    """The column behind what has to follow at a place."""
    found = pattern.match(source.line(line), column - 1)
    if found is None:
        raise _UnsureError
    return found.end() + 1


def _generator(source: SourceText, node: Any) -> Span:
    return _inside(source, _whole(source, node))


def _inside(source: SourceText, span: Span) -> Span:
    """What stands between the parentheses at the ends of a span, without the space around it."""
    line, column = span.line, span.column
    text = source.line(line)
    while not (rest := text[column:].lstrip(" \t")) or rest[0] == "#":
        line, column = line + 1, 0
        text = source.line(line)
    end_line = span.end_line
    before = source.line(end_line)[: span.end_column - 2]
    while not before.strip(" \t"):
        end_line -= 1
        before = source.line(end_line)
        if "#" in before:
            raise _UnsureError
    before = before.rstrip(" \t")
    if rest[0] == "\\" or before[-1] == "\\":
        raise _UnsureError
    return Span(line, len(text) - len(rest) + 1, end_line, len(before) + 1)


def _tuple(source: SourceText, node: Any) -> Span:
    span = _whole(source, node)
    if not node.elts:
        raise _UnsureError
    first = _whole(source, node.elts[0])
    before = source.slice(Span(span.line, span.column, first.line, first.column))
    after = _CLOSED.match(
        source.slice(Span(first.end_line, first.end_column, span.end_line, span.end_column))
    )
    if after is None or before.strip("( \t\n"):
        raise _UnsureError
    # Parentheses that are not closed behind the first element are those of the tuple.
    is_enclosed = before.count("(") > after[0].count(")")
    return _inside(source, span) if is_enclosed else span


def _indices(source: SourceText, node: Any) -> Span:
    """A tuple between brackets, without a comma at its end."""
    span = _tuple(source, node)
    if isinstance(node.elts[-1], ast.Slice):
        _slice(source, node.elts[-1])
    end = source.line(span.end_line)[: span.end_column - 1]
    if span != _whole(source, node) or not end.endswith(","):
        return span
    end = end[:-1].rstrip(" \t")
    if not end:
        raise _UnsureError
    return Span(span.line, span.column, span.end_line, len(end) + 1)


def _slice(source: SourceText, node: Any) -> Span:
    span = _whole(source, node)
    if source.line(span.end_line)[span.end_column - 2 :][:2] in (": ", ":\t", ":"):
        raise _UnsureError
    return span


def _parameter(source: SourceText, given: tuple[ast.arg, str]) -> Span:
    node, kind = given
    line = node.lineno
    column = _whole(source, node).column
    end = _behind(_WORD, source, line, column)
    if kind in _STARRED:
        stars = _STARS.search(source.line(line)[: column - 1])
        if stars is None:
            raise _UnsureError
        column = stars.start() + 1
    return Span(line, column, line, end)


def _named(source: SourceText, node: Any) -> Span:
    span = _whole(source, node)
    end = _behind(_NAME, source, span.line, span.column)
    return Span(span.line, span.column, span.line, end)


def _header(last: Callable[[Any], Any]) -> Callable[[SourceText, Any], Span]:
    """The place of a header whose last expression this gives."""

    def place(source: SourceText, node: Any) -> Span:
        span, inner = _whole(source, node), _whole(source, last(node))
        end = _behind(_COLON, source, inner.end_line, inner.end_column)
        return Span(span.line, span.column, inner.end_line, end)

    return place


def _last_item(node: ast.With | ast.AsyncWith) -> ast.expr:
    item = node.items[-1]
    return item.optional_vars or item.context_expr


def _try(source: SourceText, node: Any) -> Span:
    span = _whole(source, node)
    end = _behind(_TRY, source, span.line, span.column)
    return Span(span.line, span.column, span.line, end)


def _match(source: SourceText, node: Any) -> Span:
    span = _whole(source, node)
    subject = _PLACES.get(type(node.subject), _whole)(source, node.subject)
    return Span(span.line, span.column, subject.end_line, subject.end_column)


_PLACES: dict[type, Callable[[SourceText, Any], Span]] = {
    tuple: _parameter,
    ast.Tuple: _tuple,
    ast.GeneratorExp: _generator,
    ast.Slice: _slice,
    ast.FunctionDef: _named,
    ast.AsyncFunctionDef: _named,
    ast.ClassDef: _named,
    ast.If: _header(lambda node: node.test),
    ast.While: _header(lambda node: node.test),
    ast.For: _header(lambda node: node.iter),
    ast.AsyncFor: _header(lambda node: node.iter),
    ast.With: _header(_last_item),
    ast.AsyncWith: _header(_last_item),
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
}
