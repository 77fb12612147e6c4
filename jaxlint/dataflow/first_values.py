"""Code that runs only while a name or attribute holds nothing yet: `if self.size is None: ...`."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.names import dotted_text, is_none_literal, walk
from jaxlint.syntax import ir

_LEAVES = (ir.Return, ir.Raise, ir.Continue, ir.Break)


def runs_if_missing(body: tuple[ir.Stmt, ...], node: ir.Node, text: str) -> bool:
    """Whether a node in these statements runs only if what `text` names is None or not there."""
    for at, one in enumerate(body):
        if isinstance(one, ir.If):
            if is_missing_if(one.test, text, missing=True) and _holds(one.body, node):
                return True
            if is_missing_if(one.test, text, missing=False):
                ends = bool(one.body) and isinstance(one.body[-1], _LEAVES)
                if _holds(one.orelse, node) or (ends and _holds(body[at + 1 :], node)):
                    return True
        for name in ("body", "orelse", "final"):
            if runs_if_missing(getattr(one, name, ()), node, text):
                return True
    return False


def asks(body: tuple[ir.Stmt, ...], text: str) -> bool:
    """Whether statements test if what `text` names is None or not there."""
    tests = [one.test for one in walk(body) if isinstance(one, (ir.If, ir.IfExp))]
    return any(is_missing_if(one, text, missing) for one in tests for missing in (True, False))


def _holds(body: tuple[ir.Stmt, ...], node: ir.Node) -> bool:
    return any(one is node for one in walk(body))


def is_missing_if(test: Any, text: str, missing: bool = True) -> bool:
    """Whether a test that is true tells that what `text` names is missing; if `missing` is not set,
    whether one that is false tells it."""
    if isinstance(test, ir.UnaryOp) and test.op == "not":
        return is_missing_if(test.operand, text, not missing)
    if isinstance(test, ir.BoolOp):
        whole = "and" if missing else "or"
        return test.op == whole and any(is_missing_if(one, text, missing) for one in test.values)
    if isinstance(test, ir.Compare) and len(test.comparators) == 1:
        op = ("is", "==") if missing else ("is not", "!=")
        is_none = is_none_literal(test.comparators[0])
        return is_none and test.ops[0] in op and dotted_text(test.left) == text
    if isinstance(test, ir.Call) and dotted_text(test.func) == "hasattr":
        owner, _, name = text.rpartition(".")
        given = [one.value for one in test.args]
        asks = len(given) == 2 and dotted_text(given[0]) == owner
        return not missing and asks and isinstance(given[1], ir.Const) and given[1].value == name
    return not missing and dotted_text(test) == text
