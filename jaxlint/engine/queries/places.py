"""Which expressions of a file a question about a place means."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.syntax import ir

_NAMED = (ir.Name, ir.Attribute, ir.Param, ir.MatchAs)
_ASKED = (ir.Expr, ir.Param, ir.MatchAs)
_STORED = (ir.Attribute, ir.Subscript)


def about(
    module: ir.Module, line: int, column: int | None
) -> Iterator[tuple[ir.Node | ir.Param, ir.Node | ir.Param]]:
    """The expressions that hold a column, or all names that start on a line; each with the node
    whose value tells what it is."""
    for statement in _around(module, line):
        tellers = _stored(statement)
        for node in walk(statement):
            if not isinstance(node, _ASKED if column is not None else _NAMED) or not node.origin:
                continue
            if column is None and not _is_named(node):
                continue
            span = extent(module, node)
            if span.line == line if column is None else span.holds(line, column):
                yield node, tellers.get(id(node), node)


def extent(module: ir.Module, node: ir.Node | ir.Param) -> Span:
    """Where a node is; of a parameter, its name."""
    span = module.locate(node)
    if not isinstance(node, ir.Param):
        return span
    text = module.source.line(span.line)
    start = text.find(node.name, span.column - 1) + 1 or span.column
    return Span(span.line, start, span.line, start + len(node.name))


def reaches_to(module: ir.Module, function: ir.FunctionDef) -> Span:
    """Where a function is, from its name to the end of its body."""
    start = module.locate(function)
    ends = [(start.end_line, start.end_column)]
    for node in walk(function.body[-1:]):
        if isinstance(node, ir.Node) and node.origin:
            span = module.locate(node)
            ends.append((span.end_line, span.end_column))
    return Span(start.line, start.column, *max(ends))


def _around(module: ir.Module, line: int) -> Iterator[ir.Stmt]:
    """The statements of the file's first level that a line may belong to: a statement's place is
    its first line, less the decorators before it."""
    body = module.body
    at = bisect_left(body, line, key=lambda statement: module.locate(statement).line)
    for number in range(max(at - 1, 0), len(body)):
        yield body[number]
        if number >= at and module.locate(body[number]).line > line:
            return


def _is_named(node: Any) -> bool:
    """Whether this is a name, or the attribute of one."""
    if isinstance(node, ir.MatchAs):
        return node.name is not None
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, (ir.Name, ir.Param))


def _stored(statement: ir.Stmt) -> dict[int, ir.Node]:
    """What is stored in attributes and elements, by the target."""
    found: dict[int, ir.Node] = {}
    for node in walk(statement):
        if isinstance(node, ir.Assign):
            for target in node.targets:
                if isinstance(target, _STORED):
                    found[id(target)] = node.value
    return found
