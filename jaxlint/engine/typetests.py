"""What `isinstance(value, types)` answers."""

from __future__ import annotations

from jaxlint.engine.values import (
    Bound,
    Class,
    Concrete,
    External,
    Function,
    Instance,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
    is_none,
)
from jaxlint.knowledge.transforms import HOST_TYPES, SCALAR_TYPES, TRACER_TYPES

# The kind of a sequence of types that stands for one of them.
UNION = "union"


def _type_names(second: Value) -> list[str]:
    parts = second.items or [] if isinstance(second, Sequence) else [second]
    return [getattr(p, "dotted", "") for p in parts]


def united(types: list[Value]) -> Sequence | None:
    """`int | float`, `Union[int, float]`: a type that is one of several, None for other values."""
    found: list[Value] = []
    for one in types:
        if isinstance(one, Sequence) and one.kind == UNION:
            found += one.items or []
        elif is_none(one):
            found.append(External("builtins.NoneType"))
        elif isinstance(one, Class) or (isinstance(one, External) and _is_type(one.dotted)):
            found.append(one)
        else:
            return None
    return Sequence(UNION, found, None) if len(found) > 1 else None


def _is_type(dotted: str) -> bool:
    known = dotted in TRACER_TYPES or dotted in HOST_TYPES or dotted in SCALAR_TYPES
    return known or dotted in ("numpy.bool_", "numpy.number")


def names_arrays(second: Value) -> bool:
    """Whether every type of an `isinstance` test is one that a tracer is an instance of."""
    names = _type_names(second)
    return bool(names) and all(n in TRACER_TYPES for n in names)


def includes_arrays(second: Value) -> bool:
    """Whether a tracer is an instance of one of the types of a test."""
    return any(name in TRACER_TYPES for name in _type_names(second))


def names_scalars(second: Value) -> bool:
    """Whether every type of a test is one of numbers, text or NumPy's arrays: no tracer is one,
    and no container of tracers."""
    names = _type_names(second)
    return bool(names) and all(n in SCALAR_TYPES or n.startswith("numpy.") for n in names)


def type_answer(value: Value, second: Value) -> bool | None:
    """The outcome of `isinstance(value, second)` where it is certain."""
    names = _type_names(second)
    classes = second.items or [] if isinstance(second, Sequence) else [second]
    if isinstance(value, Traced):
        if names_scalars(second):
            return False
        if any(n in TRACER_TYPES for n in names):
            return True if value.leaf else None
        if names and all(
            n in HOST_TYPES or n.startswith("numpy.") or isinstance(c, Class)
            for n, c in zip(names, classes, strict=True)
        ):
            return False if value.leaf else None
        return None
    if isinstance(value, Static) and value.known and all(n.startswith("builtins.") for n in names):
        bases = [t.__name__ for t in type(value.const).__mro__]
        return any(n.removeprefix("builtins.") in bases for n in names)
    if isinstance(value, Sequence) and all(n.startswith("builtins.") for n in names):
        return f"builtins.{value.kind}" in names
    if isinstance(value, Instance) and any(n in value.cls.externals() for n in names if n):
        return True
    if isinstance(value, Instance) and all(isinstance(c, Class) for c in classes):
        if any(value.cls.derives(c) for c in classes if isinstance(c, Class)):
            return True
        return None if value.cls.opaque or value.generic else False
    if isinstance(value, Mapping) and all(n.startswith("builtins.") for n in names):
        return "builtins.dict" in names
    if isinstance(value, Concrete) and names == ["jax.core.Tracer"]:
        return False
    if isinstance(value, Concrete) and any(n in TRACER_TYPES for n in names if n[-6:] != "Tracer"):
        return True
    return None


def is_callable(value: Value) -> bool | None:
    """What `callable` says of a value, None where that is not known."""
    if isinstance(value, (Function, Transformed, Bound, Class, Partial)):
        return True
    if isinstance(value, Instance):
        known = not (value.cls.opaque or value.cls.externals())
        return True if value.cls.find("__call__") is not None else False if known else None
    if isinstance(value, Static):
        return False if value.known or value.kind else None
    if isinstance(value, Traced):
        return False if value.leaf else None
    return False if isinstance(value, (Concrete, NumPy, Sequence, Mapping)) else None
