"""LibCST statements -> IR, in one walk that descends into meaningful fields only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.expressions import arguments, expression, optional, parameters
from jaxlint.syntax.operators import AUGMENTED
from jaxlint.syntax.patterns import pattern
from jaxlint.syntax.scopes import Origins, Scope

Lowering = Callable[[Any, Scope], ir.Stmt | None]


def lower(module: cst.Module, origins: Origins) -> tuple[ir.Stmt, ...]:
    """The statements of a module. `origins` takes the syntax behind each node, in an order that
    depends on the source alone."""
    return _suite(module, Scope(origins.at))


def _suite(node: Any, scope: Scope) -> tuple[ir.Stmt, ...]:
    """The statements of a module, of a block or of what follows a colon on its line."""
    lowered: list[ir.Stmt] = []
    for one in node.body:
        if type(one) is cst.SimpleStatementLine:
            for small in one.body:
                statement = _LOWERINGS[type(small)](small, scope)
                if statement is not None:
                    lowered.append(statement)
        else:
            statement = _LOWERINGS[type(one)](one, scope)
            if statement is not None:
                lowered.append(statement)
    return tuple(lowered)


def _clause(node: Any, scope: Scope) -> tuple[ir.Stmt, ...]:
    """The statements of an `else` or `finally` that may be absent."""
    return () if node is None else _suite(node.body, scope)


def _target(node: Any, scope: Scope) -> ir.Expr:
    lowered = expression(node, scope)
    scope.bind(lowered)
    return lowered


def _expression(node: cst.Expr, scope: Scope) -> ir.Stmt:
    return ir.ExprStmt(scope.at(node), expression(node.value, scope))


def _assign(node: cst.Assign, scope: Scope) -> ir.Stmt:
    targets = tuple([_target(one.target, scope) for one in node.targets])
    return ir.Assign(scope.at(node), targets, expression(node.value, scope))


def _augmented(node: cst.AugAssign, scope: Scope) -> ir.Stmt:
    return ir.AugAssign(
        scope.at(node),
        _target(node.target, scope),
        AUGMENTED[type(node.operator)],
        expression(node.value, scope),
    )


def _annotated(node: cst.AnnAssign, scope: Scope) -> ir.Stmt:
    return ir.AnnAssign(
        scope.at(node),
        _target(node.target, scope),
        expression(node.annotation.annotation, scope),
        optional(node.value, scope),
    )


def _return(node: cst.Return, scope: Scope) -> ir.Stmt:
    return ir.Return(scope.at(node), optional(node.value, scope))


def _raise(node: cst.Raise, scope: Scope) -> ir.Stmt:
    cause = expression(node.cause.item, scope) if node.cause is not None else None
    return ir.Raise(scope.at(node), optional(node.exc, scope), cause)


def _assert(node: cst.Assert, scope: Scope) -> ir.Stmt:
    return ir.Assert(scope.at(node), expression(node.test, scope), optional(node.msg, scope))


def _delete(node: Any, scope: Scope) -> ir.Stmt:
    listed = isinstance(node.target, (cst.Tuple, cst.List))
    nodes = [one.value for one in node.target.elements] if listed else [node.target]
    targets = tuple([_target(one, scope) for one in nodes])
    return ir.Delete(scope.at(node), targets)


def _global(node: cst.Global, scope: Scope) -> ir.Stmt:
    names = tuple([one.name.value for one in node.names])
    scope.globals.update(names)
    return ir.Global(scope.at(node), names)


def _nonlocal(node: cst.Nonlocal, scope: Scope) -> ir.Stmt:
    names = tuple([one.name.value for one in node.names])
    scope.nonlocals.update(names)
    return ir.Nonlocal(scope.at(node), names)


def _break(node: cst.Break, scope: Scope) -> ir.Stmt:
    return ir.Break(scope.at(node))


def _continue(node: cst.Continue, scope: Scope) -> ir.Stmt:
    return ir.Continue(scope.at(node))


def _pass(node: cst.Pass, scope: Scope) -> None:
    return None


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
    """An `if` and all its `elif`, which are built from the last to the first."""
    chain = [node]
    last: Any = node.orelse
    while isinstance(last, cst.If):
        chain.append(last)
        last = last.orelse
    parts = [(one, expression(one.test, scope), _suite(one.body, scope)) for one in chain]
    orelse = _clause(last, scope)
    while True:
        one, test, body = parts.pop()
        lowered = ir.If(scope.at(one), test, body, orelse)
        if not parts:
            return lowered
        orelse = (lowered,)


def _while(node: cst.While, scope: Scope) -> ir.Stmt:
    return ir.While(
        scope.at(node),
        expression(node.test, scope),
        _suite(node.body, scope),
        _clause(node.orelse, scope),
    )


def _for(node: cst.For, scope: Scope) -> ir.Stmt:
    return ir.For(
        scope.at(node),
        _target(node.target, scope),
        expression(node.iter, scope),
        _suite(node.body, scope),
        _clause(node.orelse, scope),
    )


def _with(node: cst.With, scope: Scope) -> ir.Stmt:
    items: list[tuple[ir.Expr, ir.Expr | None]] = []
    for one in node.items:
        context = expression(one.item, scope)
        items.append((context, None if one.asname is None else _target(one.asname.name, scope)))
    return ir.With(scope.at(node), tuple(items), _suite(node.body, scope))


def _try(node: Any, scope: Scope) -> ir.Stmt:
    body = _suite(node.body, scope)
    handlers: list[ir.Handler] = []
    for one in node.handlers:
        name = None
        if one.name is not None:
            name = one.name.name.value
            scope.bound.add(name)
        handlers.append(ir.Handler(optional(one.type, scope), name, _suite(one.body, scope)))
    return ir.Try(
        scope.at(node),
        body,
        tuple(handlers),
        _clause(node.orelse, scope),
        _clause(node.finalbody, scope),
    )


def _match(node: cst.Match, scope: Scope) -> ir.Stmt:
    subject = expression(node.subject, scope)
    cases = [
        ir.Case(pattern(one.pattern, scope), optional(one.guard, scope), _suite(one.body, scope))
        for one in node.cases
    ]
    return ir.Match(scope.at(node), subject, tuple(cases))


def _function(node: cst.FunctionDef, scope: Scope) -> ir.Stmt:
    inner = Scope(scope.at)
    name = node.name.value
    scope.bound.add(name)
    decorators = tuple([expression(one.decorator, scope) for one in node.decorators])
    params = parameters(node.params, scope, inner)
    returns = None if node.returns is None else expression(node.returns.annotation, scope)
    body = _suite(node.body, inner)
    return ir.FunctionDef(
        origin=scope.at(node),
        name=name,
        params=params,
        body=body,
        decorators=decorators,
        returns=returns,
        is_async=node.asynchronous is not None,
        is_lambda=False,
        is_generator=inner.yields,
        bound=inner.own(),
        globals=frozenset(inner.globals),
        nonlocals=frozenset(inner.nonlocals),
    )


def _class(node: cst.ClassDef, scope: Scope) -> ir.Stmt:
    name = node.name.value
    scope.bound.add(name)
    decorators = tuple([expression(one.decorator, scope) for one in node.decorators])
    bases = arguments((*node.bases, *node.keywords), scope)
    return ir.ClassDef(scope.at(node), name, bases, _suite(node.body, Scope(scope.at)), decorators)


_LOWERINGS: dict[type, Lowering] = {
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AugAssign: _augmented,
    cst.AnnAssign: _annotated,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Pass: _pass,
    cst.TypeAlias: _type_alias,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.If: _if,
    cst.While: _while,
    cst.For: _for,
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
}
# Lazy imports (PEP 810) came with LibCST 1.9.
if hasattr(cst, "LazyImport"):
    _LOWERINGS[cst.LazyImport] = _import
    _LOWERINGS[cst.LazyImportFrom] = _import_from
