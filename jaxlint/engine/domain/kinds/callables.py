"""Abstract functions and methods, and what is made of them."""

from __future__ import annotations

from copy import copy
from typing import Any

from jaxlint.engine.domain.kinds.objects import Class
from jaxlint.engine.domain.kinds.value import Value
from jaxlint.syntax import ir


class Function(Value):
    """A `def` or lambda with the frame it closes over.

    `loop` is the iteration in which it was made; `owner` its class; `shows` has its signature.
    `registry` is a dictionary that it was chosen from by a key that another one may take.
    """

    __slots__ = ("defaults", "frame", "loop", "node", "owner", "registry", "shows", "wraps")

    is_object = True

    def __init__(
        self,
        node: ir.FunctionDef,
        frame: Any,
        defaults: dict[str, Value],
        owner: Class | None = None,
        loop: Any = None,
    ) -> None:
        self.node = node
        self.frame = frame
        self.defaults = defaults
        self.owner = owner
        self.loop = loop
        self.wraps: Value | None = None
        self.shows: Value | None = None
        self.registry: Any = None

    is_told_apart = True
    is_followed = True
    is_definition = True

    def merged(self, other: Value, depth: int) -> Value | None:
        same = isinstance(other, Function) and self.node is other.node and self.frame is other.frame
        return self if same else None

    def children(self) -> list[Value]:
        """The defaults of its parameters."""
        return [*self.defaults.values()]

    def rebuild(self, children: list[Value]) -> Value:
        made = copy(self)
        made.defaults = dict(zip(self.defaults, children, strict=True))
        return made

    def __repr__(self) -> str:
        return f"<function {self.node.name}>"


class Bound(Value):
    """A method of a known function: each access makes a new object in Python."""

    __slots__ = ("func", "loop", "owner")

    is_object = True

    def __init__(self, func: Value, owner: Value, loop: Any = None) -> None:
        self.func, self.owner, self.loop = func, owner, loop

    is_told_apart = True
    is_followed = True

    def children(self) -> list[Value]:
        return [self.func, self.owner]

    def rebuild(self, children: list[Value]) -> Value:
        func, owner = children
        return Bound(func, owner, self.loop)


class Partial(Value):
    """`functools.partial` or `jax.tree_util.Partial`."""

    __slots__ = ("args", "func", "keywords", "loop")

    is_object = True

    def __init__(
        self, func: Value, args: tuple[Value, ...], keywords: dict[str, Value], loop: Any = None
    ) -> None:
        self.func = func
        self.args = args
        self.keywords = keywords
        self.loop = loop

    is_told_apart = True
    is_followed = True

    def children(self) -> list[Value]:
        """The function, and what it is given."""
        return [self.func, *self.args, *self.keywords.values()]

    def rebuild(self, children: list[Value]) -> Value:
        func, *given = children
        keywords = dict(zip(self.keywords, given[len(self.args) :], strict=True))
        return Partial(func, tuple(given[: len(self.args)]), keywords, self.loop)


class Method(Value):
    """A method of something that is not an object of the file: `x.sum`, `out.append`."""

    __slots__ = ("name", "owner", "place")

    def __init__(self, owner: Value, name: str, place: ir.Expr | None = None) -> None:
        self.owner = owner
        self.name = name
        self.place = place

    def children(self) -> list[Value]:
        return [self.owner]

    def rebuild(self, children: list[Value]) -> Value:
        (owner,) = children
        return Method(owner, self.name, self.place)


class Transformed(Value):
    """The result of a transform: `record` holds what is known of its options and its uses, and
    `inner` is the function under all transforms."""

    __slots__ = ("func", "inner", "record")

    is_object = True

    def __init__(self, func: Value, record: Any) -> None:
        self.func = func
        self.inner: Value = func.inner if isinstance(func, Transformed) else func
        self.record = record

    is_told_apart = True
    is_followed = True

    def children(self) -> list[Value]:
        return [self.func]

    def rebuild(self, children: list[Value]) -> Value:
        (func,) = children
        return Transformed(func, self.record)
