"""The arguments of calls in the source: adding one, taking one out, other brackets."""

from __future__ import annotations

from collections.abc import Collection

from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.fixes.source import Code
from jaxlint.fixes.text.call_text import CallText
from jaxlint.syntax import ir


def call_of(code: Code, argument: ir.Node) -> ir.Call | None:
    """The call that an expression is an argument of."""
    parent = code.parent(argument)
    return parent if isinstance(parent, ir.Call) and parent.func is not argument else None


def reads(code: Code, node: ir.Node, names: Collection[str]) -> list[ir.Name]:
    """The places of some names in the function around a node."""
    function = code.function(node)
    body = code.module.body if function is None else function.body
    return [one for one in walk(body) if isinstance(one, ir.Name) and one.id in names]


def left_of(code: Code, node: ir.Node) -> str:
    """What stands before a node on its line."""
    span = code.module.locate(node)
    return code.source.line(span.line)[: span.column - 1]


def opening(code: Code, call: ir.Call) -> Span:
    """The place of the parenthesis that the arguments of a call begin with."""
    text = CallText(code, call)
    return text.range(text.opening, text.opening + 1)


def closing(code: Code, call: ir.Call) -> Span:
    """The place of the parenthesis that a call ends with."""
    text = CallText(code, call)
    return text.range(text.closing, text.closing + 1)


def bracketed(code: Code, call: ir.Call) -> list[Edit]:
    """The edits that make an index of the arguments of a call; none where that cannot be done."""
    if any(one.keyword or one.star for one in call.args):
        return []
    return [Edit(opening(code, call), "["), Edit(closing(code, call), "]")]


def with_argument(code: Code, call: ir.Call, text: str, place: int | None = None) -> Edit | None:
    """The edit that gives a call one more argument: behind as many as `place` says, or behind all
    others."""
    if len(call.args) == 1 and _is_generator(call.args[0].value):
        return None
    return CallText(code, call).inserted(text, len(call.args) if place is None else place)


def without_argument(code: Code, call: ir.Call, argument: ir.Argument) -> Edit:
    """The edit that takes an argument out of a call, with its comma."""
    at = next(i for i, one in enumerate(call.args) if one is argument)
    return CallText(code, call).removed(at)


def _is_generator(value: ir.Expr) -> bool:
    return isinstance(value, ir.Comprehension) and value.kind == "generator"
