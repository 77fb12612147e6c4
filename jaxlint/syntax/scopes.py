"""What a function, class or module binds, and where its nodes come from, collected while it is
lowered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


class Scope:
    """The names that one function, class or module binds or declares.

    Comprehensions have none of their own here: their targets are bound nowhere, and a walrus
    inside them binds in the function around, as in Python. `at` numbers the nodes of the file in
    the order in which it is asked.
    """

    __slots__ = ("at", "bound", "globals", "nonlocals", "yields")

    def __init__(self, at: Callable[..., int]) -> None:
        self.at = at
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.yields = False

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
