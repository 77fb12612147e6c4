"""Expressions of a module wrapped in calls that step over their conversions."""

from __future__ import annotations

import ast
from typing import Any

Range = tuple[int, int, int, int]


class Wrap(ast.NodeTransformer):
    """Wraps the expressions of given ranges."""

    def __init__(self, ranges: set[Range]) -> None:
        self._ranges = ranges

    def visit(self, node: ast.AST) -> Any:
        where = range_of(node)
        self.generic_visit(node)
        if where not in self._ranges:
            return node
        if isinstance(node, (ast.If, ast.While, ast.Assert)):
            node.test = _wrapped_test(node.test, where)
            return node
        if not isinstance(node, ast.expr):
            return node
        return _wrapped(node, where)


def range_of(node: ast.AST) -> Range | None:
    if not hasattr(node, "lineno"):
        return None
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore


def _wrapped(node: ast.expr, where: Range) -> ast.expr:
    if isinstance(node, ast.Call) and not any(
        isinstance(argument, ast.Starred) for argument in node.args
    ):
        name = getattr(node.func, "attr", "")
        arguments = [
            ast.Constant(name),
            node.func,
            ast.Tuple(node.args, ast.Load()),
            ast.Dict(
                [ast.Constant(word.arg) for word in node.keywords],
                [word.value for word in node.keywords],
            ),
        ]
        return _made("__rerun_call__", where, arguments, node)
    if isinstance(node, ast.Subscript):
        return _made("__rerun_item__", where, [node.value, _index(node.slice)], node)
    if isinstance(node, ast.FormattedValue):
        text = _made("__rerun_text__", where, [_later(ast.JoinedStr([node]))], node)
        return ast.FormattedValue(text, -1, None)
    if isinstance(node, ast.JoinedStr):
        return _made("__rerun_text__", where, [_later(node)], node)
    return _wrapped_test(node, where)


def _wrapped_test(node: ast.expr, where: Range) -> ast.expr:
    return _made("__rerun_test__", where, [_later(node)], node)


def _index(node: ast.expr) -> ast.expr:
    """The index of a subscript as an expression of its own."""
    if isinstance(node, ast.Slice):
        bounds = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), bounds, [])
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_index(part) for part in node.elts], ast.Load())
    return node


def _later(node: ast.expr) -> ast.expr:
    empty = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(empty, node)


def _made(name: str, where: Range, arguments: list[ast.expr], node: ast.AST) -> ast.expr:
    key = ast.Tuple([ast.Constant(part) for part in where], ast.Load())
    call = ast.Call(ast.Name(name, ast.Load()), [key, *arguments], [])
    return ast.copy_location(call, node)
