"""Statements of Python's own syntax tree -> IR.

The order in which `Scope.at` is asked is that of `jaxlint.syntax.lowering.lower`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from jaxlint.base.dataclass import replace, slotted
from jaxlint.syntax import ir
from jaxlint.syntax.lowering import shared
from jaxlint.syntax.lowering.scopes import Grammar, Origins, Scope
from jaxlint.syntax.native.expressions import (
    EXPRESSIONS,
    OPERATORS,
    arguments,
    parameters,
    pattern,
)
from jaxlint.syntax.python import tree_of

Lowering = Callable[[Any, Scope], ir.Stmt | None]


@slotted(frozen=True)
class Stretch:
    """Statements of a module that share lines: the number before that of their first node, and
    their lines, which count from 1. From `start` on there may be comments and decorators, the
    first statement itself begins at `line`."""

    first: int
    start: int
    end: int
    line: int


def read(text: str, first: int) -> tuple[tuple[ir.Stmt, ...], list[Stretch], int]:
    """The statements of a module, where they are, and the last number; nodes are numbered from
    after `first`.

    Raises SyntaxError, ValueError, RecursionError or MemoryError where Python's own parser does.
    """
    tree = tree_of(text)
    # Numbers are given out by C code: this is asked for each node of each file.
    scope = Scope(partial(next, count(first)), _GRAMMAR)
    lowered: list[ir.Stmt] = []
    stretches: list[Stretch] = []
    end = 0
    for node in tree.body:
        above, end = end, node.end_lineno or node.lineno
        if stretches and node.lineno <= above:
            stretches[-1] = replace(stretches[-1], end=end)
        else:
            stretches.append(Stretch(scope.at(node), above + 1, end, node.lineno))
        statement = _STATEMENTS[type(node)](node, scope)
        if statement is not None:
            lowered.append(statement)
    return tuple(lowered), stretches, scope.at(None)


def origins(text: str, first: int) -> Origins:
    """What in Python's own tree the nodes of some text come from, the first one numbered after
    `first`."""
    tree = tree_of(text)
    found = Origins(first)
    _suite(tree.body, Scope(found.at, _GRAMMAR))
    return found


def _suite(nodes: list[Any], scope: Scope) -> tuple[ir.Stmt, ...]:
    lowered = []
    for node in nodes:
        statement = _STATEMENTS[type(node)](node, scope)
        if statement is not None:
            lowered.append(statement)
    return tuple(lowered)


def _assign(node: ast.Assign, scope: Scope) -> ir.Stmt:
    return shared.assign(node, node.targets, scope)


def _augmented(node: ast.AugAssign, scope: Scope) -> ir.Stmt:
    return shared.augmented(node, OPERATORS[type(node.op)], scope)


def _annotated(node: ast.AnnAssign, scope: Scope) -> ir.Stmt:
    return shared.annotated(node, node.annotation, scope)


def _raise(node: ast.Raise, scope: Scope) -> ir.Stmt:
    return shared.raise_(node, node.cause, scope)


def _delete(node: ast.Delete, scope: Scope) -> ir.Stmt:
    nodes: list[Any] = node.targets
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes = nodes[0].elts
    return shared.delete(node, nodes, scope)


def _global(node: ast.Global, scope: Scope) -> ir.Stmt:
    return shared.global_(node, node.names, scope)


def _nonlocal(node: ast.Nonlocal, scope: Scope) -> ir.Stmt:
    return shared.nonlocal_(node, node.names, scope)


def _type_alias(node: Any, scope: Scope) -> None:
    scope.bound.add(node.name.id)


def _aliases(nodes: list[ast.alias], scope: Scope) -> tuple[tuple[str, str | None], ...]:
    scope.bound.update([one.asname or one.name.partition(".")[0] for one in nodes])
    return tuple([(one.name, one.asname) for one in nodes])


def _import(node: ast.Import, scope: Scope) -> ir.Stmt:
    return ir.Import(scope.at(node), _aliases(node.names, scope))


def _import_from(node: ast.ImportFrom, scope: Scope) -> ir.Stmt:
    names = None if node.names[0].name == "*" else _aliases(node.names, scope)
    return ir.ImportFrom(scope.at(node), node.module or "", node.level, names)


def _if(node: ast.If, scope: Scope) -> ir.Stmt:
    chain = [node]
    last = node.orelse
    while len(last) == 1 and isinstance(last[0], ast.If):
        chain.append(last[0])
        last = last[0].orelse
    return shared.if_(chain, last, scope)


def _with(node: Any, scope: Scope) -> ir.Stmt:
    items = [(one.context_expr, one.optional_vars) for one in node.items]
    return shared.with_(node, items, scope)


def _try(node: Any, scope: Scope) -> ir.Stmt:
    return shared.try_(node, [one.name for one in node.handlers], scope)


def _function(node: Any, scope: Scope) -> ir.Stmt:
    is_async = type(node) is ast.AsyncFunctionDef
    params = parameters(node.args)
    return shared.function(
        node, node.name, node.decorator_list, params, node.returns, is_async, scope
    )


def _class(node: ast.ClassDef, scope: Scope) -> ir.Stmt:
    bases = [*node.bases, *node.keywords]
    return shared.class_(node, node.name, node.decorator_list, bases, scope)


_STATEMENTS: dict[type, Lowering] = {
    ast.Expr: shared.expression_statement,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Return: shared.return_,
    ast.Raise: _raise,
    ast.Assert: shared.assert_,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Break: shared.break_,
    ast.Continue: shared.continue_,
    ast.Pass: shared.pass_,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.If: _if,
    ast.While: shared.while_,
    ast.For: shared.for_,
    ast.AsyncFor: shared.for_,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: shared.match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
# Type aliases (PEP 695) came with Python 3.12.
if hasattr(ast, "TypeAlias"):
    _STATEMENTS[ast.TypeAlias] = _type_alias
_GRAMMAR = Grammar(EXPRESSIONS, arguments, _suite, pattern)
