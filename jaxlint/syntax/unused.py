"""Imports that a change of a module left without a use, and the edits that remove them.

What was not used before the change stays, and so does what may be there for another reason: a name
that the module exports, binds again or mentions in a string, an import below a condition, and one
with a comment or with something else on its lines.
"""

from __future__ import annotations

import ast
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from jaxlint.base.edit import Edit
from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.formats.documents import is_document
from jaxlint.syntax.python import REFUSALS, tree_of

_Import = ast.Import | ast.ImportFrom
_Placed = ast.expr | ast.stmt | ast.alias


def is_cleaned(path: str) -> bool:
    """Whether the imports of a file are there for the file alone: packages are imported for theirs,
    and notebooks use theirs in magics."""
    return os.path.basename(path) != "__init__.py" and not is_document(path)


def left_unused(old: str, new: str) -> frozenset[str]:
    """The names of imports of a module that it uses in one text and not in another one."""
    try:
        before, after = tree_of(old), tree_of(new)
    except REFUSALS:
        return frozenset()
    names = _importable(before).keys() & _importable(after).keys()
    return frozenset(names & _mentions(before).keys() - _mentions(after).keys())


def removals(text: str, names: Collection[str]) -> tuple[Edit, ...]:
    """The edits that remove the imports of these names from a module."""
    return Imports(text).removals(names)


class Imports:
    """The imports of a module that nothing else binds, and where the module mentions their names:
    for many changes of one text."""

    def __init__(self, text: str) -> None:
        self._source = SourceText("", text)
        try:
            tree = tree_of(text)
        except REFUSALS:
            tree = ast.Module([], [])
        self._imports = _importable(tree)
        self._mentions = {
            name: nodes for name, nodes in _mentions(tree).items() if name in self._imports
        }
        # The statements that have their lines to themselves, as far as that was asked.
        self._alone: dict[_Import, bool] = {}

    def left_unused(self, edits: Sequence[Edit]) -> frozenset[str]:
        """The names that the module does not mention any more after edits, which are ordered and
        do not overlap. What the new text mentions in any way still counts."""
        written = {name for edit in edits for name in _NOT_ATTRIBUTE.findall(edit.replacement)}
        removed = (name for edit in edits for name in _WORD.findall(self._source.slice(edit.span)))
        return frozenset(
            name
            for name, times in Counter(removed).items()
            if 0 < len(self._mentions.get(name, ())) <= times and name not in written
            if all(self._is_within(node, edits) for node in self._mentions[name])
        )

    def removals(self, names: Collection[str]) -> tuple[Edit, ...]:
        """The edits that remove the imports of these names."""
        gone: dict[_Import, set[int]] = {}
        for name in names:
            if name in self._imports:
                statement, at = self._imports[name]
                gone.setdefault(statement, set()).add(at)
        edits: list[Edit] = []
        for statement in sorted(gone, key=lambda one: (one.lineno, one.col_offset)):
            if self._is_alone(statement):
                if len(gone[statement]) == len(statement.names):
                    edits.append(_line(self._source, statement))
                else:
                    edits += _parts(self._source, statement, gone[statement])
        return tuple(edits)

    def _is_within(self, node: ast.expr | ast.stmt, edits: Sequence[Edit]) -> bool:
        """Whether a node is in the span of one edit. No, if it is not where it is said to be, as
        in some texts with braces."""
        start, end = _start(self._source, node), _end(self._source, node)
        if isinstance(node, ast.Name) and self._source.slice(Span(*start, *end)) != node.id:
            return False
        at = bisect_right(edits, start, key=lambda edit: (edit.span.line, edit.span.column))
        span = edits[at - 1].span if at else None
        return span is not None and end <= (span.end_line, span.end_column)

    def _is_alone(self, statement: _Import) -> bool:
        if statement not in self._alone:
            self._alone[statement] = _is_alone(self._source, statement)
        return self._alone[statement]


def _importable(tree: ast.Module) -> dict[str, tuple[_Import, int]]:
    """The names that one import of the module binds, and nothing else on its top level: each with
    the statement, and which of its names it is."""
    bound = Counter(_bindings(tree.body))
    found = {}
    for statement in tree.body:
        if isinstance(statement, _Import) and getattr(statement, "module", "") != "__future__":
            for at, one in enumerate(statement.names):
                is_exported = one.name == one.asname
                # A dotted import makes a module known for all who import it.
                is_dotted = "." in one.name and one.asname is None
                if bound[_bound(one)] == 1 and not (is_exported or is_dotted or one.name == "*"):
                    found[_bound(one)] = statement, at
    return found


def _bindings(nodes: list[ast.stmt]) -> Iterator[str]:
    """The names that statements bind outside of functions and classes."""
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, _Import):
            yield from map(_bound, node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        else:
            waiting += ast.iter_child_nodes(node)


def _mentions(tree: ast.Module) -> dict[str, list[ast.expr | ast.stmt]]:
    """The nodes by the names that they mention, outside of imports; in strings too, which may be
    types or exports, but not in what documents the module."""
    documents = {id(it.value) for it in ast.walk(tree) if isinstance(it, ast.Expr)}
    found: dict[str, list[ast.expr | ast.stmt]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                found.setdefault(name, []).append(node)
        elif isinstance(node, ast.Constant) and id(node) not in documents:
            for name in set(_WORD.findall(node.value) if isinstance(node.value, str) else ()):
                found.setdefault(name, []).append(node)
    return found


_WORD = re.compile(r"[^\W\d]\w*")
_NOT_ATTRIBUTE = re.compile(r"(?<![\w.])[^\W\d]\w*")


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _is_alone(source: SourceText, statement: _Import) -> bool:
    """Whether an import has its lines to itself, without comments."""
    last = statement.end_lineno or statement.lineno
    lines = [source.line(line) for line in range(statement.lineno, last + 1)]
    before = lines[0][: _column(lines[0], statement.col_offset) - 1]
    behind = lines[-1][_column(lines[-1], statement.end_col_offset or 0) - 1 :]
    return not before.strip() and not behind.strip() and not any("#" in line for line in lines)


def _line(source: SourceText, statement: _Import) -> Edit:
    """The removal of a statement with its lines, and with the shorter of the gaps around it."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    above = _gap(source, range(first - 1, 0, -1))
    below = _gap(source, range(last + 1, len(source.lines) + 1))
    if above and below <= above and first - above > 1:
        first -= below
    elif first - above == 1:
        last += below
    elif above and below:
        first -= min(above, below)
    if last >= len(source.lines):
        return Edit(Span(first, 1, last, len(source.line(last)) + 1), "")
    return Edit(Span(first, 1, last + 1, 1), "")


def _gap(source: SourceText, lines: range) -> int:
    """How many of some lines in a row are blank."""
    return next((n for n, line in enumerate(lines) if source.line(line).strip()), len(lines))


def _parts(source: SourceText, statement: _Import, gone: Collection[int]) -> Iterator[Edit]:
    """The removal of some names of an import: each with the comma behind it, the last ones with
    that before them."""
    names = statement.names
    last = len(names) - 1
    while last in gone:
        last -= 1
    for at in sorted(gone):
        if at < last:
            start, end = _start(source, names[at]), _start(source, names[at + 1])
        else:
            start, end = _end(source, names[at - 1]), _end(source, names[at])
        yield Edit(Span(*start, *end), "")


def _start(source: SourceText, node: _Placed) -> tuple[int, int]:
    return node.lineno, _column(source.line(node.lineno), node.col_offset)


def _end(source: SourceText, node: _Placed) -> tuple[int, int]:
    line = node.end_lineno or node.lineno
    return line, _column(source.line(line), node.end_col_offset or 0)


def _column(line: str, offset: int) -> int:
    """The column, from 1, of what is so many bytes behind the start of a line."""
    if line.isascii():
        return min(offset, len(line)) + 1
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1
