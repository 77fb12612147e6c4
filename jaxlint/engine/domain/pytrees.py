"""Pytrees of abstract values: what a transform makes of arguments and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.dataflow.names import free_names
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.special_values import OpaqueArray, TracedString
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import rebuilt
from jaxlint.engine.domain.values import (
    COMPLEX,
    MOST_NESTED,
    NONE,
    NUMBERS,
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Heap,
    Instance,
    Iterator,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    as_traced,
    join_all,
)
from jaxlint.facts.provenance import TraceEntry
from jaxlint.syntax import ir

# The kinds of dtypes that have no derivative.
WHOLE = frozenset({"bool", "int"})
LeafMap = Callable[[Value], Value]
LeafTest = Callable[[Class], bool]


def map_leaves(
    value: Value, leaf: LeafMap, born: Any, depth: int = 6, is_leaf: LeafTest | None = None
) -> Value:
    """Rebuilds containers of a pytree, each leaf mapped; the copies are born in `born`. `is_leaf`
    tells which classes are known to be no pytrees.

    What maps a leaf may run code that changes the containers.
    """
    if depth == 0:
        return Unknown("deep pytree")
    if isinstance(value, (Sequence, Mapping)):
        return rebuilt(value, lambda one: map_leaves(one, leaf, born, depth - 1, is_leaf), born)
    if isinstance(value, Instance):
        return _map_instance(value, leaf, born, depth, is_leaf)
    if isinstance(value, Union):
        return join_all([map_leaves(o, leaf, born, depth - 1, is_leaf) for o in value.options])
    if isinstance(value, Static) and value.const is None:
        return NONE
    return leaf(value)


def is_child(cls: Class, name: str) -> bool | None:
    """Whether JAX takes what a field holds for a child of the pytree, None where it is not
    known."""
    if name in cls.unclear or cls.tree in ("", "own"):
        return None
    return name not in cls.meta if cls.tree == "leaves" else name in cls.child_fields


def _map_instance(
    value: Instance, leaf: LeafMap, born: Any, depth: int, is_leaf: LeafTest | None
) -> Value:
    cls = value.cls
    if is_leaf is not None and is_leaf(cls):
        return leaf(value)
    if not cls.tree or cls.tree == "own":
        return Unknown("object of a class that is no pytree")
    copy = Instance(cls, born)
    copy.tree = value.tree
    for name, field in (*value.fields.items(),):
        found = cls.find(name)
        if isinstance(found, Descriptor) and found.kind == "cached":
            continue  # What an object keeps of a property is no field: the copy asks again.
        child = is_child(cls, name)
        if child is None:
            copy.fields[name] = Unknown("field that may be static")
        else:
            held = map_leaves(field, leaf, born, depth - 1, is_leaf) if child else field
            copy.fields[name] = held
    return copy


INEXACT = "inexact"
"""The dtype of an array that is "float" or "complex", and not known to be which."""


def dtype_of(value: Value) -> str:
    """The dtype kind of an array or number: "bool", "int", "float", "complex" or ""."""
    if isinstance(value, (Traced, Concrete, NumPy, OpaqueArray)):
        return "" if type(value.dtype) is Origin or value.dtype == INEXACT else value.dtype
    if isinstance(value, Static) and value.kind in NUMBERS:
        return value.kind
    return "complex" if isinstance(value, Unknown) and value.reason == COMPLEX else ""


def why_unknown(dtype: str) -> str:
    """The reason why a number or array is not known of which this is."""
    return COMPLEX if dtype == "complex" else "operator on an unknown value"


def is_inexact(value: Value) -> bool:
    """Whether an array or number is certainly of floating-point or complex numbers."""
    if isinstance(value, (Traced, Concrete, NumPy, OpaqueArray)) and value.dtype == INEXACT:
        return True
    return dtype_of(value) in ("float", "complex")


def rank_of(value: Value) -> int | None:
    """The number of dimensions where it is known; Python numbers have none."""
    if isinstance(value, (Traced, Concrete, OpaqueArray)):
        return value.rank
    if isinstance(value, Static) and value.kind in NUMBERS:
        return 0
    return None


def is_number(value: Value) -> bool:
    return isinstance(value, Static) and value.kind in NUMBERS


def is_promised(value: Value) -> bool:
    """Whether a value is the number that an annotation promises, which may be an array."""
    return isinstance(value, Traced) and value.weak


def is_array(value: Value) -> bool:
    """Whether the value is certainly an array of some sort."""
    return isinstance(value, (Concrete, NumPy)) or (isinstance(value, Traced) and value.leaf)


def strongest(values: list[Value], depth: int = MOST_NESTED) -> Traced | None:
    """The tracer among operands whose kind decides the result's: abstract, batch, then ad.
    Those in containers count, which may hold themselves."""
    best: Traced | None = None
    for value in values:
        for one in value.options if isinstance(value, Union) else (value,):
            found = one if isinstance(one, Traced) else None
            if depth and isinstance(one, (Sequence, Mapping)):
                found = inner_traced(one, depth - 1)
            if found is not None and (best is None or _RANK[found.kind] > _RANK[best.kind]):
                best = found
    return best


def beneath(values: list[Value]) -> list[Value]:
    """Operands of an operation outside staged code: a tracer of `vmap` that a function with
    rules made of what is not mapped is for an operation the concrete value in it."""
    return [Concrete(v.dtype) if isinstance(v, Traced) and _is_shell(v) else v for v in values]


def _is_shell(value: Traced) -> bool:
    trail = value.trail
    made = trail.optional and trail.parent is None and isinstance(trail.node, ir.Expr)
    return made and value.kind == "batch"


def source(values: list[Value], strongest: Traced, own: TraceEntry | None) -> Traced:
    """The tracer among operands that says why the result is traced: rather one that comes from
    outside the trace with entry `own` than one that begins there."""
    if strongest.trail.entry is own:
        for value in values:
            found = value if isinstance(value, Traced) else None
            if isinstance(value, (Sequence, Mapping)):
                found = inner_traced(value)
            if found is not None and found.trail.entry is not own:
                return found
    return strongest


_RANK = {"ad": 0, "batch": 1, "abstract": 2}


def inner_traced(value: Sequence | Mapping, depth: int = MOST_NESTED) -> Traced | None:
    """A tracer directly inside a container."""
    return strongest([v for v in value.children() if isinstance(v, (Traced, Union))], depth)


def is_plain(value: Value, depth: int = 8) -> bool:
    """Whether the value is certainly concrete, containers included."""
    if depth == 0:
        return False
    if isinstance(value, (Sequence, Mapping)):
        return all(is_plain(one, depth - 1) for one in value.children())
    return not isinstance(value, (Unknown, Traced, Instance, Iterator)) and (
        not isinstance(value, Union) or all(is_plain(o, depth - 1) for o in value.options)
    )


def adopt(value: Value, since: int, path: object, depth: int = 4) -> None:
    """Objects that a call made and gives back are as if made on the path of the caller."""
    if isinstance(value, Heap) and value.age >= since and path is not None:
        value.path = path
        for inner in _held(value) if depth else ():
            adopt(inner, since, path, depth - 1)


# Values that hold others and have an identity.
OBJECTS = (Sequence, Mapping, Instance)


def renewed(
    value: Value, since: int, path: object, leaf: Callable[[Value], Value], depth: int = 4
) -> Value:
    """A result as another call gives it: the containers and objects that the first call made are
    made anew, and `leaf` tells what other values are."""

    def again(inner: Value) -> Value:
        return renewed(inner, since, path, leaf, depth - 1)

    if isinstance(value, FrameworkObject) and value.birth >= since:
        return value.again()
    if not isinstance(value, OBJECTS):
        moved = leaf(value)
        if depth == 0 or not (isinstance(value, Union) and isinstance(moved, Union)):
            return moved
        # An option that stands for an argument is another one by now.
        kept = {id(one) for one in value.options if isinstance(one, OBJECTS)}
        return Union(tuple([again(one) if id(one) in kept else one for one in moved.options]))
    if depth == 0:
        return value
    if value.age < since or (isinstance(value, Instance) and value.generic):
        return leaf(value)
    made = value.rebuild([again(one) for one in value.children()])
    assert isinstance(made, Heap)
    made.path = value.path if path is None else path
    made.local, made.leaks, made.changes = value.local, [*value.leaks], [*value.changes]
    return made


def _held(value: Heap) -> list[Value]:
    if isinstance(value, Instance):
        return [] if value.generic else list(value.fields.values())
    if isinstance(value, Mapping):
        return list(value.items.values())
    return list(value.items or ()) if isinstance(value, (Sequence, Iterator)) else []


def is_surely_traced(value: Value) -> bool:
    """Whether an operand is a tracer, or holds one, on every path."""
    if isinstance(value, Union):
        return all(map(is_surely_traced, value.options))
    if isinstance(value, (Sequence, Mapping)):
        return any(map(is_surely_traced, value.children()))
    return isinstance(value, Traced)


def leaks(value: Value, home: Trace | None = None) -> Traced | None:
    """A tracer that a stored value carries with it: in containers, partials and closures.

    Text keeps no tracer, only what it says of one. What a function captures of the trace `home`,
    or of one around it, is as good there as where the function was made.
    """
    found = finds_traced(value, in_text=False)
    if found is not None:
        return found
    if isinstance(value, Bound):
        return leaks(value.owner, home)
    if isinstance(value, Function) and not value.frame.trace.is_host:
        for name in sorted(free_names(value.node)):
            scope: Frame | None = value.frame
            while scope is not None and not scope.trace.is_host:
                held = scope.env.get(name)
                if held is not None:
                    lives = home is not None and _is_inside(home, scope.trace)
                    found = None if lives else finds_traced(held, 1)
                    if found is not None:
                        return found
                    break
                scope = scope.enclosing()
    return None


def _is_inside(trace: Trace | None, outer: Trace) -> bool:
    while trace is not None and trace is not outer:
        trace = trace.parent
    return trace is outer


def surely_held(values: list[Value]) -> Traced | None:
    """A tracer that is certainly among the elements of one of several containers."""
    for value in values:
        found = finds_traced(value, 1) if isinstance(value, (Sequence, Iterator)) else None
        if found is not None:
            return found
    return None


def _certainly_inside(value: Value) -> list[Value]:
    if isinstance(value, (Sequence, Mapping)):
        return value.children()
    if isinstance(value, Instance):
        return [] if value.generic else value.children()
    if isinstance(value, Iterator):
        return [value.element]
    return [*value.args, *value.keywords.values()] if isinstance(value, Partial) else []


def finds_traced(value: Value, depth: int = 3, in_text: bool = True) -> Traced | None:
    """A tracer that the value is or certainly contains, or that text was made of."""
    traced = as_traced(value)
    if traced is not None:
        return traced
    if isinstance(value, TracedString):
        return value.traced if in_text else None
    if depth == 0:
        return None
    if isinstance(value, (Sequence, Iterator)) and value.holds is not None:
        return value.holds
    if isinstance(value, FrameworkObject):
        return value.tree
    for one in _certainly_inside(value):
        found = finds_traced(one, depth - 1, in_text)
        if found is not None:
            return found
    return None
