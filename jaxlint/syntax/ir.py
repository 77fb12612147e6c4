"""The intermediate representation: what Python means, without how it is spelled.

Nodes are slotted and compared by identity. They are not frozen: building a frozen dataclass
costs five times as much, and nothing outside `lower` has a reason to write to one. `origin` is a
number that stands for the parsed syntax, from which `Module.locate` finds the node's place when a
finding needs it; no two files have one in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.base.text import SourceText, Span

# The origin of a node that stands in no file.
NOWHERE = 0
# No file has as many nodes: the origins of two files never meet.
STRIDE = 1 << 32


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
class Lambda(Expr):
    function: FunctionDef


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


@slotted(eq=False)
class Stmt(Node):
    """A statement. `pass` is lowered to nothing."""


@slotted(eq=False)
class Assign(Stmt):
    targets: tuple[Expr, ...]
    value: Expr


@slotted(eq=False)
class AugAssign(Stmt):
    """`op` is the operator without "=", for example "+"."""

    target: Expr
    op: str
    value: Expr


@slotted(eq=False)
class AnnAssign(Stmt):
    target: Expr
    annotation: Expr
    value: Expr | None


@slotted(eq=False)
class ExprStmt(Stmt):
    value: Expr


@slotted(eq=False)
class Return(Stmt):
    value: Expr | None


@slotted(eq=False)
class Raise(Stmt):
    exc: Expr | None
    cause: Expr | None


@slotted(eq=False)
class Assert(Stmt):
    test: Expr
    message: Expr | None


@slotted(eq=False)
class Delete(Stmt):
    targets: tuple[Expr, ...]


@slotted(eq=False)
class Global(Stmt):
    names: tuple[str, ...]


@slotted(eq=False)
class Nonlocal(Stmt):
    names: tuple[str, ...]


@slotted(eq=False)
class Break(Stmt):
    pass


@slotted(eq=False)
class Continue(Stmt):
    pass


@slotted(eq=False)
class Import(Stmt):
    """`import a.b as c`: pairs of dotted name and alias."""

    names: tuple[tuple[str, str | None], ...]


@slotted(eq=False)
class ImportFrom(Stmt):
    """`from ..module import name as alias`; `names` is None for a star import."""

    module: str
    level: int
    names: tuple[tuple[str, str | None], ...] | None


@slotted(eq=False)
class If(Stmt):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@slotted(eq=False)
class While(Stmt):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@slotted(eq=False)
class For(Stmt):
    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@slotted(eq=False)
class With(Stmt):
    """Items are pairs of context expression and target."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]


@slotted(eq=False)
class Handler:
    """`except type as name:`; `type` is None for a bare `except`."""

    type: Expr | None
    name: str | None
    body: tuple[Stmt, ...]


@slotted(eq=False)
class Try(Stmt):
    """`try` of both kinds (`except` and `except*`)."""

    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


@slotted(eq=False)
class Pattern(Node):
    """A pattern of a `case`."""


@slotted(eq=False)
class MatchValue(Pattern):
    """A literal, `None`, `True`, `False` or a dotted name."""

    value: Expr


@slotted(eq=False)
class MatchSequence(Pattern):
    patterns: tuple[Pattern, ...]


@slotted(eq=False)
class MatchStar(Pattern):
    name: str | None


@slotted(eq=False)
class MatchMapping(Pattern):
    items: tuple[tuple[Expr, Pattern], ...]
    rest: str | None


@slotted(eq=False)
class MatchClass(Pattern):
    cls: Expr
    patterns: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


@slotted(eq=False)
class MatchAs(Pattern):
    """`pattern as name`, a capture `name` (pattern None) or `_` (both None)."""

    pattern: Pattern | None
    name: str | None


@slotted(eq=False)
class MatchOr(Pattern):
    patterns: tuple[Pattern, ...]


@slotted(eq=False)
class Case:
    pattern: Pattern
    guard: Expr | None
    body: tuple[Stmt, ...]


@slotted(eq=False)
class Match(Stmt):
    subject: Expr
    cases: tuple[Case, ...]


@slotted(eq=False)
class Param:
    """A parameter; `kind` is "positional", "plain", "vararg", "keyword" or "kwarg"."""

    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None
    origin: int


@slotted(eq=False)
class FunctionDef(Stmt):
    """A `def` or a lambda (named "<lambda>", its body one Return).

    The scope facts say how names in the body resolve: `bound` are the names that this function
    binds itself (parameters included), less those declared global or nonlocal.
    """

    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    returns: Expr | None
    is_async: bool
    is_lambda: bool
    is_generator: bool
    bound: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]


@slotted(eq=False)
class ClassDef(Stmt):
    name: str
    bases: tuple[Argument, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]


@slotted(eq=False)
class Module:
    """One parsed file.

    `file` is what the file system it came from calls it, if it came from one. `once` holds the
    names that it binds in one place only.
    """

    source: SourceText
    body: tuple[Stmt, ...]
    locate: Callable[[Node | Param], Span] = field(repr=False)
    file: str = ""
    holds: Callable[[Node | Param], bool] = field(default=lambda node: True, repr=False)
    once: frozenset[str] | None = field(default=None, repr=False)

    def text_of(self, node: Node | Param) -> str:
        """The source text of a node."""
        return self.source.slice(self.locate(node))


def number(node: Node | Param) -> int:
    """What a node goes by in its file, wherever the same source is read."""
    return node.origin % STRIDE
