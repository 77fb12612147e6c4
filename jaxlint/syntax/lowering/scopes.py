"""What a function, class or module binds, and where its nodes come from, collected while it is
lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.syntax import ir


class Origins:
    """The parsed syntax behind the nodes of one file: a node's `origin` is a number, `first` the
    one before the first of the file."""

    __slots__ = ("first", "nodes")

    def __init__(self, first: int) -> None:
        self.first = first
        self.nodes: list[Any] = []

    def __getitem__(self, origin: int) -> Any:
        return self.nodes[origin - self.first - 1]

    def at(self, syntax: Any) -> int:
        """The origin of a node that comes of this syntax."""
        self.nodes.append(syntax)
        return self.first + len(self.nodes)


@slotted(frozen=True, eq=False)
class Grammar:
    """How the parts of one kind of tree are lowered: an expression by its type, the arguments of
    a call or of a class definition, a block, which may be absent, and a pattern."""

    expressions: Mapping[type, Callable[[Any, Scope], ir.Expr]]
    arguments: Callable[[Iterable[Any], Scope], tuple[ir.Argument, ...]]
    suite: Callable[[Any, Scope], tuple[ir.Stmt, ...]]
    pattern: Callable[[Any, Scope], ir.Pattern]


class Scope:
    """The names that one function, class or module binds or declares.

    Comprehensions have none of their own here: their targets are bound nowhere, and a walrus
    inside them binds in the function around, as in Python. `at` numbers the nodes of the file in
    the order in which it is asked.
    """

    __slots__ = ("at", "bound", "globals", "grammar", "nonlocals", "yields")

    def __init__(self, at: Callable[..., int], grammar: Grammar) -> None:
        self.at = at
        self.grammar = grammar
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.yields = False

    def inner(self) -> Scope:
        """A scope of the same file."""
        return Scope(self.at, self.grammar)

    def bind(self, target: ir.Expr) -> None:
        """Notes the names that assigning to a target binds."""
        if type(target) is ir.Name:
            self.bound.add(target.id)
            return
        stack = [target]
        while stack:
            one = stack.pop()
            if isinstance(one, ir.Name):
                self.bound.add(one.id)
            elif isinstance(one, ir.Sequence):
                stack.extend(one.items)
            elif isinstance(one, ir.Starred):
                stack.append(one.value)

    def own(self) -> frozenset[str]:
        """The names that are local to this scope."""
        if self.globals or self.nonlocals:
            return frozenset(self.bound - self.globals - self.nonlocals)
        return frozenset(self.bound)

    def function(
        self,
        origin: int,
        name: str,
        params: tuple[ir.Param, ...],
        body: tuple[ir.Stmt, ...],
        decorators: tuple[ir.Expr, ...] = (),
        returns: ir.Expr | None = None,
        *,
        is_async: bool = False,
        is_lambda: bool = False,
    ) -> ir.FunctionDef:
        """The function whose scope this is, all of which has been lowered."""
        return ir.FunctionDef(
            origin=origin,
            name=name,
            params=params,
            body=body,
            decorators=decorators,
            returns=returns,
            is_async=is_async,
            is_lambda=is_lambda,
            is_generator=self.yields,
            bound=self.own(),
            globals=frozenset(self.globals),
            nonlocals=frozenset(self.nonlocals),
        )
