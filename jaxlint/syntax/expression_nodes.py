"""Nodes of expressions in the intermediate representation; `ir` has them among its own names."""

from __future__ import annotations

from typing import Any

from jaxlint.base.dataclass import slotted


@slotted(eq=False)
class Node:
    """Anything with a place in the source."""

    origin: int


@slotted(eq=False)
class Expr(Node):
    """An expression."""


@slotted(eq=False)
class Const(Expr):
    """A literal: number, string, bytes, bool, None or Ellipsis."""

    value: Any


@slotted(eq=False)
class Name(Expr):
    id: str


@slotted(eq=False)
class Attribute(Expr):
    value: Expr
    attr: str


@slotted(eq=False)
class Subscript(Expr):
    """`value[index]`; several indices are one `Sequence("tuple")`."""

    value: Expr
    index: Expr


@slotted(eq=False)
class Slice(Expr):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@slotted(eq=False)
class Argument:
    """One argument of a call; `star` is "", "*" or "**"."""

    value: Expr
    keyword: str | None
    star: str


@slotted(eq=False)
class Call(Expr):
    func: Expr
    args: tuple[Argument, ...]


@slotted(eq=False)
class BinOp(Expr):
    op: str
    left: Expr
    right: Expr


@slotted(eq=False)
class UnaryOp(Expr):
    """`op` is "-", "+", "~" or "not"."""

    op: str
    operand: Expr


@slotted(eq=False)
class BoolOp(Expr):
    """`op` is "and" or "or"; nested operators of the same kind are flattened."""

    op: str
    values: tuple[Expr, ...]


@slotted(eq=False)
class Compare(Expr):
    """`ops` are "<", "==", "is not", "not in" and so on, one for each comparator."""

    left: Expr
    ops: tuple[str, ...]
    comparators: tuple[Expr, ...]


@slotted(eq=False)
class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


@slotted(eq=False)
class Sequence(Expr):
    """A display; `kind` is "tuple", "list" or "set"."""

    kind: str
    items: tuple[Expr, ...]


@slotted(eq=False)
class Dict(Expr):
    """A key of None stands for `**value`."""

    items: tuple[tuple[Expr | None, Expr], ...]


@slotted(eq=False)
class Clause:
    """`for target in iter if ...` of a comprehension."""

    target: Expr
    iter: Expr
    ifs: tuple[Expr, ...]


@slotted(eq=False)
class Comprehension(Expr):
    """`kind` is "list", "set", "dict" or "generator"; `key` only for "dict"."""

    kind: str
    element: Expr
    key: Expr | None
    clauses: tuple[Clause, ...]


@slotted(eq=False)
class Formatted(Expr):
    """A replacement field of an f-string; `spec` is None when there is none."""

    value: Expr
    conversion: str | None
    spec: JoinedString | None


@slotted(eq=False)
class JoinedString(Expr):
    """An f-string (or an implicit concatenation with one in it): texts and fields in order."""

    parts: tuple[Expr, ...]


@slotted(eq=False)
class Starred(Expr):
    value: Expr


@slotted(eq=False)
class NamedExpr(Expr):
    target: Name
    value: Expr


@slotted(eq=False)
class Await(Expr):
    value: Expr


@slotted(eq=False)
class Yield(Expr):
    """`yield value`, or `yield from value` when `delegates`."""

    value: Expr | None
    delegates: bool
