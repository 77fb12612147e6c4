"""Abstract containers: mutable objects with the identity of the Python object they stand for."""

from __future__ import annotations

from collections.abc import Iterator as Iterates
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from jaxlint.engine.domain.kinds.array_values import Traced, as_traced
from jaxlint.engine.domain.kinds.lattice import join, join_all
from jaxlint.engine.domain.kinds.value import Value
from jaxlint.syntax import ir

# The tick of changes that are noted without a moment: inside a trace.
INSIDE: Final = -1
# What several analyses share is older than what each of them makes.
SHARED: Final = 1 << 40


class Ages:
    """Numbers for what is made, in the order in which it is made."""

    __slots__ = ("_next", "_own", "_shared")

    def __init__(self) -> None:
        self._own, self._shared = count(SHARED), count(1)
        self._next = self._own

    def __next__(self) -> int:
        return next(self._next)

    @contextmanager
    def shared(self) -> Iterates[None]:
        """What is made inside is shared by analyses."""
        before, self._next = self._next, self._shared
        try:
            yield
        finally:
            self._next = before


AGES: Final = Ages()
# Sequences longer than this are known by what their elements have in common.
MOST_ELEMENTS: Final = 1024


class Heap(Value):
    """A mutable Python object. `born` is the trace in which it was made, `age` orders objects
    and activations by when they were made."""

    __slots__ = ("age", "born", "changes", "leaks", "local", "made", "path")

    is_object = True

    def __init__(self, born: Any, path: Any = None, made: ir.Node | None = None) -> None:
        self.age = next(AGES)
        self.born = born
        self.path = path
        self.made = made
        self.changes: list[tuple[int, ir.Node]] = []
        # Made in a function: nothing outside it sees the object unless it is handed out.
        self.local = False
        # Leaks into this object that matter once it is used where it was made.
        self.leaks: list[Any] = []


class Sequence(Heap):
    """A list, tuple, set or deque: `items` where the length is known, `element` for the rest;
    `holds` is a tracer that is certainly among elements that are not known one by one,
    `head` the first elements of a tuple of unknown length, and any of the elements after them.
    `last` is the last of them, where it is known.
    """

    __slots__ = ("element", "head", "holds", "items", "kind", "last")

    def __init__(
        self,
        kind: str,
        items: list[Value] | None,
        born: Any,
        element: Value | None = None,
        path: Any = None,
        made: ir.Node | None = None,
    ) -> None:
        super().__init__(born, path, made)
        self.kind = kind
        self.last: Value | None = None
        self.holds: Traced | None = None
        self.head: tuple[list[Value], Value] | None = None
        if items is not None and len(items) > MOST_ELEMENTS:
            self.holds = next((t for t in map(as_traced, items) if t is not None), None)
            element = join_all(items if element is None else [*items, element])
            items = None
        self.items = items
        self.element = element

    def __repr__(self) -> str:
        return f"{self.kind}({self.items if self.items is not None else self.element})"

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, Sequence) or self.kind != "tuple" or other.kind != "tuple":
            return None
        if self.items is None or other.items is None or len(self.items) != len(other.items):
            return None
        pairs = zip(self.items, other.items, strict=True)
        return Sequence("tuple", [join(a, b, depth - 1) for a, b in pairs], self.born)

    def children(self) -> list[Value]:
        """The elements, and what the rest of them have in common."""
        known = self.items or []
        return [*known] if self.element is None else [*known, self.element]

    def rebuild(self, children: list[Value]) -> Value:
        inside = iter(children)
        items = None if self.items is None else [next(inside) for _ in self.items]
        made = Sequence(self.kind, items, self.born, next(inside, None), self.path, self.made)
        made.holds = self.holds
        return made


class Mapping(Heap):
    """A dict: values by constant key, and `element` for keys that are not constant.

    `open` tells that there may be keys that are not listed.
    """

    __slots__ = ("element", "items", "keyed", "open")

    def __init__(
        self,
        items: dict[Any, Value],
        born: Any,
        element: Value | None = None,
        open: bool = False,
        path: Any = None,
        made: ir.Node | None = None,
    ) -> None:
        super().__init__(born, path, made)
        self.items = items
        self.element = element
        self.open = open
        self.keyed: Any = None

    def children(self) -> list[Value]:
        """The values under known keys, and what those under others have in common."""
        known = self.items.values()
        return [*known] if self.element is None else [*known, self.element]

    def rebuild(self, children: list[Value]) -> Value:
        inside = iter(children)
        items = {key: next(inside) for key in self.items}
        rest = next(inside, None)
        return Mapping(items, self.born, rest, self.open, self.path, self.made)


class Iterator(Heap):
    """An iterator or generator: advancing one from outside a trace is an effect."""

    __slots__ = ("element", "holds", "items", "source")

    def __init__(
        self,
        element: Value,
        born: Any,
        items: list[Value] | None = None,
        source: str = "iterator",
        made: ir.Node | None = None,
    ) -> None:
        super().__init__(born, None, made)
        self.element = element
        self.holds: Traced | None = None
        self.items = items
        self.source = source

    def children(self) -> list[Value]:
        """The elements that are left one by one, and what all have in common."""
        return [*(self.items or ()), self.element]

    def rebuild(self, children: list[Value]) -> Value:
        *items, element = children
        known = None if self.items is None else items
        return Iterator(element, self.born, known, self.source, self.made)
