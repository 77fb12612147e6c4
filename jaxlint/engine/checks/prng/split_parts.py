"""Keys that `fold_in` makes beside the parts of a `split`, and keys that are one on purpose."""

from __future__ import annotations

import re
from typing import Final

from jaxlint.dataflow.memo import answered_once
from jaxlint.syntax import ir

# What authors call numbers that several runs have in common: with them, runs are compared.
_IN_COMMON: Final = re.compile(
    r"\b(common|identical|same|shared)\s+(random\s+)?(draws?|keys?|noise|numbers?|randomness|seeds?)\b"
)


def is_meant(func: ir.FunctionDef | None) -> bool:
    """Whether a function says of itself that it gives several runs the same random numbers."""
    return func is not None and _says_so(func)


@answered_once
def _says_so(func: ir.FunctionDef) -> bool:
    first = func.body[0] if func.body else None
    said = first.value if isinstance(first, ir.ExprStmt) else None
    text = said.value if isinstance(said, ir.Const) and isinstance(said.value, str) else ""
    return _IN_COMMON.search(text.lower()) is not None


def is_beyond(split: ir.Node, fold: ir.Node) -> bool:
    """Whether the data of `fold_in` are the number of keys that `split` is asked for, or that
    and something: no part of the split has these."""
    count, data = _second(split, "num"), _second(fold, "data")
    sides = (data.left, data.right) if isinstance(data, ir.BinOp) and data.op == "+" else (data,)
    return any(_is_same(one, count) for one in sides)


def _second(call: ir.Node, name: str) -> ir.Expr | None:
    """The second argument of a call, by position or name."""
    for at, argument in enumerate(call.args if isinstance(call, ir.Call) else ()):
        if argument.keyword == name or (at == 1 and not argument.keyword and not argument.star):
            return argument.value
    return None


def _is_same(one: ir.Expr | None, other: ir.Expr | None) -> bool:
    """Whether two expressions are one name, or one chain of attributes of a name."""
    if isinstance(one, ir.Attribute) and isinstance(other, ir.Attribute):
        return one.attr == other.attr and _is_same(one.value, other.value)
    return isinstance(one, ir.Name) and isinstance(other, ir.Name) and one.id == other.id
