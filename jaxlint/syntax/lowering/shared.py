"""What LibCST and Python's own tree spell alike, or nearly so -> IR.

Here is what both have to do in the same order: the one in which `Scope.at` is asked. What the two
trees call by other names is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jaxlint.syntax import ir
from jaxlint.syntax.lowering.scopes import Scope

# The clauses of a comprehension, each with its conditions.
Loops = Iterable[tuple[Any, Iterable[Any]]]
# Parameters in the order of the signature: the syntax of each, its name, its kind, its annotation
# and its default.
Parameters = Iterable[tuple[Any, str, str, Any, Any]]


def expression(node: Any, scope: Scope) -> ir.Expr:
    """The IR of an expression. `scope` is what a walrus in it binds in."""
    return scope.grammar.expressions[type(node)](node, scope)


def optional(node: Any, scope: Scope) -> ir.Expr | None:
    """The IR of an expression that may be absent."""
    return None if node is None else scope.grammar.expressions[type(node)](node, scope)


def several(nodes: Iterable[Any], scope: Scope) -> tuple[ir.Expr, ...]:
    """The IR of expressions in a row."""
    return tuple([expression(one, scope) for one in nodes])


def target(node: Any, scope: Scope) -> ir.Expr:
    """The IR of what is assigned to, whose names are bound in `scope`."""
    lowered = expression(node, scope)
    scope.bind(lowered)
    return lowered


# -- expressions ------------------------------------------------------------------------------


def slice_(node: Any, scope: Scope) -> ir.Expr:
    return ir.Slice(
        scope.at(node),
        optional(node.lower, scope),
        optional(node.upper, scope),
        optional(node.step, scope),
    )


def comparison(node: Any, operators: list[str], others: list[Any], scope: Scope) -> ir.Expr:
    return ir.Compare(
        scope.at(node),
        expression(node.left, scope),
        tuple(operators),
        several(others, scope),
    )


def conditional(node: Any, scope: Scope) -> ir.Expr:
    return ir.IfExp(
        scope.at(node),
        expression(node.test, scope),
        expression(node.body, scope),
        expression(node.orelse, scope),
    )


def lambda_(node: Any, params: Parameters, scope: Scope) -> ir.Expr:
    inner = scope.inner()
    lowered = _parameters(params, scope, inner)
    body = ir.Return(scope.at(node.body), expression(node.body, inner))
    origin = scope.at(node)
    function = inner.function(scope.at(node), "<lambda>", lowered, (body,), is_lambda=True)
    return ir.Lambda(origin, function)


def starred(node: Any, scope: Scope) -> ir.Expr:
    return ir.Starred(scope.at(node), expression(node.value, scope))


def comprehension(node: Any, kind: str, loops: Loops, scope: Scope) -> ir.Expr:
    origin, element = scope.at(node), expression(node.elt, scope)
    return ir.Comprehension(origin, kind, element, None, _clauses(loops, scope))


def dict_comprehension(node: Any, loops: Loops, scope: Scope) -> ir.Expr:
    key, value = expression(node.key, scope), expression(node.value, scope)
    return ir.Comprehension(scope.at(node), "dict", value, key, _clauses(loops, scope))


def _clauses(loops: Loops, scope: Scope) -> tuple[ir.Clause, ...]:
    return tuple(
        [
            ir.Clause(
                expression(node.target, scope),
                expression(node.iter, scope),
                several(conditions, scope),
            )
            for node, conditions in loops
        ]
    )


def named(node: Any, name: str, scope: Scope) -> ir.Expr:
    scope.bound.add(name)
    origin = scope.at(node)
    return ir.NamedExpr(origin, ir.Name(scope.at(node.target), name), expression(node.value, scope))


# -- statements ------------------------------------------------------------------------------


def expression_statement(node: Any, scope: Scope) -> ir.Stmt:
    return ir.ExprStmt(scope.at(node), expression(node.value, scope))


def assign(node: Any, targets: Iterable[Any], scope: Scope) -> ir.Stmt:
    lowered = tuple([target(one, scope) for one in targets])
    return ir.Assign(scope.at(node), lowered, expression(node.value, scope))


def augmented(node: Any, operator: str, scope: Scope) -> ir.Stmt:
    return ir.AugAssign(
        scope.at(node), target(node.target, scope), operator, expression(node.value, scope)
    )


def annotated(node: Any, annotation: Any, scope: Scope) -> ir.Stmt:
    return ir.AnnAssign(
        scope.at(node),
        target(node.target, scope),
        expression(annotation, scope),
        optional(node.value, scope),
    )


def return_(node: Any, scope: Scope) -> ir.Stmt:
    return ir.Return(scope.at(node), optional(node.value, scope))


def raise_(node: Any, cause: Any, scope: Scope) -> ir.Stmt:
    lowered = optional(cause, scope)
    return ir.Raise(scope.at(node), optional(node.exc, scope), lowered)


def assert_(node: Any, scope: Scope) -> ir.Stmt:
    return ir.Assert(scope.at(node), expression(node.test, scope), optional(node.msg, scope))


def delete(node: Any, targets: Iterable[Any], scope: Scope) -> ir.Stmt:
    lowered = tuple([target(one, scope) for one in targets])
    return ir.Delete(scope.at(node), lowered)


def global_(node: Any, names: Sequence[str], scope: Scope) -> ir.Stmt:
    scope.globals.update(names)
    return ir.Global(scope.at(node), tuple(names))


def nonlocal_(node: Any, names: Sequence[str], scope: Scope) -> ir.Stmt:
    scope.nonlocals.update(names)
    return ir.Nonlocal(scope.at(node), tuple(names))


def break_(node: Any, scope: Scope) -> ir.Stmt:
    return ir.Break(scope.at(node))


def continue_(node: Any, scope: Scope) -> ir.Stmt:
    return ir.Continue(scope.at(node))


def pass_(node: Any, scope: Scope) -> None:
    return None


def if_(chain: list[Any], orelse: Any, scope: Scope) -> ir.Stmt:
    """An `if` and all its `elif`, which are built from the last to the first."""
    suite = scope.grammar.suite
    parts = [(one, expression(one.test, scope), suite(one.body, scope)) for one in chain]
    rest = suite(orelse, scope)
    while True:
        one, test, body = parts.pop()
        lowered = ir.If(scope.at(one), test, body, rest)
        if not parts:
            return lowered
        rest = (lowered,)


def while_(node: Any, scope: Scope) -> ir.Stmt:
    suite = scope.grammar.suite
    return ir.While(
        scope.at(node),
        expression(node.test, scope),
        suite(node.body, scope),
        suite(node.orelse, scope),
    )


def for_(node: Any, scope: Scope) -> ir.Stmt:
    suite = scope.grammar.suite
    return ir.For(
        scope.at(node),
        target(node.target, scope),
        expression(node.iter, scope),
        suite(node.body, scope),
        suite(node.orelse, scope),
    )


def with_(node: Any, items: Iterable[tuple[Any, Any]], scope: Scope) -> ir.Stmt:
    """`items` are what is entered, and what that is assigned to or None."""
    lowered = [
        (expression(context, scope), None if name is None else target(name, scope))
        for context, name in items
    ]
    return ir.With(scope.at(node), tuple(lowered), scope.grammar.suite(node.body, scope))


def try_(node: Any, names: Iterable[str | None], scope: Scope) -> ir.Stmt:
    """`names` are those that the handlers bind what they catch to."""
    suite = scope.grammar.suite
    body = suite(node.body, scope)
    handlers: list[ir.Handler] = []
    for one, name in zip(node.handlers, names, strict=True):
        if name is not None:
            scope.bound.add(name)
        handlers.append(ir.Handler(optional(one.type, scope), name, suite(one.body, scope)))
    return ir.Try(
        scope.at(node),
        body,
        tuple(handlers),
        suite(node.orelse, scope),
        suite(node.finalbody, scope),
    )


def match(node: Any, scope: Scope) -> ir.Stmt:
    grammar = scope.grammar
    subject = expression(node.subject, scope)
    cases = [
        ir.Case(
            grammar.pattern(one.pattern, scope),
            optional(one.guard, scope),
            grammar.suite(one.body, scope),
        )
        for one in node.cases
    ]
    return ir.Match(scope.at(node), subject, tuple(cases))


def function(
    node: Any,
    name: str,
    decorators: Iterable[Any],
    params: Parameters,
    returns: Any,
    is_async: bool,
    scope: Scope,
) -> ir.Stmt:
    inner = scope.inner()
    scope.bound.add(name)
    above = several(decorators, scope)
    lowered = _parameters(params, scope, inner)
    result = optional(returns, scope)
    body = scope.grammar.suite(node.body, inner)
    origin = scope.at(node)
    return inner.function(origin, name, lowered, body, above, result, is_async=is_async)


def _parameters(params: Parameters, outer: Scope, inner: Scope) -> tuple[ir.Param, ...]:
    """Defaults and annotations belong to the scope around the function, names to its own."""
    lowered: list[ir.Param] = []
    for syntax, name, kind, annotation, default in params:
        inner.bound.add(name)
        annotated = optional(annotation, outer)
        value = optional(default, outer)
        lowered.append(ir.Param(name, kind, value, annotated, outer.at(syntax)))
    return tuple(lowered)


def class_(
    node: Any, name: str, decorators: Iterable[Any], bases: Iterable[Any], scope: Scope
) -> ir.Stmt:
    scope.bound.add(name)
    grammar, above = scope.grammar, several(decorators, scope)
    arguments = grammar.arguments(bases, scope)
    origin = scope.at(node)
    return ir.ClassDef(origin, name, arguments, grammar.suite(node.body, scope.inner()), above)
