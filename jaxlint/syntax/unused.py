"""Imports that a change of a module left without a use, and the edits that remove them.

What was not used before the change stays, and so does what may be there for another reason: a name
that the module exports, binds again or mentions in a string, an import below a condition, and one
with a comment or with something else on its lines.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterator

from jaxlint.base.edit import Edit
from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.documents import is_document
from jaxlint.syntax.python import REFUSALS, tree_of

_Import = ast.Import | ast.ImportFrom


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
    names = _importable(before) & _importable(after)
    return frozenset(names & _used(before) - _used(after)) if names else frozenset()


def removals(text: str, names: frozenset[str]) -> tuple[Edit, ...]:
    """The edits that remove the imports of these names from a module."""
    try:
        tree = tree_of(text)
    except REFUSALS:
        return ()
    source = SourceText("", text)
    edits: list[Edit] = []
    for statement in tree.body:
        if isinstance(statement, _Import):
            kept = [one for one in statement.names if _bound(one) not in names]
            if len(kept) < len(statement.names) and _is_alone(source, statement):
                edits += [_line(source, statement)] if not kept else _parts(source, statement, kept)
    return tuple(edits)


def _importable(tree: ast.Module) -> set[str]:
    """The names that one import of the module binds, and nothing else on its top level."""
    bound = Counter(_bindings(tree.body))
    found = set()
    for statement in tree.body:
        if isinstance(statement, _Import) and getattr(statement, "module", "") != "__future__":
            for one in statement.names:
                is_exported = one.name == one.asname
                # A dotted import makes a module known for all who import it.
                is_dotted = "." in one.name and one.asname is None
                if bound[_bound(one)] == 1 and not (is_exported or is_dotted or one.name == "*"):
                    found.add(_bound(one))
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


def _used(tree: ast.Module) -> set[str]:
    """The names that a module mentions outside of its imports, in strings too, which may be types
    or exports; but not in what documents it."""
    documents = {id(it.value) for it in ast.walk(tree) if isinstance(it, ast.Expr)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, ast.Constant) and id(node) not in documents:
            found.update(_WORD.findall(node.value) if isinstance(node.value, str) else ())
    return found


_WORD = re.compile(r"[^\W\d]\w*")


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


def _parts(source: SourceText, statement: _Import, kept: list[ast.alias]) -> Iterator[Edit]:
    """The removal of some names of an import: each with the comma behind it, the last ones with
    that before them."""
    names = statement.names
    last = names.index(kept[-1])
    for at, one in enumerate(names):
        if one in kept:
            continue
        if at < last:
            start, end = _start(source, one), _start(source, names[at + 1])
        else:
            start, end = _end(source, names[at - 1]), _end(source, one)
        yield Edit(Span(*start, *end), "")


def _start(source: SourceText, alias: ast.alias) -> tuple[int, int]:
    return alias.lineno, _column(source.line(alias.lineno), alias.col_offset)


def _end(source: SourceText, alias: ast.alias) -> tuple[int, int]:
    line = alias.end_lineno or alias.lineno
    return line, _column(source.line(line), alias.end_col_offset or 0)


def _column(line: str, offset: int) -> int:
    """The column, from 1, of what is so many bytes behind the start of a line."""
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1
