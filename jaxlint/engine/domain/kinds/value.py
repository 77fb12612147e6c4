"""Abstract values that stand alone: Python constants, names of libraries, what is not known and
what depends on the path. Their base says what each kind of value has to answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, Self

from jaxlint.syntax.lowering.literals import LARGEST


class _Unset:
    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNSET: Final = _Unset()


# The attributes of the objects of a kind.
_SLOTS: Final[dict[type[Any], tuple[str, ...]]] = {}


class Value:
    """Anything a name can be bound to.

    A kind says how it joins with another value of its kind, and which values it holds.
    """

    __slots__ = ()

    # Whether a test of Python may tell two values of the kind apart, which are no arrays.
    is_told_apart: ClassVar[bool] = False
    # Whether calls of one of several are followed, and whether it is a function or a class.
    is_followed: ClassVar[bool] = False
    is_definition: ClassVar[bool] = False
    # Whether no value of the kind is None.
    is_object: ClassVar[bool] = False

    def __copy__(self) -> Self:
        """The same, made without the long way that `copy` takes by itself."""
        kind = self.__class__
        if kind not in _SLOTS:
            bases = kind.__mro__
            _SLOTS[kind] = tuple(name for one in bases for name in getattr(one, "__slots__", ()))
        made = kind.__new__(kind)
        for name in _SLOTS[kind]:
            setattr(made, name, getattr(self, name))
        return made

    def merged(self, other: Value, depth: int) -> Value | None:
        """The join with another value that needs no `Union`, None where it does. `depth` is how
        deep containers are joined element by element."""
        return None

    def is_present(self) -> bool:
        """Whether it is None on no path."""
        return self.is_object

    def may_be_leafless(self) -> bool:
        """Whether it is on some path None, or an object of a pytree class of static fields."""
        return False

    def children(self) -> list[Value]:
        """The values that it holds itself, in a fixed order."""
        return []

    def rebuild(self, children: list[Value]) -> Value:
        """The same with other children, in their order: a new object if there are any."""
        return self


# The kinds of Python numbers, which JAX takes for arrays.
NUMBERS: Final = frozenset({"int", "float", "bool", "complex"})


class Static(Value):
    """A Python value that tracing leaves alone; `const` is the value itself where known.

    `kind` narrows an unknown constant: "int", "str", "bool", "shape" (a tuple of ints), ...
    Integers from `LARGEST` on are not known, so that computing with one ends and fits in memory.
    """

    __slots__ = ("const", "kind")

    def __init__(self, const: Any = UNSET, kind: str = "") -> None:
        if type(const) is int and not -LARGEST < const < LARGEST:
            const, kind = UNSET, "int"
        self.const = const
        self.kind = kind or (type(const).__name__ if const is not UNSET else "")

    @property
    def known(self) -> bool:
        return self.const is not UNSET

    def __repr__(self) -> str:
        return f"Static({self.const if self.known else self.kind})"

    is_told_apart = True

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, Static):
            return None
        if self.const is None or other.const is None:
            return self if self.const is other.const else None
        same = self.known and other.known and type(self.const) is type(other.const)
        if same and self.const == other.const:
            return self
        return Static(kind=self.kind if self.kind == other.kind else "")

    def is_present(self) -> bool:
        return self.const is not None and self.kind != ""

    def may_be_leafless(self) -> bool:
        return self.const is None


class Unknown(Value):
    """A value jaxlint knows nothing about, and why. Never the ground of a finding."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unknown({self.reason})"


MADE_BY: Final = "call of "
"""How the reason begins why the result of a library's function is not known; its name follows."""
COMPILED: Final = "result of a transformed function"
"""The reason why the result of a function is not known that a transform made, and did not run."""
REBUILT: Final = "object rebuilt in a trace"
"""The reason why an object is not known that belongs to the trace that it was found in."""
MAY_BE_STATIC: Final = "argument that may be static"
"""What an argument is that may be a pytree with arrays among its leaves."""
COMPLEX: Final = "arithmetic with a complex number"
"""The reason why a number or array is not known that is computed with a complex number."""
OF_OWN: Final = " with objects of the project"
"""How it ends where the function is given the project's own functions, classes or objects."""


class NonNone(Unknown):
    """An unknown value that a test found not to be None, or that no path leaves None."""

    __slots__ = ()

    is_object = True


class Perhaps(Unknown):
    """An unknown value that may be without leaves, such as None: a path or a default says so."""

    __slots__ = ()

    def may_be_leafless(self) -> bool:
        return True


class Union(Value):
    """One of a few values, depending on the path taken."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options

    def __repr__(self) -> str:
        return f"Choice{self.options}"

    def is_present(self) -> bool:
        return all(option.is_present() for option in self.options)

    def may_be_leafless(self) -> bool:
        return any(option.may_be_leafless() for option in self.options)

    def children(self) -> list[Value]:
        return [*self.options]

    def rebuild(self, children: list[Value]) -> Value:
        return Union(tuple(children))


class LibraryName(Value):
    """Something imported or built in, by its dotted name: a module, function, class, ..."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted

    def __repr__(self) -> str:
        return f"<{self.dotted}>"

    def merged(self, other: Value, depth: int) -> Value | None:
        same = isinstance(other, LibraryName) and self.dotted == other.dotted
        return self if same else None


NONE: Final = Static(None)
TRUE: Final = Static(True)
FALSE: Final = Static(False)
STATIC: Final = Static()
BOOL: Final = Static(kind="bool")
INT: Final = Static(kind="int")
STR: Final = Static(kind="str")
SHAPE: Final = Static(kind="shape")


def present(held: Iterable[Value | None]) -> list[Value]:
    """Those of the parts of a value that there are."""
    return [one for one in held if one is not None]


def refilled(held: Iterable[Value | None], children: Iterable[Value]) -> list[Value | None]:
    """Other values in place of those that there are."""
    inside = iter(children)
    return [None if one is None else next(inside) for one in held]


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.const is None


def options(value: Value) -> tuple[Value, ...]:
    """The alternatives of a value, itself when there is one."""
    return value.options if isinstance(value, Union) else (value,)
