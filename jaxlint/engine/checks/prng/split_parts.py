"""Keys that `fold_in` makes beside the parts of a `split`."""

from __future__ import annotations

from jaxlint.syntax import ir


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
