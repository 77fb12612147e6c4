"""LibCST statements -> IR, in one walk that descends into meaningful fields only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.lowering import shared
from jaxlint.syntax.lowering.expressions import EXPRESSIONS, arguments, parameters
from jaxlint.syntax.lowering.operators import AUGMENTED
from jaxlint.syntax.lowering.patterns import pattern
from jaxlint.syntax.lowering.scopes import Grammar, Origins, Scope

Lowering = Callable[[Any, Scope], ir.Stmt | None]

_CLAUSES = (cst.Else, cst.Finally)


def lower(module: cst.Module, origins: Origins) -> tuple[ir.Stmt, ...]:
    """The statements of a module. `origins` takes the syntax behind each node, in an order that
    depends on the source alone."""
    return _suite(module, Scope(origins.at, _GRAMMAR))


def _suite(node: Any, scope: Scope) -> tuple[ir.Stmt, ...]:
    """The statements of a module, of a block or of what follows a colon on its line; or those of
    an `else` or `finally` that may be absent."""
    if node is None:
        return ()
    if type(node) in _CLAUSES:
        node = node.body
    lowered: list[ir.Stmt] = []
    for one in node.body:
        if type(one) is cst.SimpleStatementLine:
            for small in one.body:
                statement = _STATEMENTS[type(small)](small, scope)
                if statement is not None:
                    lowered.append(statement)
        else:
            statement = _STATEMENTS[type(one)](one, scope)
            if statement is not None:
                lowered.append(statement)
    return tuple(lowered)


def _assign(node: cst.Assign, scope: Scope) -> ir.Stmt:
    return shared.assign(node, [one.target for one in node.targets], scope)


def _augmented(node: cst.AugAssign, scope: Scope) -> ir.Stmt:
    return shared.augmented(node, AUGMENTED[type(node.operator)], scope)


def _annotated(node: cst.AnnAssign, scope: Scope) -> ir.Stmt:
    return shared.annotated(node, node.annotation.annotation, scope)


def _raise(node: cst.Raise, scope: Scope) -> ir.Stmt:
    return shared.raise_(node, node.cause and node.cause.item, scope)


def _delete(node: Any, scope: Scope) -> ir.Stmt:
    listed = isinstance(node.target, (cst.Tuple, cst.List))
    nodes = [one.value for one in node.target.elements] if listed else [node.target]
    return shared.delete(node, nodes, scope)


def _global(node: cst.Global, scope: Scope) -> ir.Stmt:
    return shared.global_(node, [one.name.value for one in node.names], scope)


def _nonlocal(node: cst.Nonlocal, scope: Scope) -> ir.Stmt:
    return shared.nonlocal_(node, [one.name.value for one in node.names], scope)


def _type_alias(node: cst.TypeAlias, scope: Scope) -> None:
    scope.bound.add(node.name.value)


def _dotted(node: Any) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    parts.append("" if node is None else node.value)
    return ".".join(reversed(parts))


def _aliases(nodes: Any, scope: Scope) -> tuple[tuple[str, str | None], ...]:
    names: list[tuple[str, str | None]] = []
    for one in nodes:
        dotted = _dotted(one.name)
        alias = None if one.asname is None else one.asname.name.value
        scope.bound.add(alias or dotted.partition(".")[0])
        names.append((dotted, alias))
    return tuple(names)


def _import(node: Any, scope: Scope) -> ir.Stmt:
    return ir.Import(scope.at(node), _aliases(node.names, scope))


def _import_from(node: Any, scope: Scope) -> ir.Stmt:
    names = None if isinstance(node.names, cst.ImportStar) else _aliases(node.names, scope)
    return ir.ImportFrom(scope.at(node), _dotted(node.module), len(node.relative), names)


def _if(node: cst.If, scope: Scope) -> ir.Stmt:
    chain = [node]
    last: Any = node.orelse
    while isinstance(last, cst.If):
        chain.append(last)
        last = last.orelse
    return shared.if_(chain, last, scope)


def _with(node: cst.With, scope: Scope) -> ir.Stmt:
    items = [(one.item, one.asname and one.asname.name) for one in node.items]
    return shared.with_(node, items, scope)


def _try(node: Any, scope: Scope) -> ir.Stmt:
    names = [one.name and one.name.name.value for one in node.handlers]
    return shared.try_(node, names, scope)


def _function(node: cst.FunctionDef, scope: Scope) -> ir.Stmt:
    decorators = [one.decorator for one in node.decorators]
    params = parameters(node.params)
    returns = node.returns and node.returns.annotation
    is_async = node.asynchronous is not None
    return shared.function(node, node.name.value, decorators, params, returns, is_async, scope)


def _class(node: cst.ClassDef, scope: Scope) -> ir.Stmt:
    decorators = [one.decorator for one in node.decorators]
    bases = (*node.bases, *node.keywords)
    return shared.class_(node, node.name.value, decorators, bases, scope)


_STATEMENTS: dict[type, Lowering] = {
    cst.Expr: shared.expression_statement,
    cst.Assign: _assign,
    cst.AugAssign: _augmented,
    cst.AnnAssign: _annotated,
    cst.Return: shared.return_,
    cst.Raise: _raise,
    cst.Assert: shared.assert_,
    cst.Del: _delete,
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Break: shared.break_,
    cst.Continue: shared.continue_,
    cst.Pass: shared.pass_,
    cst.TypeAlias: _type_alias,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.If: _if,
    cst.While: shared.while_,
    cst.For: shared.for_,
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: shared.match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
}
# Lazy imports (PEP 810) came with LibCST 1.9.
if hasattr(cst, "LazyImport"):
    _STATEMENTS[cst.LazyImport] = _import
    _STATEMENTS[cst.LazyImportFrom] = _import_from
_GRAMMAR = Grammar(EXPRESSIONS, arguments, _suite, pattern)
