"""What `isinstance(value, types)` answers."""

from __future__ import annotations

from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
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
# Bases whose objects are nothing but objects, and those that say themselves what is one of them.
_PLAIN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "equinox.Module"})
_NO_DICTS = _PLAIN_BASES | {"builtins.list", "builtins.tuple", "typing.NamedTuple"}
_ADOPTING = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
_CALLABLES = (Bound, Class, Function, Partial, Transformed)
_CALLABLE_TYPES = frozenset({"collections.abc.Callable", "typing.Callable"})
_FUNCTION_TYPES = frozenset({"types.FunctionType", "types.LambdaType"})
# Types that no object of a library's class is of; those of optax are tuples.
_PLAIN_TYPES = frozenset(
    f"builtins.{name}"
    for name in ("bool", "bytes", "complex", "dict", "float", "int", "list", "set", "str")
)
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))
_KINDS = frozenset({"bool", "int", "float", "complex", "str"})


def type_names(second: Value) -> list[str]:
    """The names of the library's types that a test asks for, "" for one of the project."""
    parts = second.items or [] if isinstance(second, Sequence) else [second]
    return [getattr(p, "dotted", "") for p in parts]


def united(types: list[Value]) -> Sequence | None:
    """`int | float`, `Union[int, float]`: a type that is one of several, None for other values."""
    found: list[Value] = []
    for one in types:
        if isinstance(one, Sequence) and one.kind == UNION:
            found += one.items or []
        elif is_none(one):
            found.append(LibraryName("builtins.NoneType"))
        elif isinstance(one, Class) or (isinstance(one, LibraryName) and _is_type(one.dotted)):
            found.append(one)
        else:
            return None
    return Sequence(UNION, found, None) if len(found) > 1 else None


def _is_type(dotted: str) -> bool:
    known = dotted in TRACER_TYPES or dotted in HOST_TYPES or dotted in SCALAR_TYPES
    return known or dotted in ("numpy.bool_", "numpy.number")


def names_arrays(second: Value) -> bool:
    """Whether what a tracer or a container of tracers is an instance of, if it is one of the types
    of a test, is an array: types of numbers and text beside those of arrays do not matter."""
    return includes_arrays(second) and all(
        name in TRACER_TYPES or _is_scalar(name) for name in type_names(second)
    )


def includes_arrays(second: Value) -> bool:
    """Whether a tracer is an instance of one of the types of a test."""
    return any(name in TRACER_TYPES for name in type_names(second))


def names_scalars(second: Value) -> bool:
    """Whether every type of a test is one of numbers, text or NumPy's arrays: no tracer is one,
    and no container of tracers."""
    names = type_names(second)
    return bool(names) and all(map(_is_scalar, names))


def _is_scalar(name: str) -> bool:
    return name in SCALAR_TYPES or name.startswith("numpy.")


def type_answer(value: Value, second: Value) -> bool | None:
    """The outcome of `isinstance(value, second)` where it is certain."""
    classes = second.items or [] if isinstance(second, Sequence) else [second]
    answers = [_is_instance(value, one) for one in classes]
    return True if True in answers else None if None in answers or not answers else False


def _is_instance(value: Value, one: Value) -> bool | None:
    """Whether a value is an instance of one type, None where that is not known."""
    if isinstance(one, Class):
        return _is_of_class(value, one)
    name = getattr(one, "dotted", "")
    if isinstance(value, Traced):
        return _is_of_tracers(value, name)
    if isinstance(value, Instance):
        if name and name in value.cls.externals():
            return True
        known = name.startswith("builtins.") or name in TRACER_TYPES or name in SCALAR_TYPES
        is_record = name in SCALAR_TYPES and _NO_DICTS.issuperset(value.cls.externals())
        is_record = is_record and not value.cls.opaque
        return False if known and (is_record or _is_plain(value)) else None
    if isinstance(value, Static) and value.known:
        if name.startswith("builtins."):
            bases = [t.__name__ for t in type(value.const).__mro__]
            return name.removeprefix("builtins.") in bases
        return False if name in TRACER_TYPES or name == "numpy.ndarray" else None
    if isinstance(value, (Sequence, Mapping)):
        kind = "dict" if isinstance(value, Mapping) else value.kind
        if kind == UNION or not name.startswith("builtins."):
            return False if name in TRACER_TYPES and kind != UNION else None
        return name == f"builtins.{kind}"
    if isinstance(value, Concrete) and name in TRACER_TYPES:
        return name[-6:] != "Tracer"
    if isinstance(value, FrameworkObject) and name in _PLAIN_TYPES:
        return False
    return _is_of_callable(value, name) if isinstance(value, _CALLABLES) else None


def _is_of_callable(value: Value, name: str) -> bool | None:
    """Whether a function or class of the project is an instance of a library's type."""
    if name == "builtins.type":
        return isinstance(value, Class)
    if name in _CALLABLE_TYPES:
        return True
    if name in _FUNCTION_TYPES and isinstance(value, (Class, Function)):
        return isinstance(value, Function)
    if name.startswith("builtins.") or name in TRACER_TYPES or name in SCALAR_TYPES:
        return name == "builtins.object"
    return None


def _is_of_tracers(value: Traced, name: str) -> bool | None:
    """Whether a tracer is an instance of a library's type."""
    if name in TRACER_TYPES:
        return True if value.leaf else None
    if _is_scalar(name):
        return False
    return False if name in HOST_TYPES and value.leaf else None


def _is_of_class(value: Value, cls: Class) -> bool | None:
    """Whether a value is an instance of a class of this project."""
    if isinstance(value, Instance):
        if value.cls.derives(cls):
            return True
        return None if value.cls.opaque or value.generic else False
    if any(name in _ADOPTING for name in cls.externals()):
        return None
    if isinstance(value, Traced):
        return False if value.leaf else None
    if isinstance(value, (Sequence, Mapping)):
        # An object of a class that derives from one of these may be known by what it holds.
        plain = type(value) in (Sequence, Mapping) and getattr(value, "kind", "") != UNION
        others = _PLAIN_BASES if isinstance(value, Sequence) else _NO_DICTS
        return False if plain and others.issuperset(cls.externals()) else None
    if isinstance(value, Static):
        builtin = isinstance(value.const, _CONSTANTS) if value.known else value.kind in _KINDS
        return False if builtin else None
    return False if isinstance(value, (Concrete, NumPy, Function, Partial, Transformed)) else None


def _is_plain(value: Instance) -> bool:
    """Whether a class derives from no builtin type and no array."""
    bases = set(value.cls.externals())
    return not (value.cls.opaque or value.generic) and bases <= _PLAIN_BASES


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
