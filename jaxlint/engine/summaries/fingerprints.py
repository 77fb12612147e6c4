"""Keys of abstract values: when two arguments are the same to the analysis."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Iterates
from typing import Any

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import free_names
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.layouts import Layout
from jaxlint.engine.domain.possibilities import Possible
from jaxlint.engine.domain.special_values import DType, OpaqueArray
from jaxlint.engine.domain.values import (
    UNSET,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    NonNone,
    NumPy,
    Perhaps,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.relations.identity import Mark
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.syntax import ir

MOST_NESTED = 4
# Objects with fewer names are looked through each time.
FEW_NAMES = 6
# What holds no other value: its key is the same at any depth.
PLAIN = (Static, Unknown, LibraryName, Traced, Concrete, NumPy)


class Plain:
    """The keys of what an object holds under names and nothing can change, with their hash."""

    __slots__ = ("hash", "parts")

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts, self.hash = parts, hash(parts)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.hash == other.hash and self.parts == other.parts


class Keyed:
    """What an object with many names held when its key was last asked for: the plain part of the
    key, and the names whose values have to be looked at again."""

    __slots__ = ("live", "names", "plain", "values")

    def __init__(self, names: tuple[Any, ...], values: tuple[Value, ...]) -> None:
        self.names, self.values = names, values
        held = list(zip(names, values, strict=True))
        self.live = [(name, value) for name, value in held if not isinstance(value, PLAIN)]
        plain = ((name, key(value, 0)) for name, value in held if isinstance(value, PLAIN))
        self.plain = Plain(tuple(plain))


def key(value: Value, depth: int = MOST_NESTED) -> Any:
    """A hashable stand-in: equal keys mean that analysis with either gives the same result."""
    if isinstance(value, Traced):
        kinds = (type(value), value.kind, _dtype(value, depth), value.rank)
        told = (value.leaf, value.strong, value.weak, value.dims)
        return ("t", *kinds, *told, *_reasons(value))
    if isinstance(value, Question):
        return ("w", id(value))
    if isinstance(value, Static):
        const = value.const
        if isinstance(value, Layout):
            return (type(value), *value.key())
        if isinstance(value, DType):
            return ("d", value.numbers, value.width)
        if const is UNSET:
            return ("s", type(value), value.kind)
        return ("c", type(const), const) if _hashable(const) else ("s", "object")
    if isinstance(value, Possible):
        return (type(value), *(key(one, max(depth - 1, 0)) for one in value.options))
    if isinstance(value, OpaqueArray):
        return ("a", value.dtype, value.rank, value.strong, value.dims)
    if isinstance(value, Unknown):
        return "!" if isinstance(value, NonNone) else "~" if isinstance(value, Perhaps) else "?"
    if isinstance(value, NumPy):
        return ("n", value.dtype, value.axes)
    if isinstance(value, Concrete):
        what = (_dtype(value, depth), value.rank, value.strong, value.dims)
        return ("k", type(value), *what)
    if isinstance(value, LibraryName):
        return ("e", value.dotted)
    if isinstance(value, Function):
        return _function_key(value, depth)
    if depth and isinstance(value, Union):
        return ("o", *(key(o, depth - 1) for o in value.options))
    if depth and isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        return ("q", *(key(i, depth - 1) for i in value.items))
    if depth and isinstance(value, Bound):
        return ("b", key(value.func, depth - 1), key(value.owner, depth - 1))
    return ("i", id(value), _content(value, depth - 1) if depth else None)


def _dtype(value: Traced | Concrete, depth: int) -> Any:
    """Which key an argument is does not matter, since inside it is the parameter; that it is one
    does, and how many keys there are."""
    dtype = value.dtype
    return ("key", dtype.many) if depth == MOST_NESTED and type(dtype) is Origin else dtype


def _reasons(value: Traced) -> tuple[Any, ...]:
    """What the reasons why a value is traced say of its derivative and its length.
    Outside staged code, each transform has tracers of its own."""
    trail = value.trail
    own = None if value.kind == "abstract" else id(trail.entry)
    loop = None if trail.loop is None else id(trail.loop)
    varies = None if trail.varies is None else id(trail.varies)
    return trail.python, varies, loop, trail.length, trail.spread, own


def _function_key(value: Function, depth: int) -> Any:
    """A function with what it sees of the functions around it, as these stand now."""
    defaults = tuple((n, key(v, depth - 1)) for n, v in value.defaults.items()) if depth else ()
    seen: list[Any] = []
    made: list[Any] = []
    if depth:
        looks = depth > 1 and value.frame.parent is not None
        for name, scope in outer_names(value):
            held = scope.env[name]
            if looks and scope.parent is not None:
                seen.append((name, key(held, depth - 2)))
            if isinstance(held, Transformed):
                made.append(held.record)
    return ("f", id(value.node), id(value.frame), defaults, tuple(seen), tuple(made))


def outer_names(func: Function) -> Iterates[tuple[str, Frame]]:
    """The names that a body reads from outside, each with the scope that binds it."""
    for name in _sorted_names(func.node):
        scope: Frame | None = func.frame
        while scope is not None and name not in scope.env:
            scope = scope.enclosing()
        if scope is not None:
            yield name, scope


@answered_once
def _sorted_names(function: ir.FunctionDef) -> tuple[str, ...]:
    return tuple(sorted(free_names(function)))


def _content(value: Value, depth: int) -> Any:
    """What a mutable object holds at the moment."""
    if isinstance(value, (Sequence, Iterator)):
        items = None if value.items is None else tuple(key(i, depth) for i in value.items)
        held: Any = value.holds is not None
        if isinstance(value, Sequence) and value.last is not None:
            held = (held, key(value.last, depth))
        return (items, None if value.element is None else key(value.element, depth), held)
    if isinstance(value, Mapping):
        known = _named(value, value.items, depth)
        return (known, None if value.element is None else key(value.element, depth), value.open)
    if isinstance(value, Instance) and not value.generic:
        return _named(value, value.fields, depth)
    if isinstance(value, FrameworkObject):
        state = value.state.items()
        plain = tuple([one for one in state if isinstance(one[1], (bool, str))])
        return plain, *[(name, key(one, depth)) for name, one in state if isinstance(one, Value)]
    return None


def _named(owner: Mapping | Instance, held: dict[Any, Value], depth: int) -> Any:
    """What an object holds under names. Objects such as settings hold hundreds, few of which
    change."""
    if len(held) < FEW_NAMES:
        return tuple([(name, key(value, depth)) for name, value in held.items()])
    known = _keyed(owner, held)
    return (known.plain, *[(name, key(value, depth)) for name, value in known.live])


def _keyed(owner: Mapping | Instance, held: dict[Any, Value]) -> Keyed:
    """What is known of the values under names, which are the same ones as before as a rule."""
    names, values = tuple(held), tuple(held.values())
    known: Keyed | None = owner.keyed
    # Values compare by identity.
    if known is None or known.values != values or known.names != names:
        known = owner.keyed = Keyed(names, values)
    return known


def live(owner: Mapping | Instance) -> Iterable[Value]:
    """What an object holds under names and is not plain."""
    held = owner.items if isinstance(owner, Mapping) else owner.fields
    if len(held) < FEW_NAMES:
        return [value for value in held.values() if not isinstance(value, PLAIN)]
    return [value for _, value in _keyed(owner, held).live]


def shape_key(value: Value, depth: int = 5) -> Any:
    """As `key`, but containers compare by structure: for arguments that a transform rebuilds."""
    if depth and isinstance(value, Sequence):
        items = None if value.items is None else tuple(shape_key(i, depth - 1) for i in value.items)
        rest = None if value.element is None else shape_key(value.element, depth - 1)
        first = value.head and tuple(
            shape_key(v, depth - 1) for v in (*value.head[0], value.head[1])
        )
        return ("q", value.kind, items, rest, first)
    if depth and isinstance(value, Mapping):
        known = tuple((k, shape_key(v, depth - 1)) for k, v in value.items.items())
        rest = None if value.element is None else shape_key(value.element, depth - 1)
        return ("m", known, rest, value.open)
    if depth and isinstance(value, Instance) and not value.generic:
        known = tuple((k, shape_key(v, depth - 1)) for k, v in value.fields.items())
        return ("x", id(value.cls), known)
    return key(value, depth)


def content_key(owner: Sequence | Mapping) -> Any:
    """What a container holds, where what that holds in turn compares by structure."""
    if isinstance(owner, Mapping):
        return shape_key(owner)
    return shape_key(owner), owner.holds is None, owner.last is None


def _hashable(const: Any) -> bool:
    return isinstance(const, (int, float, complex, str, bytes, bool, type(None), Member, Mark))


def shareable(value: Value, depth: int = 8) -> bool:
    """Whether the value may stand for the results of several calls: it has no identity."""
    if depth == 0:
        return False
    if isinstance(value, Sequence):
        known = value.items if value.kind == "tuple" else None
        return known is not None and all(shareable(one, depth - 1) for one in known)
    if isinstance(value, (Union, Possible)):
        return all(shareable(one, depth - 1) for one in value.options)
    return isinstance(value, (Static, Traced, Concrete, Unknown, LibraryName, NumPy, Class))
