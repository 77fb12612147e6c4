"""Values that calls are made of: arrays as JAX sees them, callables, records and their fields."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.verify.child.arguments import avals
from jaxlint.verify.child.observing.outline import Usage


def concrete(value: Any) -> Any:
    """The value with ones in place of abstract arrays."""

    def made(leaf: Any) -> Any:
        if not isinstance(leaf, jax.ShapeDtypeStruct):
            return leaf
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return jax.random.key(0)
        return jnp.ones(leaf.shape, leaf.dtype)

    return jax.tree_util.tree_map(made, value)


def traced(value: Any) -> Any:
    """The value as a jitted function sees it: numbers and arrays are abstract."""

    def made(leaf: Any) -> Any:
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return leaf
        if isinstance(leaf, (bool, int, float, complex)):
            return avals.array((), jax.dtypes.canonicalize_dtype(type(leaf)), True)
        if avals.is_array(leaf) and (isinstance(leaf, jax.Array) or avals.is_numeric(leaf.dtype)):
            return avals.array(leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype), False)
        return leaf

    try:
        return jax.tree_util.tree_map(made, value)
    except Exception:  # A container of the user's that refuses abstract leaves stays as it is.
        return value


def hints_of(fn: Any) -> dict[str, Any]:
    """The annotations of a function or class that can be evaluated."""
    try:
        return typing.get_type_hints(fn, include_extras=True)
    except Exception:  # Names that only a type checker imports, or any code in an annotation.
        pass
    hints: dict[str, Any] = {}
    for name, hint in getattr(fn, "__annotations__", {}).items():
        if isinstance(hint, str):
            try:
                hint = eval(hint, getattr(fn, "__globals__", {}))
            except Exception:  # As above; the other parameters keep theirs.
                continue
        hints[name] = hint
    return hints


def arrays(usage: Usage) -> list[Any]:
    """Arrays of the kinds that programs use most, those that fit the use first."""

    def of(*shape: int) -> Any:
        return avals.array(shape, np.float32, False)

    scalars = [of(), avals.array((), np.int32, False)]
    vectors = [of(4), avals.array((4,), np.int32, False)]
    ranks = [vectors, [of(4, 4)], [of(3, 4, 4)], [of(1, 4, 4, 3)]]
    if usage.rank:
        near = ranks[min(usage.rank, 4) - 1]
        return [*near, *(item for group in ranks[:3] if group is not near for item in group)]
    flag = avals.array((), np.bool_, False)
    if usage.is_scalar:
        return [*scalars, flag, *vectors]
    return [*vectors[:1], *scalars, of(4, 4), vectors[1], of(3, 4, 4), flag]


def callables() -> list[Any]:
    """Functions that take anything: one gives back what it takes, one a number."""
    return [lambda first, *rest, **options: first, lambda *values, **options: jnp.float32(1.0)]


def static_values(name: str, usage: Usage) -> tuple[Any, ...]:
    """Values for what is configuration by its name, and never traced; none for the rest."""
    first, _, last = name.lower().strip("_").rpartition("_")
    if first.partition("_")[0] in _FLAGS:
        return (False, True)
    if last in _TEXTS:
        return ("a",)
    if last in _CONFIGURATIONS and (usage.keys or usage.is_mapping):
        return (dict.fromkeys(usage.keys or SOME_KEYS, 1),)
    return ()


def mappings(usage: Usage) -> Iterator[Any]:
    """Dictionaries of arrays, for what a body uses as one."""
    if usage.keys or usage.is_mapping:
        for shape in ((4,), (), (4, 4)):
            array = avals.array(shape, np.float32, False)
            yield dict.fromkeys(usage.keys or SOME_KEYS, array)


_FLAGS = frozenset({"is", "has", "use", "with", "should", "allow", "enable"})
_TEXTS = frozenset({"name", "path", "prefix", "suffix", "text"})
_CONFIGURATIONS = frozenset({"config", "cfg", "conf", "options", "opts", "settings", "hparams"})
SOME_KEYS = ("a", "b")
_ARRAY_TYPES = {jax.Array, np.generic}


def is_array_type(hint: Any) -> bool:
    """Whether an annotation is a class of arrays."""
    return hint in _ARRAY_TYPES if isinstance(hint, type) else False


def is_record(kind: type) -> bool:
    """Whether a class is a NamedTuple or a dataclass."""
    return (issubclass(kind, tuple) and hasattr(kind, "_fields")) or dataclasses.is_dataclass(kind)


def has_field(kind: type, name: str) -> bool:
    """Whether instances have an attribute."""
    return name in getattr(kind, "__annotations__", {}) or hasattr(kind, name)


def required(kind: Any) -> Iterator[str]:
    """Fields that have no default."""
    if dataclasses.is_dataclass(kind):
        for item in dataclasses.fields(kind):
            has = dataclasses.MISSING
            if item.init and item.default is has and item.default_factory is has:
                yield item.name
    else:
        yield from (name for name in kind._fields if name not in kind._field_defaults)


def subclasses(kind: type) -> Iterator[type]:
    """All classes derived from a class."""
    found: list[type] = type.__subclasses__(kind)
    for each in found:
        yield each
        yield from subclasses(each)
