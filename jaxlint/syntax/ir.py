"""The intermediate representation: what Python means, without how it is spelled.

Nodes are slotted and compared by identity. They are not frozen: building a frozen dataclass
costs five times as much, and nothing outside `lower` has a reason to write to one. `origin` is a
number that stands for the parsed syntax, from which `Module.locate` finds the node's place when a
finding needs it; no two files have one in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.text import SourceText, Span
from jaxlint.syntax.expression_nodes import Argument as Argument
from jaxlint.syntax.expression_nodes import Attribute as Attribute
from jaxlint.syntax.expression_nodes import Await as Await
from jaxlint.syntax.expression_nodes import BinOp as BinOp
from jaxlint.syntax.expression_nodes import BoolOp as BoolOp
from jaxlint.syntax.expression_nodes import Call as Call
from jaxlint.syntax.expression_nodes import Clause as Clause
from jaxlint.syntax.expression_nodes import Compare as Compare
from jaxlint.syntax.expression_nodes import Comprehension as Comprehension
from jaxlint.syntax.expression_nodes import Const as Const
from jaxlint.syntax.expression_nodes import Dict as Dict
from jaxlint.syntax.expression_nodes import Expr as Expr
from jaxlint.syntax.expression_nodes import Formatted as Formatted
from jaxlint.syntax.expression_nodes import IfExp as IfExp
from jaxlint.syntax.expression_nodes import JoinedString as JoinedString
from jaxlint.syntax.expression_nodes import Name as Name
from jaxlint.syntax.expression_nodes import NamedExpr as NamedExpr
from jaxlint.syntax.expression_nodes import Node as Node
from jaxlint.syntax.expression_nodes import Sequence as Sequence
from jaxlint.syntax.expression_nodes import Slice as Slice
from jaxlint.syntax.expression_nodes import Starred as Starred
from jaxlint.syntax.expression_nodes import Subscript as Subscript
from jaxlint.syntax.expression_nodes import UnaryOp as UnaryOp
from jaxlint.syntax.expression_nodes import Yield as Yield

# The origin of a node that stands in no file.
NOWHERE = 0
# No file has as many nodes: the origins of two files never meet.
STRIDE = 1 << 32


@slotted(eq=False)
class Lambda(Expr):
    function: FunctionDef


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
