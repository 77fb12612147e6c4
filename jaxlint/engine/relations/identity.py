"""Whether two values are one object, as `is` asks."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Function,
    Heap,
    Instance,
    LibraryName,
    Mapping,
    NonNone,
    NumPy,
    Partial,
    Ref,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Value,
    is_none,
    options,
)
from jaxlint.syntax import ir

Single = Callable[[Value], bool]
# What is certainly an object, and not None.
_OBJECTS = (
    Heap,
    Function,
    Class,
    Transformed,
    Concrete,
    NumPy,
    Bound,
    NonNone,
    Partial,
    EffectfulObject,
    Ref,
)
# Of these, an object of one sort is never one of another.
_SORTS = (Static, Function, Class, Instance, Sequence, Mapping, NumPy, (Traced, Concrete))
# Constants of which Python has one object each.
_SINGLE = (bool, type(None), type(Ellipsis), Member)


@slotted(frozen=True)
class Mark:
    """What `object()` makes once: the constant of a `Static`."""

    node: ir.Node

    def __repr__(self) -> str:
        return "object()"


def _never(value: Value) -> bool:
    return False


def same_object(left: Value, right: Value, single: Single = _never) -> bool | None:
    """Whether two values are one object, None where that is not known. `single` tells
    which values stand for one object each."""
    if isinstance(left, Union) or isinstance(right, Union):
        answers = {
            same_object(one, other, single) for one in options(left) for other in options(right)
        }
        return answers.pop() if len(answers) == 1 else None
    if is_none(left) or is_none(right):
        return _is_none(right if is_none(left) else left)
    if isinstance(left, LibraryName) and isinstance(right, LibraryName):
        return left.dotted == right.dotted if _is_type(left) and _is_type(right) else None
    first, second = _sort(left), _sort(right)
    if first is None or second is None:
        return _is_own(left, right)
    if first is not second:
        return False
    return _same_of_sort(left, right, single)


def _is_none(value: Value) -> bool | None:
    if is_none(value):
        return True
    if isinstance(value, Static):
        return False if value.known or value.kind else None
    return False if isinstance(value, (Traced, *_OBJECTS)) else None


def _sort(value: Value) -> object:
    """What is told apart by its type, None for a value that may be anything."""
    if isinstance(value, Static) and not value.known and not value.kind:
        return None
    return next((sort for sort in _SORTS if isinstance(value, sort)), None)


def _is_own(left: Value, right: Value) -> bool | None:
    """An object of this project is none of Python, NumPy or JAX."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, LibraryName) and one.dotted.startswith(("builtins.", "jax.", "numpy.")):
            return False if isinstance(other, (Function, Class, Instance)) else None
    return None


def _same_of_sort(left: Value, right: Value, single: Single) -> bool | None:
    if isinstance(left, Static) and isinstance(right, Static):
        return _same_constant(left, right)
    if isinstance(left, Function) and isinstance(right, Function):
        if left.node is not right.node:
            return False
        plain = left.loop is None and left.wraps is None and right.wraps is None
        return True if plain and left.frame is right.frame else None
    if isinstance(left, Class) and isinstance(right, Class):
        if left == right:
            return True if left.loop is None else None
        return False if left.node is not right.node else None
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left is right:
            return True if single(left) else None
        return False if left.cls.node is not right.cls.node else None
    if isinstance(left, Sequence) and isinstance(right, Sequence) and left.kind != right.kind:
        return False
    return None


def _same_constant(left: Static, right: Static) -> bool | None:
    if left.known and right.known:
        if type(left.const) is not type(right.const):
            return False
        if isinstance(left.const, Mark):
            return bool(left.const == right.const)
        equal = bool(left.const == right.const)
        return equal if isinstance(left.const, _SINGLE) or not equal else None
    known, other = (left, right) if left.known else (right, left)
    if isinstance(known.const, Mark) and known.known:
        return False
    return False if isinstance(known.const, _SINGLE) and other.kind != known.kind else None


def _is_type(value: LibraryName) -> bool:
    """Whether this is what `type(x)` may give: a builtin type, or that of a tracer."""
    return value.dotted == "jax.core.Tracer" or value.dotted.startswith("builtins.")
