"""What a function, class or module binds, collected while it is lowered."""

from __future__ import annotations

from jaxlint.syntax import ir


class Scope:
    """The names that one function, class or module binds or declares.

    Comprehensions have none of their own here: their targets are bound nowhere, and a walrus
    inside them binds in the function around, as in Python.
    """

    __slots__ = ("bound", "globals", "nonlocals", "yields")

    def __init__(self) -> None:
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
