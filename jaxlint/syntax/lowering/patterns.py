"""LibCST patterns (`case ...`) -> IR."""

from __future__ import annotations

from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.lowering.scopes import Scope
from jaxlint.syntax.lowering.shared import expression


def pattern(node: Any, scope: Scope) -> ir.Pattern:
    """The IR of a pattern; the names it captures are bound in `scope`."""
    match node:
        case cst.MatchValue() | cst.MatchSingleton():
            return ir.MatchValue(scope.at(node), expression(node.value, scope))
        case cst.MatchList() | cst.MatchTuple():
            return ir.MatchSequence(
                scope.at(node), tuple([_item(one, scope) for one in node.patterns])
            )
        case cst.MatchMapping():
            items = [
                (expression(one.key, scope), pattern(one.pattern, scope)) for one in node.elements
            ]
            return ir.MatchMapping(scope.at(node), tuple(items), _capture(node.rest, scope))
        case cst.MatchClass():
            return ir.MatchClass(
                scope.at(node),
                expression(node.cls, scope),
                tuple([pattern(one.value, scope) for one in node.patterns]),
                tuple([(one.key.value, pattern(one.pattern, scope)) for one in node.kwds]),
            )
        case cst.MatchOr():
            return ir.MatchOr(
                scope.at(node), tuple([pattern(one.pattern, scope) for one in node.patterns])
            )
        case _:
            inner = None if node.pattern is None else pattern(node.pattern, scope)
            return ir.MatchAs(scope.at(node), inner, _capture(node.name, scope))


def _item(node: Any, scope: Scope) -> ir.Pattern:
    if isinstance(node, cst.MatchStar):
        return ir.MatchStar(scope.at(node), _capture(node.name, scope))
    return pattern(node.value, scope)


def _capture(name: cst.Name | None, scope: Scope) -> str | None:
    if name is None:
        return None
    scope.bound.add(name.value)
    return name.value
