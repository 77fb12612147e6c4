"""Where the nodes of a file are: of the few statements that something is said about.

A file is read through Python's own tree (see `jaxlint.syntax.native`). A statement is parsed once
more when a place in it is asked for, and by LibCST too where Python's tree does not tell the place;
LibCST reads a whole file where Python's parser does not take it. Its trees take some seventy times
as much memory as the source: only those used last are held, the others are made once more when they
are needed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from itertools import count
from typing import TYPE_CHECKING

from jaxlint.base.text import SourceText, Span
from jaxlint.syntax import ir
from jaxlint.syntax.lowering.scopes import Origins
from jaxlint.syntax.native.places import Tree
from jaxlint.syntax.native.statements import Stretch, read
from jaxlint.syntax.nesting import TooDeepError, carefully
from jaxlint.syntax.python import REFUSALS

if TYPE_CHECKING:
    from libcst import ParserSyntaxError

    from jaxlint.syntax.positions import Positions

# How much source may have its trees held, in bytes.
MOST_HELD = 500_000
# How LibCST tells what it does not take, and where.
_PLACE = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_files = count()


class RefusedError(Exception):
    """LibCST does not take a text, for this cause; line and column count from 1."""

    def __init__(self, line: int, column: int, cause: str) -> None:
        super().__init__(cause)
        self.line = line
        self.column = column
        self.cause = cause.partition("\n")[0]


def native(text: str, path: str) -> ir.Module | None:
    """The module that a text holds, None where Python's own parser or the lowering of its tree
    gives up: over what is wrong, newer than this Python, or too deep."""
    places = Places(SourceText(path, text))
    try:
        body = places.read()
    except REFUSALS:
        return None
    return ir.Module(places.source, body, places.locate, holds=places.holds)


def module(text: str, path: str) -> ir.Module:
    """The module that a text holds, by LibCST. Raises RefusedError or RecursionError."""
    places = Places(SourceText(path, text))
    body = places.parse()
    return ir.Module(places.source, body, places.locate, holds=places.holds)


def release() -> None:
    """Forgets all trees."""
    _held.release()


class Places:
    """The places of the nodes of one file, each found once."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._first = next(_files) * ir.STRIDE
        self._last = self._first
        self._spans: dict[int, Span] = {}
        self._stretches: list[Stretch] = []
        self._syntax: dict[int, Syntax] = {}

    def read(self) -> tuple[ir.Stmt, ...]:
        """The statements of the file, from Python's own tree. Raises what `ast.parse` raises."""
        body, self._stretches, self._last = read(self.source.text, self._first)
        return body

    def parse(self) -> tuple[ir.Stmt, ...]:
        """The statements of the file, from LibCST's tree, which is held for now. Raises
        RefusedError or RecursionError."""
        syntax = Syntax(self.source, self._first, is_native=False)
        body = syntax.parse()
        self._stretches = [Stretch(self._first, 1, len(self.source.lines), 1)]
        self._last = self._first + len(syntax.tree()[1].nodes)
        self._syntax[0] = syntax
        return body

    def holds(self, node: ir.Node | ir.Param) -> bool:
        """Whether a node is one of this file."""
        return self._first < node.origin <= self._last

    def locate(self, node: ir.Node | ir.Param) -> Span:
        """The place of a node; the first line of its statement where LibCST is needed and does
        not take the text."""
        found = self._spans.get(node.origin)
        if found is None:
            found = self._spans[node.origin] = self._locate(node.origin)
        return found

    def _locate(self, origin: int) -> Span:
        at = bisect_left(self._stretches, origin, key=lambda one: one.first) - 1
        stretch = self._stretches[at]
        syntax = self._syntax.get(at)
        if syntax is None:
            syntax = self._syntax[at] = self._cut(stretch)
        span = syntax.glance(origin)
        if span is None:
            try:
                syntax.tree()
            except (RefusedError, TooDeepError):
                length = len(self.source.line(stretch.line))
                return Span(stretch.line, 1, stretch.line, length + 1)
            span = syntax.locate(origin)
        down = stretch.start - 1
        return Span(span.line + down, span.column, span.end_line + down, span.end_column)

    def _cut(self, stretch: Stretch) -> Syntax:
        """What stands on the lines of a stretch."""
        source = self.source
        if len(self._stretches) > 1:
            lines = source.lines[stretch.start - 1 : stretch.end]
            source = SourceText(source.path, "\n".join([*lines, ""]))
        return Syntax(source, stretch.first)


class Syntax:
    """The trees of some text, Python's own and LibCST's, each made when it is asked for; `first` is
    the number before that of the first node. Some text has LibCST's only."""

    def __init__(self, source: SourceText, first: int, is_native: bool = True) -> None:
        self._source = source
        self._first = first
        self._is_native = is_native
        self._tree: tuple[Positions, Origins] | None = None
        self._native: Tree | None = None

    def glance(self, origin: int) -> Span | None:
        """The place of a node in this text as far as Python's own tree tells."""
        if self._native is None and self._is_native:
            try:
                self._native = Tree(self._source, self._first)
            except REFUSALS:
                self._is_native = False
                return None
            _held.hold(self, len(self._source.text))
        return None if self._native is None else self._native.locate(origin)

    def parse(self) -> tuple[ir.Stmt, ...]:
        """Parses the text and holds its tree for now; its statements. Raises RefusedError or
        RecursionError."""
        # LibCST is most of the start-up time: who says nothing about a file does without it.
        from libcst import ParserSyntaxError, parse_module

        from jaxlint.syntax.lowering.lower import lower
        from jaxlint.syntax.positions import Positions

        origins = Origins(self._first)
        try:
            tree = parse_module(self._source.text)
            body = lower(tree, origins)
        except ParserSyntaxError as error:
            raise _refused(error) from error
        except RecursionError:
            raise
        except Exception as error:  # LibCST's nodes raise many kinds when they doubt themselves
            raise RefusedError(1, 1, f"{type(error).__name__}: {error}") from error
        self._tree = Positions(tree, self._source), origins
        _held.hold(self, len(self._source.text))
        return body

    def tree(self) -> tuple[Positions, Origins]:
        """LibCST's tree, and what in it the nodes come from. Raises RefusedError or
        TooDeepError."""
        if self._tree is None:
            carefully(self._source.text, self.parse)
        assert self._tree is not None
        return self._tree

    def locate(self, origin: int) -> Span:
        """The place of a node in this text."""
        positions, origins = self.tree()
        return positions.locate(origins[origin])

    def release(self) -> None:
        """Forgets the trees."""
        self._tree = self._native = None


def _refused(error: ParserSyntaxError) -> RefusedError:
    """Place and words of LibCST, which hides the place in the words."""
    place = _PLACE.search(error.message)
    if place is None:
        return RefusedError(error.raw_line, error.raw_column + 1, error.message)
    return RefusedError(int(place[1]), max(int(place[2]), 1), place[3])


class _Held:
    """The texts whose trees are held, those used last at the end, and how long they are."""

    def __init__(self) -> None:
        self.size = 0
        self._sizes: OrderedDict[Syntax, int] = OrderedDict()

    def hold(self, syntax: Syntax, size: int) -> None:
        """Takes a text in, and lets go of the oldest ones where they are too long together."""
        self.size += size - self._sizes.pop(syntax, 0)
        self._sizes[syntax] = size
        while self.size > MOST_HELD and len(self._sizes) > 1:
            self._release(last=False)

    def release(self) -> None:
        """Lets go of all."""
        while self._sizes:
            self._release(last=True)

    def _release(self, last: bool) -> None:
        syntax, size = self._sizes.popitem(last=last)
        self.size -= size
        syntax.release()


_held = _Held()
