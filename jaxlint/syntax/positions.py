"""Places of nodes, computed when a finding asks for one.

Computing every position of a file costs more than parsing it. Instead, the line of a statement
comes from walking LibCST's statements and those of `ast` in step, and the rest from writing out
that one statement. When `ast` cannot read the file, the whole tree is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import libcst as cst

from jaxlint.base.dataclass import slotted
from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.nesting import deep_recursion
from jaxlint.syntax.python import REFUSALS, tree_of
from jaxlint.syntax.rendering import CLAUSES, EndOfHeaderError, Place, Range, Recorder

_COMPOUND = (
    cst.If,
    cst.While,
    cst.For,
    cst.With,
    cst.Try,
    cst.TryStar,
    cst.Match,
    cst.FunctionDef,
    cst.ClassDef,
)


@slotted(eq=False)
class _Unit:
    """What is written out at once: a line of statements, or the header of a clause.

    `anchor` is the node in it that begins at `line`, which counts from 0. A `case` has no line
    of its own in `ast`: `below` is the first statement under it, whose line tells where its
    header ends.
    """

    root: Any
    indent: tuple[str, ...]
    anchor: Any
    line: int
    is_elif: bool = False
    below: _Unit | None = None


class _OutOfStepError(Exception):
    """LibCST and `ast` disagree on the statements of a file."""


class Positions:
    """Finds syntax in the text of one file."""

    def __init__(self, tree: cst.Module, source: SourceText) -> None:
        self._tree = tree
        self._source = source
        self._units: dict[int, _Unit] | None = None
        self._ranges: dict[int, Range] = {}
        self._heads: dict[int, Place] = {}

    def locate(self, origin: Any) -> Span:
        """The place of a piece of syntax, or of all from the first of a pair to the second.

        Expressions lose the parentheses around them, compound statements all but their header,
        and functions and classes all but their keyword and name.
        """
        if type(origin) is tuple:
            (start, _), (_, end) = self._range(origin[0]), self._range(origin[1])
        else:
            start, end = self._range(origin)
            if isinstance(origin, (cst.FunctionDef, cst.ClassDef)):
                end = self._range(origin.name)[1]
            elif isinstance(origin, cst.Match):
                end = self._range(origin.subject)[1]
            elif isinstance(origin, _COMPOUND):
                end = self._heads[id(origin.body)]
        return Span(start[0] + 1, start[1] + 1, end[0] + 1, end[1] + 1)

    def _range(self, origin: Any) -> Range:
        found = self._ranges.get(id(origin))
        if found is not None:
            return found
        with deep_recursion():
            if self._units is None:
                self._units = self._index()
            unit = self._units.get(id(origin))
            if unit is None:
                self._write_all()
            else:
                self._write(unit)
        return self._ranges[id(origin)]

    def _write_all(self) -> None:
        recorder = Recorder(self._tree)
        self._tree._codegen(recorder)  # type: ignore[arg-type]
        self._ranges = recorder.ranges
        self._heads = recorder.heads

    def _write(self, unit: _Unit) -> None:
        recorder = Recorder(self._tree, unit.indent, unit.root)
        try:
            if unit.is_elif:
                unit.root._codegen(recorder, is_elif=True)
            else:
                unit.root._codegen(recorder)
        except EndOfHeaderError:
            pass
        if unit.below is not None:
            down = self._header_end(unit.below) - recorder.heads[id(unit.anchor)][0]
        else:
            down = unit.line - recorder.ranges[id(unit.anchor)][0][0]
        for key, ((line, column), (end_line, end_column)) in recorder.ranges.items():
            self._ranges[key] = ((line + down, column), (end_line + down, end_column))
        for key, (line, column) in recorder.heads.items():
            self._heads[key] = (line + down, column)

    def _header_end(self, below: _Unit) -> int:
        """The line with the colon above the first statement of a block."""
        root, line = below.root, below.line
        decorators = getattr(root, "decorators", ())
        if decorators:
            line = self._range(decorators[0])[0][0] - len(decorators[0].leading_lines)
        return line - len(root.leading_lines) - 1

    def _index(self) -> dict[int, _Unit]:
        """In which unit each node stands; empty when `ast` is of no help."""
        units: dict[int, _Unit] = {}
        try:
            tree = tree_of(self._source.text)
        except REFUSALS:
            return units
        walk = _Walk(self._tree.default_indent)
        try:
            walk.statements(self._tree.body, tree.body, ())
        except _OutOfStepError:
            return units
        for unit in walk.units:
            pending = [unit.root]
            while pending:
                node = pending.pop()
                units[id(node)] = unit
                kind = type(node)
                for name in _FIELDS[kind] if kind in _FIELDS else _fields(kind):
                    value = getattr(node, name)
                    if type(value) is tuple or type(value) is list:
                        pending += value
                    elif type(value) not in _ELSEWHERE:
                        pending.append(value)
        return units


# What the header of a clause does not contain, and what is no node.
_ELSEWHERE = {*CLAUSES, str, type(None), cst.MaybeSentinel, cst.Comma}
_MEANINGLESS = re.compile(
    "whitespace|[lr]par|[lr]brac|comma|semicolon|colon|(first|second)_colon|equal|dot|separator|"
    "leading_lines|lines_after|header|footer|trailing|indent|asynchronous|operator|star$|"
    "handlers|cases"
)
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a kind of node that can hold what the IR points at."""
    names = (field.name for field in fields(kind) if not _MEANINGLESS.match(field.name))
    return _FIELDS.setdefault(kind, tuple(names))


class _Walk:
    """Walks the statements of both trees in step and notes the units of a file."""

    def __init__(self, default_indent: str) -> None:
        self.units: list[_Unit] = []
        self._default_indent = default_indent

    def _unit(self, root: Any, indent: tuple[str, ...], anchor: Any, line: int) -> _Unit:
        """Notes a unit; `line` counts from 1, as in `ast`."""
        unit = _Unit(root, indent, anchor, line - 1)
        self.units.append(unit)
        return unit

    def statements(self, nodes: Any, trees: list[Any], indent: tuple[str, ...]) -> None:
        """Notes the units of statements."""
        at = 0
        for node in nodes:
            if at >= len(trees):
                raise _OutOfStepError
            if isinstance(node, cst.SimpleStatementLine):
                self._unit(node, indent, node.body[0], trees[at].lineno)
                at += len(node.body)
            else:
                self._compound(node, trees[at], indent)
                at += 1
        if at != len(trees):
            raise _OutOfStepError

    def _inner(self, block: Any, indent: tuple[str, ...]) -> tuple[str, ...]:
        own = block.indent
        return (*indent, self._default_indent if own is None else own)

    def _suite(self, suite: Any, trees: list[Any], indent: tuple[str, ...]) -> None:
        """The statements of a clause. Those on its own line belong to its unit."""
        if isinstance(suite, cst.IndentedBlock):
            self.statements(suite.body, trees, self._inner(suite, indent))
        elif len(suite.body) != len(trees):
            raise _OutOfStepError

    def _compound(self, node: Any, tree: Any, indent: tuple[str, ...]) -> None:
        is_elif = False
        while True:
            self._unit(node, indent, node, tree.lineno).is_elif = is_elif
            if isinstance(node, cst.Match):
                self._cases(node, tree, self._inner(node, indent))
                return
            self._suite(node.body, tree.body, indent)
            orelse = getattr(node, "orelse", None)
            if not isinstance(orelse, cst.If):
                break
            node, tree, is_elif = orelse, tree.orelse[0], True
        if isinstance(node, (cst.Try, cst.TryStar)):
            for handler, branch in _pairs(node.handlers, tree.handlers):
                self._unit(handler, indent, handler, branch.lineno)
                self._suite(handler.body, branch.body, indent)
            self._plain_clause(node.finalbody, tree.finalbody, indent)
        self._plain_clause(orelse, getattr(tree, "orelse", []), indent)

    def _plain_clause(self, clause: Any, trees: list[Any], indent: tuple[str, ...]) -> None:
        """An `else` or `finally`: `ast` knows the lines of its statements only."""
        if clause is None:
            return
        if isinstance(clause.body, cst.SimpleStatementSuite) and trees:
            self._unit(clause, indent, clause.body.body[0], trees[0].lineno)
        self._suite(clause.body, trees, indent)

    def _cases(self, node: cst.Match, tree: Any, indent: tuple[str, ...]) -> None:
        for case, branch in _pairs(node.cases, tree.cases):
            if isinstance(case.body, cst.IndentedBlock):
                unit = self._unit(case, indent, case.body, 0)
                first = len(self.units)
                self._suite(case.body, branch.body, indent)
                unit.below = self.units[first]
            else:
                self._unit(case, indent, case.body.body[0], branch.body[0].lineno)
                self._suite(case.body, branch.body, indent)


def _pairs(nodes: Any, trees: list[Any]) -> Iterator[tuple[Any, Any]]:
    if len(nodes) != len(trees):
        raise _OutOfStepError
    return zip(nodes, trees, strict=True)
