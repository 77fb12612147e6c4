"""Abstract arrays, in the forms that JAX of any version accepts, and values in a few words."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_HAS_WEAK = "weak_type" in inspect.signature(jax.ShapeDtypeStruct.__init__).parameters


class Unreplayable(Exception):  # noqa: N818
    """A call that cannot be described without values, or cannot be rebuilt."""


class _Weak(jax.ShapeDtypeStruct):
    """A weakly typed array, where `jax.ShapeDtypeStruct` cannot say so."""

    weak_type = True


def array(shape: tuple[int, ...], dtype: Any, weak: bool) -> jax.ShapeDtypeStruct:
    """An abstract array."""
    if not weak:
        return jax.ShapeDtypeStruct(shape, dtype)
    if _HAS_WEAK:
        return jax.ShapeDtypeStruct(shape, dtype, weak_type=True)
    return _Weak(shape, dtype)  # type: ignore[no-untyped-call]


def argument(leaf: jax.ShapeDtypeStruct) -> Any:
    """The abstract array in the form that `jax.make_jaxpr` and `jax.jit` accept."""
    if isinstance(leaf, _Weak):
        return jax.core.ShapedArray(leaf.shape, leaf.dtype, weak_type=True)
    if isinstance(leaf.dtype, np.dtype) and leaf.dtype != jax.dtypes.float0:
        # A type wider than JAX's present precision would be a warning.
        dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
        return leaf if dtype == leaf.dtype else array(leaf.shape, dtype, is_weak(leaf))
    return leaf


def is_weak(leaf: jax.ShapeDtypeStruct) -> bool:
    """Whether the array takes the type of what it is combined with."""
    return bool(getattr(leaf, "weak_type", False))


def is_numeric(dtype: Any) -> bool:
    """Whether JAX computes with this type of NumPy's."""
    try:
        return bool(jnp.issubdtype(dtype, np.number) or jnp.issubdtype(dtype, np.bool_))
    except TypeError:
        return False


_SHORT = {"float": "f", "uint": "u", "int": "i", "complex": "c", "bfloat": "bf"}


def type_name(dtype: Any) -> str:
    """`f32`, `i32`, `bool`, `bf16`, `key<fry>`."""
    name = str(getattr(dtype, "name", dtype))
    for long, short in _SHORT.items():
        rest = name[len(long) :]
        if name.startswith(long) and rest[:1].isdigit():
            return short + rest
    return name


def describe(value: Any) -> tuple[str, bool]:
    """A value in a few words, and whether an abstract array is in it. Never an array's values."""
    return _describe(value, 4)


def _describe(value: Any, depth: int) -> tuple[str, bool]:
    if isinstance(value, jax.ShapeDtypeStruct) or is_array(value):
        return _array(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return _text(value), False
    if depth == 0:
        return "...", False
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _fields(type(value).__name__, zip(value._fields, value, strict=False), depth)
    if isinstance(value, (list, tuple)):
        return _sequence(value, depth)
    if isinstance(value, dict):
        return _mapping(value, depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in dataclasses.fields(value)]
        held = ((name, getattr(value, name)) for name in names if hasattr(value, name))
        return _fields(type(value).__name__, held, depth)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return (name, False) if isinstance(name, str) else (type(value).__name__, is_traced(value))


def _array(value: Any) -> tuple[str, bool]:
    shape = ",".join(map(str, value.shape))
    text = f"{type_name(value.dtype)}[{shape}]"
    if isinstance(value, (jax.ShapeDtypeStruct, jax.core.Tracer)):
        return text, True
    return f"{'np' if isinstance(value, np.ndarray) else 'jax'} {text}", False


def _sequence(value: list[Any] | tuple[Any, ...], depth: int) -> tuple[str, bool]:
    left, right = "[]" if isinstance(value, list) else "()"
    parts = [_describe(item, depth - 1) for item in value[:9]]
    inside = ", ".join(text for text, _ in parts)
    return f"{left}{inside}{right}", any(traced for _, traced in parts)


def _mapping(value: dict[Any, Any], depth: int) -> tuple[str, bool]:
    pairs = [(key, _describe(item, depth - 1)) for key, item in list(value.items())[:9]]
    inside = ", ".join(f"{key}: {text}" for key, (text, _) in pairs)
    return f"{{{inside}}}", any(traced for _, (_, traced) in pairs)


def _text(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to spell out very long integers.
        return type(value).__name__


def _fields(name: str, held: Any, depth: int) -> tuple[str, bool]:
    parts = [(field, _describe(item, depth - 1)) for field, item in held]
    inside = ", ".join(
        f"{field}: {text}" if traced else f"{field}={text}" for field, (text, traced) in parts
    )
    return f"{name}({inside})", any(traced for _, (_, traced) in parts)


def is_traced(value: Any) -> bool:
    """Whether any leaf is an abstract array."""
    try:
        leaves = jax.tree_util.tree_leaves(value)
    except Exception:  # The user's own way to take a container apart may raise anything.
        return False
    return any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves)


def is_array(value: Any) -> bool:
    """Whether the value is an array of JAX or NumPy, traced or not."""
    return isinstance(value, (jax.Array, np.ndarray))
