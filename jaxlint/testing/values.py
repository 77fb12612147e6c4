"""Values and output of two runs of one program, made comparable."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_DEPTH = 12
_ADDRESS = re.compile(r"0x[0-9a-f]{4,}")
_TRACER = re.compile(r"\w*Tracer(?:<[^<>]*>|\([^()]*\))")
_ARRAY = re.compile(r"Array\(([^()]*?)(?:,\s*dtype=\w+)?(?:,\s*weak_type=True)?\)")
_NUMBER = re.compile(r"(?<![\w.])([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?![\w])")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """An array, a scalar or a Python number; integers and truth values are exact."""

    array: np.ndarray[Any, Any]
    is_exact: bool


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Anything of which only the representation counts; a tracer never looks like a number."""

    text: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A container or an object with attributes."""

    kind: str
    children: tuple[Comparable, ...]


Comparable = Numbers | Text | Tree


def comparable(value: Any, depth: int = _DEPTH) -> Comparable:
    """A value in a form that outlives the namespace of its run."""
    if depth == 0:
        return Text("...")
    if isinstance(value, jax.core.Tracer):
        return Text("<tracer>")
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    if isinstance(value, (jax.Array, np.ndarray, np.generic, bool, int, float, complex)):
        return _numbers(value)
    below = depth - 1
    if isinstance(value, dict):
        items = [(comparable(key, below), comparable(held, below)) for key, held in value.items()]
        # JAX sorts the keys of a dict that it returns.
        items.sort(key=lambda item: show(item[0]))
        return Tree("dict", tuple(Tree("item", item) for item in items))
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else type(value).__name__
        return Tree(kind, tuple(comparable(item, below) for item in value))
    if isinstance(value, (set, frozenset)):
        return Tree("set", tuple(comparable(item, below) for item in sorted(value, key=repr)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        attributes = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
        return Tree(type(value).__name__, (comparable(attributes, below),))
    if not any("__repr__" in vars(base) for base in type(value).__mro__[:-1]):
        attributes = dict(getattr(value, "__dict__", {}))
        return Tree(type(value).__name__, (comparable(attributes, below),))
    return Text(readable(repr(value)))


def same(one: Comparable, other: Comparable) -> bool:
    """Whether two values are equal, numbers up to the rounding of another order of operations."""
    if isinstance(one, Numbers) and isinstance(other, Numbers):
        if one.array.shape != other.array.shape:
            return False
        if one.is_exact and other.is_exact:
            return bool(np.array_equal(one.array, other.array))
        return bool(np.allclose(one.array, other.array, rtol=1e-5, atol=1e-6, equal_nan=True))
    if isinstance(one, Text) and isinstance(other, Text):
        return same_text(one.text, other.text)
    if isinstance(one, Tree) and isinstance(other, Tree):
        return (
            one.kind == other.kind
            and len(one.children) == len(other.children)
            and all(map(same, one.children, other.children))
        )
    return False


def readable(text: str) -> str:
    """Text without what differs between runs for no reason: addresses, details of tracers."""
    return _ARRAY.sub(r"\1", _TRACER.sub("<tracer>", _ADDRESS.sub("0x", text)))


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal, the numbers in them up to rounding."""
    if one == other:
        return True
    parts, others = _NUMBER.split(one), _NUMBER.split(other)
    if len(parts) != len(others):
        return False
    pairs = list(zip(parts, others, strict=True))
    return all(a == b for a, b in pairs[::2]) and all(_same_number(*pair) for pair in pairs[1::2])


def _same_number(one: str, other: str) -> bool:
    if one.isdigit() and other.isdigit():
        return one == other
    return math.isclose(float(one), float(other), rel_tol=1e-5, abs_tol=1e-6)


def show(value: Comparable) -> str:
    """A value for a message."""
    if isinstance(value, Numbers):
        return " ".join(str(value.array).split())
    if isinstance(value, Text):
        return value.text
    return f"{value.kind}({', '.join(map(show, value.children))})"


def _numbers(value: Any) -> Comparable:
    try:
        array = np.asarray(value)
        narrow = array.dtype.kind in "biuf" and array.dtype.itemsize <= 8
        is_exact = array.dtype.kind in "biu"
        if is_exact:
            return Numbers(array, is_exact)
        return Numbers(array.astype(np.float64 if narrow else np.complex128), is_exact)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        # An object array, an enormous integer, a deleted array.
        return Text(readable(repr(value)))
