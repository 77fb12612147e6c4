"""Expressions and patterns of Python's own syntax tree -> IR.

The order in which `Scope.at` is asked is that of `jaxlint.syntax.lowering.expressions`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from jaxlint.syntax import ir
from jaxlint.syntax.lowering import shared
from jaxlint.syntax.lowering.literals import LARGEST
from jaxlint.syntax.lowering.scopes import Scope
from jaxlint.syntax.lowering.shared import expression, optional

Lowering = Callable[[Any, Scope], ir.Expr]

OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_STARRED = ast.Starred
_KINDS: dict[type, str] = {
    ast.Tuple: "tuple",
    ast.List: "list",
    ast.Set: "set",
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
}
_CONVERSIONS = {ord(letter): letter for letter in "rsa"}


def _constant(node: ast.Constant, scope: Scope) -> ir.Expr:
    value = node.value
    return ir.Const(scope.at(node), min(value, LARGEST) if type(value) is int else value)


def _name(node: ast.Name, scope: Scope) -> ir.Expr:
    return ir.Name(scope.at(node), node.id)


def _attribute(node: ast.Attribute, scope: Scope) -> ir.Expr:
    value = node.value
    lowered = EXPRESSIONS[type(value)](value, scope)
    return ir.Attribute(scope.at(node), lowered, node.attr)


def _call(node: ast.Call, scope: Scope) -> ir.Expr:
    func = node.func
    lowered = EXPRESSIONS[type(func)](func, scope)
    origin = scope.at(node)
    if node.keywords:
        return ir.Call(origin, lowered, arguments(_in_order(node), scope))
    return ir.Call(origin, lowered, arguments(node.args, scope) if node.args else ())


def _in_order(node: ast.Call) -> list[Any]:
    """The arguments as they are written: `*more` may follow a keyword."""
    if not node.args:
        return [*node.keywords]
    last, first = node.args[-1], node.keywords[0]
    together: list[Any] = [*node.args, *node.keywords]
    if (last.lineno, last.col_offset) > (first.lineno, first.col_offset):
        together.sort(key=lambda one: (one.lineno, one.col_offset))
    return together


def arguments(nodes: Iterable[Any], scope: Scope) -> tuple[ir.Argument, ...]:
    """The arguments of a call or of a class definition."""
    lowered = []
    for node in nodes:
        kind = type(node)
        if kind is ast.keyword:
            value, keyword = node.value, node.arg
            star = "**" if keyword is None else ""
        elif kind is _STARRED:
            value, keyword, star = node.value, None, "*"
        else:
            value, keyword, star = node, None, ""
        lowered.append(ir.Argument(EXPRESSIONS[type(value)](value, scope), keyword, star))
    return tuple(lowered)


def _subscript(node: ast.Subscript, scope: Scope) -> ir.Expr:
    value, index = node.value, node.slice
    lowered = EXPRESSIONS[type(value)](value, scope)
    return ir.Subscript(scope.at(node), lowered, EXPRESSIONS[type(index)](index, scope))


def _binary(node: ast.BinOp, scope: Scope) -> ir.Expr:
    left, right = node.left, node.right
    lowered = EXPRESSIONS[type(left)](left, scope)
    origin = scope.at(node)
    return ir.BinOp(
        origin, OPERATORS[type(node.op)], lowered, EXPRESSIONS[type(right)](right, scope)
    )


def _unary(node: ast.UnaryOp, scope: Scope) -> ir.Expr:
    return ir.UnaryOp(scope.at(node), OPERATORS[type(node.op)], expression(node.operand, scope))


def _boolean(node: ast.BoolOp, scope: Scope) -> ir.Expr:
    kind = type(node.op)
    values: list[ir.Expr] = []
    pending = node.values[::-1]
    while pending:
        one = pending.pop()
        if isinstance(one, ast.BoolOp) and type(one.op) is kind:
            pending += one.values[::-1]
        else:
            values.append(EXPRESSIONS[type(one)](one, scope))
    return ir.BoolOp(scope.at(node), "and" if kind is ast.And else "or", tuple(values))


def _comparison(node: ast.Compare, scope: Scope) -> ir.Expr:
    operators = [OPERATORS[type(one)] for one in node.ops]
    return shared.comparison(node, operators, node.comparators, scope)


def _lambda(node: ast.Lambda, scope: Scope) -> ir.Expr:
    return shared.lambda_(node, parameters(node.args), scope)


def parameters(node: ast.arguments) -> shared.Parameters:
    """The parameters in the order of the signature."""
    posonly, plain = node.posonlyargs, node.args
    defaults: list[Any] = [None] * (len(posonly) + len(plain) - len(node.defaults))
    defaults += node.defaults
    found: list[tuple[Any, str, Any]] = [
        (one, "positional" if at < len(posonly) else "plain", default)
        for at, (one, default) in enumerate(zip([*posonly, *plain], defaults, strict=True))
    ]
    if node.vararg is not None:
        found.append((node.vararg, "vararg", None))
    found += [
        (one, "keyword", default)
        for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
    ]
    if node.kwarg is not None:
        found.append((node.kwarg, "kwarg", None))
    return [((one, kind), one.arg, kind, one.annotation, value) for one, kind, value in found]


def _elements(nodes: list[Any], scope: Scope) -> tuple[ir.Expr, ...]:
    items: list[ir.Expr] = []
    for node in nodes:
        if type(node) is _STARRED:
            lowered = expression(node.value, scope)
            items.append(ir.Starred(scope.at(node), lowered))
        else:
            items.append(EXPRESSIONS[type(node)](node, scope))
    return tuple(items)


def _sequence(node: Any, scope: Scope) -> ir.Expr:
    return ir.Sequence(scope.at(node), _KINDS[type(node)], _elements(node.elts, scope))


def _dict(node: ast.Dict, scope: Scope) -> ir.Expr:
    items = [
        (optional(key, scope), expression(value, scope))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return ir.Dict(scope.at(node), tuple(items))


def _comprehension(node: Any, scope: Scope) -> ir.Expr:
    return shared.comprehension(node, _KINDS[type(node)], _loops(node), scope)


def _dict_comprehension(node: ast.DictComp, scope: Scope) -> ir.Expr:
    return shared.dict_comprehension(node, _loops(node), scope)


def _loops(node: Any) -> shared.Loops:
    return [(one, one.ifs) for one in node.generators]


def _named(node: ast.NamedExpr, scope: Scope) -> ir.Expr:
    return shared.named(node, node.target.id, scope)


def _await(node: ast.Await, scope: Scope) -> ir.Expr:
    return ir.Await(scope.at(node), expression(node.value, scope))


def _yield(node: ast.Yield, scope: Scope) -> ir.Expr:
    scope.yields = True
    return ir.Yield(scope.at(node), optional(node.value, scope), False)


def _yield_from(node: ast.YieldFrom, scope: Scope) -> ir.Expr:
    scope.yields = True
    return ir.Yield(scope.at(node), expression(node.value, scope), True)


def _joined(node: Any, scope: Scope) -> ir.Expr:
    origin = scope.at(node)
    return ir.JoinedString(origin, tuple([_part(one, scope) for one in node.values]))


def _part(node: Any, scope: Scope) -> ir.Expr:
    """A text or a field of an f-string."""
    if type(node) is ast.Constant:
        return ir.Const(scope.at(node), node.value)
    value, spec = expression(node.value, scope), None
    if node.format_spec is not None:
        lowered = _joined(node.format_spec, scope)
        assert isinstance(lowered, ir.JoinedString)
        spec = lowered
    return ir.Formatted(scope.at(node), value, _CONVERSIONS.get(node.conversion), spec)


def pattern(node: Any, scope: Scope) -> ir.Pattern:
    """The IR of a pattern; the names it captures are bound in `scope`."""
    match node:
        case ast.MatchValue():
            return ir.MatchValue(scope.at(node), expression(node.value, scope))
        case ast.MatchSingleton():
            return ir.MatchValue(scope.at(node), ir.Const(scope.at(node), node.value))
        case ast.MatchSequence():
            return ir.MatchSequence(scope.at(node), _patterns(node.patterns, scope))
        case ast.MatchMapping():
            items = [
                (expression(key, scope), pattern(one, scope))
                for key, one in zip(node.keys, node.patterns, strict=True)
            ]
            return ir.MatchMapping(scope.at(node), tuple(items), _capture(node.rest, scope))
        case ast.MatchClass():
            keywords = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
            return ir.MatchClass(
                scope.at(node),
                expression(node.cls, scope),
                _patterns(node.patterns, scope),
                tuple([(name, pattern(one, scope)) for name, one in keywords]),
            )
        case ast.MatchStar():
            return ir.MatchStar(scope.at(node), _capture(node.name, scope))
        case ast.MatchOr():
            return ir.MatchOr(scope.at(node), _patterns(node.patterns, scope))
        case _:
            inner = None if node.pattern is None else pattern(node.pattern, scope)
            return ir.MatchAs(scope.at(node), inner, _capture(node.name, scope))


def _patterns(nodes: list[Any], scope: Scope) -> tuple[ir.Pattern, ...]:
    return tuple([pattern(one, scope) for one in nodes])


def _capture(name: str | None, scope: Scope) -> str | None:
    if name is not None:
        scope.bound.add(name)
    return name


EXPRESSIONS: dict[type, Lowering] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: shared.slice_,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: shared.conditional,
    ast.Lambda: _lambda,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Set: _sequence,
    ast.Starred: shared.starred,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.JoinedStr: _joined,
}
# Template strings (PEP 750) came with Python 3.14.
if hasattr(ast, "TemplateStr"):
    EXPRESSIONS[ast.TemplateStr] = _joined
