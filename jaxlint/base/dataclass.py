"""Slotted classes of fields: what `dataclass(slots=True)` makes, at a tenth of its price.

A data class compiles its methods one by one while it is made. That is most of the time it takes to
import a program that has two hundred of them, of which a run uses some. Here a method is compiled
when it is first called. `fields`, `replace` and the rest of `dataclasses` take these classes for
data classes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from functools import partial
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar, cast, dataclass_transform

T = TypeVar("T")
_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
# What an optional argument is if it is not given.
_MISSING = "_missing"


@dataclass_transform(field_specifiers=(field,))
def slotted(
    *, frozen: bool = False, eq: bool = True, order: bool = False
) -> Callable[[type[T]], type[T]]:
    """Makes a slotted class of a class with annotated fields; the arguments are those of
    `dataclasses.dataclass`. The module has to postpone the evaluation of annotations."""

    def make(cls: type[T]) -> type[T]:
        own = _own_fields(cls)
        inherited: dict[str, Field[Any]] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited |= base.__dict__.get("__slotted__", {})
        shape = _Shape([], inherited | own, frozen, eq, order)
        body: dict[str, Any] = {
            name: value for name, value in cls.__dict__.items() if name not in own
        }
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        body["__slots__"] = tuple(name for name in own if name not in inherited)
        for name, value in _methods(shape).items():
            body.setdefault(name, value)
        if eq and body.get("__hash__") is None:
            body["__hash__"] = _late("__hash__", shape, _hash) if frozen else None
        made = cast(type[T], type(cls.__name__, cls.__bases__, body))
        made.__qualname__ = cls.__qualname__
        shape.owner.append(made)
        return made

    return make


def is_slotted(kind: type[Any]) -> bool:
    """Whether a class is one of those made here, or a subclass of one."""
    return hasattr(kind, "__slotted__")


def declared(kind: type[Any]) -> dict[str, Field[Any]]:
    """The fields of one by name, in order; the type of each is its annotation as it is written."""
    found: dict[str, Field[Any]] = kind.__slotted__
    return found


if TYPE_CHECKING:
    # The type checker knows this one, and judges what it is given.
    replace = dataclasses.replace
else:

    def replace(one, /, **changes):
        """The same with other values of some fields."""
        kind = type(one)
        if not is_slotted(kind):
            return dataclasses.replace(one, **changes)
        for name, each in declared(kind).items():
            if each.init and name not in changes:
                changes[name] = getattr(one, name)
        return kind(**changes)


class _Shape(NamedTuple):
    """What a class is made from. `owner` has the class, once there is one."""

    owner: list[type[Any]]
    fields: dict[str, Field[Any]]
    frozen: bool
    eq: bool
    order: bool


def _own_fields(cls: type[Any]) -> dict[str, Field[Any]]:
    found = {}
    for name, annotation in cls.__annotations__.items():
        if not annotation.startswith("ClassVar"):
            given = cls.__dict__.get(name, MISSING)
            one: Field[Any] = given if isinstance(given, Field) else field(default=given)
            one.name, one.type = name, annotation
            found[name] = one
    return found


def _methods(shape: _Shape) -> dict[str, Any]:
    """The attributes by name, but for `__hash__`."""
    plain = (name for name, one in shape.fields.items() if one.init and not _is_named(one))
    made = {
        "__slotted__": shape.fields,
        "__dataclass_fields__": _Twin("__dataclass_fields__", shape),
        "__dataclass_params__": _Twin("__dataclass_params__", shape),
        "__match_args__": tuple(plain),
        "__init__": _late("__init__", shape, _init),
        "__repr__": _repr,
    }
    signs = ({"__eq__": "=="} if shape.eq else {}) | (_ORDER if shape.order else {})
    for name, sign in signs.items():
        made[name] = _late(name, shape, partial(_comparison, name, sign))
    if shape.frozen:
        made |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        made |= {"__getstate__": _state, "__setstate__": _restore}
    return made


class _Twin:
    """An attribute of data classes, taken when it is read from one with the same fields."""

    def __init__(self, name: str, shape: _Shape) -> None:
        self._name = name
        self._shape = shape

    def __get__(self, one: object, kind: type[Any]) -> Any:
        owner, fields, frozen, eq, order = self._shape
        annotations = {name: each.type for name, each in fields.items()}
        body = {"__doc__": "", "__annotations__": annotations, **fields}
        choose = dataclass(init=False, repr=False, eq=eq, order=order, frozen=frozen)
        value = getattr(choose(type("twin", (), body)), self._name)
        for made in owner:
            setattr(made, self._name, value)
        return value


def _late(
    name: str, shape: _Shape, build: Callable[[_Shape], Callable[..., Any]]
) -> Callable[..., Any]:
    """A method that builds the real one and puts it in its own place."""

    def method(*args: Any, **named: Any) -> Any:
        real = build(shape)
        setattr(shape.owner[0], name, real)
        return real(*args, **named)

    return method


def _init(shape: _Shape) -> Callable[..., None]:
    known: dict[str, Any] = {_MISSING: MISSING}
    plain, lines = ["self"], []
    named: list[str] = []
    for name, one in shape.fields.items():
        parameter, value = _given(name, one, known)
        if one.init:
            (named if _is_named(one) else plain).append(parameter)
        if value and shape.frozen:
            known[f"_set_{name}"] = getattr(shape.owner[0], name).__set__
            lines.append(f"_set_{name}(self, {value})")
        elif value:
            lines.append(f"self.{name} = {value}")
    if hasattr(shape.owner[0], "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join([*plain, "*", *named] if named else plain)
    return _compiled("__init__", parameters, "; ".join(lines) or "pass", known)


def _given(name: str, one: Field[Any], known: dict[str, Any]) -> tuple[str, str]:
    """The parameter for a field and the value that the field gets, empty for none; what they
    speak of becomes known."""
    if one.default_factory is not MISSING:
        known[f"_make_{name}"] = one.default_factory
        made = f"_make_{name}()"
        both = f"{made} if {name} is {_MISSING} else {name}"
        return f"{name}={_MISSING}", both if one.init else made
    if one.default is not MISSING:
        known[f"_default_{name}"] = one.default
        return f"{name}=_default_{name}", name if one.init else f"_default_{name}"
    return name, name if one.init else ""


def _comparison(name: str, sign: str, shape: _Shape) -> Callable[..., Any]:
    compared = [name for name, one in shape.fields.items() if one.compare]
    mine, other = _tuple("self", compared), _tuple("other", compared)
    answer = f"{mine} {sign} {other} if other.__class__ is self.__class__ else NotImplemented"
    return _compiled(name, "self, other", f"return {answer}", {})


def _hash(shape: _Shape) -> Callable[..., Any]:
    fields = shape.fields.items()
    counted = [name for name, one in fields if (one.compare if one.hash is None else one.hash)]
    return _compiled("__hash__", "self", f"return hash({_tuple('self', counted)})", {})


def _tuple(owner: str, names: list[str]) -> str:
    return "(" + "".join(f"{owner}.{name}, " for name in names) + ")"


def _compiled(name: str, parameters: str, body: str, known: dict[str, Any]) -> Callable[..., Any]:
    outer = f"def fill({', '.join(known)}):\n def {name}({parameters}): {body}\n return {name}"
    names: dict[str, Any] = {}
    exec(outer, {}, names)
    made: Callable[..., Any] = names["fill"](**known)
    return made


def _is_named(one: Field[Any]) -> bool:
    """Whether a field is given by keyword only."""
    return one.kw_only is True


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (name for name, one in self.__slotted__.items() if one.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({values})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slotted__]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slotted__, state, strict=True):
        object.__setattr__(self, name, value)
