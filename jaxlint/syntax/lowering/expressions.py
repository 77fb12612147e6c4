"""LibCST expressions -> IR. Chains (`a + b + c`, `a.b().c`) are built without recursion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.lowering import shared
from jaxlint.syntax.lowering.literals import fstring_text, integer, string
from jaxlint.syntax.lowering.operators import BINARY, COMPARISON, UNARY
from jaxlint.syntax.lowering.scopes import Scope
from jaxlint.syntax.lowering.shared import expression, optional

Lowering = Callable[[Any, Scope], ir.Expr]

_CONSTANTS = {"True": True, "False": False, "None": None}
# Looked up once: these are compared for every node of a file.
_NAME = cst.Name
_ATTRIBUTE = cst.Attribute
_CALL = cst.Call
_SUBSCRIPT = cst.Subscript
_BINARY_OPERATION = cst.BinaryOperation
_STARRED = cst.StarredElement


def _name(node: cst.Name, scope: Scope) -> ir.Expr:
    value = node.value
    if value in _CONSTANTS:
        return ir.Const(scope.at(node), _CONSTANTS[value])
    return ir.Name(scope.at(node), value)


def _integer(node: cst.Integer, scope: Scope) -> ir.Expr:
    return ir.Const(scope.at(node), integer(node.value))


def _float(node: cst.Float, scope: Scope) -> ir.Expr:
    return ir.Const(scope.at(node), float(node.value))


def _imaginary(node: cst.Imaginary, scope: Scope) -> ir.Expr:
    return ir.Const(scope.at(node), complex(node.value))


def _ellipsis(node: cst.Ellipsis, scope: Scope) -> ir.Expr:
    return ir.Const(scope.at(node), ...)


def _string(node: cst.SimpleString, scope: Scope) -> ir.Expr:
    return ir.Const(scope.at(node), string(node.value))


def _concatenated(node: cst.ConcatenatedString, scope: Scope) -> ir.Expr:
    pieces: list[Any] = []
    rest: Any = node
    while type(rest) is cst.ConcatenatedString:
        pieces.append(rest.left)
        rest = rest.right
    pieces.append(rest)
    if any(type(piece) is not cst.SimpleString for piece in pieces):
        return _joined(node, pieces, scope)
    values: list[Any] = [string(piece.value) for piece in pieces]
    if all(type(value) is bytes for value in values):
        return ir.Const(scope.at(node), b"".join(values))
    return ir.Const(scope.at(node), "".join(map(str, values)))


def _formatted_string(node: Any, scope: Scope) -> ir.Expr:
    return _joined(node, [node], scope)


def _joined(node: Any, pieces: list[Any], scope: Scope) -> ir.Expr:
    """Strings beside each other, of which one has fields: texts without a field between them are
    one part, as they are in Python's own tree."""
    origin = scope.at(node)
    parts = _Parts(scope)
    for piece in pieces:
        if type(piece) is cst.SimpleString:
            parts.text(piece, str(string(piece.value)))
        else:
            parts.take(piece.parts, "r" in piece.prefix)
    return ir.JoinedString(origin, parts.done())


class _Parts:
    """The parts of a string with fields, texts put together."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._parts: list[ir.Expr] = []
        self._texts: list[str] = []
        self._node: Any = None

    def text(self, node: Any, value: str) -> None:
        """Adds a text, which stands at a node."""
        if not self._texts:
            self._node = node
        self._texts.append(value)

    def take(self, nodes: Any, raw: bool) -> None:
        """Adds the parts of one f-string."""
        for node in nodes:
            if type(node) in _STRING_TEXTS:
                self.text(node, fstring_text(node.value, raw=raw))
                continue
            if node.equal is not None:
                self.text(node, _before_equal(node))
            self._flush()
            self._field(node, raw)

    def _field(self, node: Any, raw: bool) -> None:
        scope = self._scope
        value = EXPRESSIONS[type(node.expression)](node.expression, scope)
        spec, conversion = None, node.conversion
        if node.format_spec is not None:
            contents = node.format_spec
            place = (contents[0], contents[-1]) if contents else node
            origin = scope.at(place)
            inner = _Parts(scope)
            inner.take(contents, raw)
            spec = ir.JoinedString(origin, inner.done())
        elif conversion is None and node.equal is not None:
            conversion = "r"
        self._parts.append(ir.Formatted(scope.at(node), value, conversion, spec))

    def _flush(self) -> None:
        text = "".join(self._texts)
        if text:
            self._parts.append(ir.Const(self._scope.at(self._node), text))
        self._texts = []

    def done(self) -> tuple[ir.Expr, ...]:
        """All parts, in order."""
        self._flush()
        return tuple(self._parts)


def _before_equal(node: Any) -> str:
    """The text that `{value = }` shows before the value."""
    pieces = (
        node.whitespace_before_expression,
        node.expression,
        node.whitespace_after_expression,
        node.equal,
    )
    return "".join([cst.Module([]).code_for_node(piece) for piece in pieces])


def _chain(node: Any, scope: Scope) -> ir.Expr:
    """Attributes, calls and subscripts: walks down to what they hang on, then builds up."""
    links: list[Any] = []
    kind = type(node)
    while True:
        if kind is _ATTRIBUTE or kind is _SUBSCRIPT:
            links.append(node)
            node = node.value
        elif kind is _CALL:
            links.append(node)
            node = node.func
        else:
            break
        kind = type(node)
    lowered = EXPRESSIONS[kind](node, scope)
    while links:
        link = links.pop()
        kind = type(link)
        if kind is _ATTRIBUTE:
            lowered = ir.Attribute(scope.at(link), lowered, link.attr.value)
        elif kind is _CALL:
            lowered = ir.Call(
                scope.at(link), lowered, arguments(link.args, scope) if link.args else ()
            )
        else:
            lowered = ir.Subscript(scope.at(link), lowered, _index(link.slice, scope))
    return lowered


def arguments(nodes: Any, scope: Scope) -> tuple[ir.Argument, ...]:
    """The arguments of a call or of a class definition."""
    lowered = []
    for node in nodes:
        value, keyword = node.value, node.keyword
        lowered.append(
            ir.Argument(
                EXPRESSIONS[type(value)](value, scope),
                None if keyword is None else keyword.value,
                node.star,
            )
        )
    return tuple(lowered)


def _index(elements: Any, scope: Scope) -> ir.Expr:
    """What stands between brackets. A tuple of indices is located by its first and last."""
    first = elements[0]
    if len(elements) == 1 and type(first.comma) is not cst.Comma and not _is_starred(first.slice):
        return _element(first.slice, scope)
    origin = scope.at((first, elements[-1]))
    items = [_element(element.slice, scope) for element in elements]
    return ir.Sequence(origin, "tuple", tuple(items))


def _is_starred(node: Any) -> bool:
    return type(node) is cst.Index and bool(node.star)


def _element(node: Any, scope: Scope) -> ir.Expr:
    if type(node) is cst.Index:
        value = EXPRESSIONS[type(node.value)](node.value, scope)
        return ir.Starred(scope.at(node), value) if node.star else value
    return shared.slice_(node, scope)


def _binary(node: Any, scope: Scope) -> ir.Expr:
    links: list[Any] = []
    while type(node) is _BINARY_OPERATION:
        links.append(node)
        node = node.left
    lowered = EXPRESSIONS[type(node)](node, scope)
    while links:
        link = links.pop()
        right = link.right
        lowered = ir.BinOp(
            scope.at(link),
            BINARY[type(link.operator)],
            lowered,
            EXPRESSIONS[type(right)](right, scope),
        )
    return lowered


def _unary(node: cst.UnaryOperation, scope: Scope) -> ir.Expr:
    return ir.UnaryOp(
        scope.at(node), UNARY[type(node.operator)], expression(node.expression, scope)
    )


def _boolean(node: cst.BooleanOperation, scope: Scope) -> ir.Expr:
    kind = type(node.operator)
    values: list[ir.Expr] = []
    pending: list[Any] = [node.right, node.left]
    while pending:
        one = pending.pop()
        if type(one) is cst.BooleanOperation and type(one.operator) is kind:
            pending += (one.right, one.left)
        else:
            values.append(EXPRESSIONS[type(one)](one, scope))
    return ir.BoolOp(scope.at(node), "and" if kind is cst.And else "or", tuple(values))


def _comparison(node: cst.Comparison, scope: Scope) -> ir.Expr:
    operators = [COMPARISON[type(one.operator)] for one in node.comparisons]
    return shared.comparison(node, operators, [one.comparator for one in node.comparisons], scope)


def _lambda(node: cst.Lambda, scope: Scope) -> ir.Expr:
    return shared.lambda_(node, parameters(node.params), scope)


def parameters(node: cst.Parameters) -> shared.Parameters:
    """The parameters in the order of the signature."""
    found: list[tuple[cst.Param, str]] = [(one, "positional") for one in node.posonly_params]
    found += [(one, "plain") for one in node.params]
    if isinstance(node.star_arg, cst.Param):
        found.append((node.star_arg, "vararg"))
    found += [(one, "keyword") for one in node.kwonly_params]
    if node.star_kwarg is not None:
        found.append((node.star_kwarg, "kwarg"))
    return [
        (one, one.name.value, kind, one.annotation and one.annotation.annotation, one.default)
        for one, kind in found
    ]


def _elements(nodes: Any, scope: Scope) -> tuple[ir.Expr, ...]:
    items: list[ir.Expr] = []
    for node in nodes:
        value = node.value
        lowered = EXPRESSIONS[type(value)](value, scope)
        items.append(ir.Starred(scope.at(node), lowered) if type(node) is _STARRED else lowered)
    return tuple(items)


def _tuple(node: cst.Tuple, scope: Scope) -> ir.Expr:
    return ir.Sequence(scope.at(node), "tuple", _elements(node.elements, scope))


def _list(node: cst.List, scope: Scope) -> ir.Expr:
    return ir.Sequence(scope.at(node), "list", _elements(node.elements, scope))


def _set(node: cst.Set, scope: Scope) -> ir.Expr:
    return ir.Sequence(scope.at(node), "set", _elements(node.elements, scope))


def _dict(node: cst.Dict, scope: Scope) -> ir.Expr:
    items: list[tuple[ir.Expr | None, ir.Expr]] = []
    for one in node.elements:
        key = expression(one.key, scope) if isinstance(one, cst.DictElement) else None
        items.append((key, expression(one.value, scope)))
    return ir.Dict(scope.at(node), tuple(items))


def _comprehension(node: Any, scope: Scope) -> ir.Expr:
    return shared.comprehension(node, _COMPREHENSIONS[type(node)], _loops(node), scope)


def _dict_comprehension(node: cst.DictComp, scope: Scope) -> ir.Expr:
    return shared.dict_comprehension(node, _loops(node), scope)


def _loops(node: Any) -> shared.Loops:
    clause = node.for_in
    while clause is not None:
        yield clause, [one.test for one in clause.ifs]
        clause = clause.inner_for_in


def _named(node: Any, scope: Scope) -> ir.Expr:
    return shared.named(node, node.target.value, scope)


def _await(node: cst.Await, scope: Scope) -> ir.Expr:
    return ir.Await(scope.at(node), expression(node.expression, scope))


def _yield(node: cst.Yield, scope: Scope) -> ir.Expr:
    scope.yields = True
    if isinstance(node.value, cst.From):
        return ir.Yield(scope.at(node), expression(node.value.item, scope), True)
    return ir.Yield(scope.at(node), optional(node.value, scope), False)


_COMPREHENSIONS: dict[type, str] = {
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.GeneratorExp: "generator",
}
_STRING_TEXTS: set[type] = {cst.FormattedStringText}
EXPRESSIONS: dict[type, Lowering] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.Imaginary: _imaginary,
    cst.Ellipsis: _ellipsis,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted_string,
    cst.Attribute: _chain,
    cst.Call: _chain,
    cst.Subscript: _chain,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.IfExp: shared.conditional,
    cst.Lambda: _lambda,
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.Set: _set,
    cst.StarredElement: shared.starred,
    cst.Dict: _dict,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _dict_comprehension,
    cst.NamedExpr: _named,
    cst.Await: _await,
    cst.Yield: _yield,
}
# Template strings (PEP 750) came with LibCST 1.8.3.
if hasattr(cst, "TemplatedString"):
    EXPRESSIONS[cst.TemplatedString] = _formatted_string
    _STRING_TEXTS.add(cst.TemplatedStringText)
