"""Statements of Python's own syntax tree -> IR.

The order in which `Scope.at` is asked is that of `jaxlint.syntax.lower`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from jaxlint.base.slotted import replace, slotted
from jaxlint.syntax import ir
from jaxlint.syntax.native.expressions import (
    OPERATORS,
    arguments,
    expression,
    optional,
    parameters,
    pattern,
)
from jaxlint.syntax.python import tree_of
from jaxlint.syntax.scopes import Origins, Scope

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
    scope = Scope(partial(next, count(first)))
    lowered: list[ir.Stmt] = []
    stretches: list[Stretch] = []
    end = 0
    for node in tree.body:
        above, end = end, node.end_lineno or node.lineno
        if stretches and node.lineno <= above:
            stretches[-1] = replace(stretches[-1], end=end)
        else:
            stretches.append(Stretch(scope.at(node), above + 1, end, node.lineno))
        statement = _LOWERINGS[type(node)](node, scope)
        if statement is not None:
            lowered.append(statement)
    return tuple(lowered), stretches, scope.at(None)


def origins(text: str, first: int) -> Origins:
    """What in Python's own tree the nodes of some text come from, the first one numbered after
    `first`."""
    tree = tree_of(text)
    found = Origins(first)
    _suite(tree.body, Scope(found.at))
    return found


def _suite(nodes: list[Any], scope: Scope) -> tuple[ir.Stmt, ...]:
    lowered = []
    for node in nodes:
        statement = _LOWERINGS[type(node)](node, scope)
        if statement is not None:
            lowered.append(statement)
    return tuple(lowered)


def _target(node: Any, scope: Scope) -> ir.Expr:
    lowered = expression(node, scope)
    scope.bind(lowered)
    return lowered


def _expression(node: ast.Expr, scope: Scope) -> ir.Stmt:
    return ir.ExprStmt(scope.at(node), expression(node.value, scope))


def _assign(node: ast.Assign, scope: Scope) -> ir.Stmt:
    targets = tuple([_target(one, scope) for one in node.targets])
    return ir.Assign(scope.at(node), targets, expression(node.value, scope))


def _augmented(node: ast.AugAssign, scope: Scope) -> ir.Stmt:
    return ir.AugAssign(
        scope.at(node),
        _target(node.target, scope),
        OPERATORS[type(node.op)],
        expression(node.value, scope),
    )


def _annotated(node: ast.AnnAssign, scope: Scope) -> ir.Stmt:
    return ir.AnnAssign(
        scope.at(node),
        _target(node.target, scope),
        expression(node.annotation, scope),
        optional(node.value, scope),
    )


def _return(node: ast.Return, scope: Scope) -> ir.Stmt:
    return ir.Return(scope.at(node), optional(node.value, scope))


def _raise(node: ast.Raise, scope: Scope) -> ir.Stmt:
    cause = optional(node.cause, scope)
    return ir.Raise(scope.at(node), optional(node.exc, scope), cause)


def _assert(node: ast.Assert, scope: Scope) -> ir.Stmt:
    return ir.Assert(scope.at(node), expression(node.test, scope), optional(node.msg, scope))


def _delete(node: ast.Delete, scope: Scope) -> ir.Stmt:
    nodes: list[Any] = node.targets
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes = nodes[0].elts
    targets = tuple([_target(one, scope) for one in nodes])
    return ir.Delete(scope.at(node), targets)


def _global(node: ast.Global, scope: Scope) -> ir.Stmt:
    scope.globals.update(node.names)
    return ir.Global(scope.at(node), tuple(node.names))


def _nonlocal(node: ast.Nonlocal, scope: Scope) -> ir.Stmt:
    scope.nonlocals.update(node.names)
    return ir.Nonlocal(scope.at(node), tuple(node.names))


def _break(node: ast.Break, scope: Scope) -> ir.Stmt:
    return ir.Break(scope.at(node))


def _continue(node: ast.Continue, scope: Scope) -> ir.Stmt:
    return ir.Continue(scope.at(node))


def _pass(node: ast.Pass, scope: Scope) -> None:
    return None


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
    """An `if` and all its `elif`, which are built from the last to the first."""
    chain = [node]
    last = node.orelse
    while len(last) == 1 and isinstance(last[0], ast.If):
        chain.append(last[0])
        last = last[0].orelse
    parts = [(one, expression(one.test, scope), _suite(one.body, scope)) for one in chain]
    orelse = _suite(last, scope)
    while True:
        one, test, body = parts.pop()
        lowered = ir.If(scope.at(one), test, body, orelse)
        if not parts:
            return lowered
        orelse = (lowered,)


def _while(node: ast.While, scope: Scope) -> ir.Stmt:
    return ir.While(
        scope.at(node),
        expression(node.test, scope),
        _suite(node.body, scope),
        _suite(node.orelse, scope),
    )


def _for(node: Any, scope: Scope) -> ir.Stmt:
    return ir.For(
        scope.at(node),
        _target(node.target, scope),
        expression(node.iter, scope),
        _suite(node.body, scope),
        _suite(node.orelse, scope),
    )


def _with(node: Any, scope: Scope) -> ir.Stmt:
    items: list[tuple[ir.Expr, ir.Expr | None]] = []
    for one in node.items:
        context = expression(one.context_expr, scope)
        target = one.optional_vars
        items.append((context, None if target is None else _target(target, scope)))
    return ir.With(scope.at(node), tuple(items), _suite(node.body, scope))


def _try(node: Any, scope: Scope) -> ir.Stmt:
    body = _suite(node.body, scope)
    handlers: list[ir.Handler] = []
    for one in node.handlers:
        if one.name is not None:
            scope.bound.add(one.name)
        caught = optional(one.type, scope)
        handlers.append(ir.Handler(caught, one.name, _suite(one.body, scope)))
    return ir.Try(
        scope.at(node),
        body,
        tuple(handlers),
        _suite(node.orelse, scope),
        _suite(node.finalbody, scope),
    )


def _match(node: ast.Match, scope: Scope) -> ir.Stmt:
    subject = expression(node.subject, scope)
    cases = [
        ir.Case(pattern(one.pattern, scope), optional(one.guard, scope), _suite(one.body, scope))
        for one in node.cases
    ]
    return ir.Match(scope.at(node), subject, tuple(cases))


def _function(node: Any, scope: Scope) -> ir.Stmt:
    inner = Scope(scope.at)
    scope.bound.add(node.name)
    decorators = tuple([expression(one, scope) for one in node.decorator_list])
    params = parameters(node.args, scope, inner)
    returns = optional(node.returns, scope)
    body = _suite(node.body, inner)
    return ir.FunctionDef(
        origin=scope.at(node),
        name=node.name,
        params=params,
        body=body,
        decorators=decorators,
        returns=returns,
        is_async=type(node) is ast.AsyncFunctionDef,
        is_lambda=False,
        is_generator=inner.yields,
        bound=inner.own(),
        globals=frozenset(inner.globals),
        nonlocals=frozenset(inner.nonlocals),
    )


def _class(node: ast.ClassDef, scope: Scope) -> ir.Stmt:
    scope.bound.add(node.name)
    decorators = tuple([expression(one, scope) for one in node.decorator_list])
    bases = arguments([*node.bases, *node.keywords], scope)
    return ir.ClassDef(
        scope.at(node), node.name, bases, _suite(node.body, Scope(scope.at)), decorators
    )


_LOWERINGS: dict[type, Lowering] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Pass: _pass,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
# Type aliases (PEP 695) came with Python 3.12.
if hasattr(ast, "TypeAlias"):
    _LOWERINGS[ast.TypeAlias] = _type_alias
