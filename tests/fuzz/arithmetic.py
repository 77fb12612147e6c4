"""Computes JAX programs with NumPy, well enough for loops to end and indices to fit.

An operation that is not in the table has ones for its result. Nothing is compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_Values = list[Any]
_Rule = Callable[..., Any]


def is_key(aval: Any) -> bool:
    """Whether a value is no array of numbers."""
    return bool(jnp.issubdtype(aval.dtype, jax.dtypes.extended))


def run(jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> _Values:
    """What a program gives, as NumPy arrays. Has no keys in it."""
    values: dict[Any, Any] = {}

    def read(atom: Any) -> Any:
        return np.asarray(atom.val) if hasattr(atom, "val") else values[atom]

    values.update(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))
    for equation in jaxpr.eqns:
        given = [read(atom) for atom in equation.invars]
        avals = [each.aval for each in equation.outvars]
        found = operate(equation.primitive.name, equation.params, given, avals)
        values.update(zip(equation.outvars, found, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def operate(
    name: str, params: dict[str, Any], args: Sequence[Any], avals: Sequence[Any]
) -> _Values:
    """What one operation gives."""
    nested = next((params[key] for key in _NESTED if key in params), None)
    if nested is not None and name in _CALLS:
        return run(nested.jaxpr, nested.consts, args)
    rule = _RULES.get(name)
    if rule is not None:
        with np.errstate(all="ignore"):
            found = rule(params, *args)
        (aval,) = avals
        result = np.asarray(found, aval.dtype)
        if result.shape == aval.shape:
            return [result]
    return [np.ones(aval.shape, aval.dtype) for aval in avals]


_NESTED = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call")


def _plain(function: _Rule) -> _Rule:
    return lambda params, *args: function(*args)


def _reduction(function: _Rule) -> _Rule:
    return lambda params, x: function(x, axis=tuple(params["axes"]))


def _broadcast(params: dict[str, Any], x: Any, *_: Any) -> Any:
    shape = [1] * len(params["shape"])
    for dimension, size in zip(params["broadcast_dimensions"], x.shape, strict=True):
        shape[dimension] = size
    return np.broadcast_to(x.reshape(shape), params["shape"])


def _slice(params: dict[str, Any], x: Any) -> Any:
    steps = params["strides"] or (1,) * x.ndim
    bounds = zip(params["start_indices"], params["limit_indices"], steps, strict=True)
    return x[tuple(slice(*each) for each in bounds)]


def _dynamic_slice(params: dict[str, Any], x: Any, *starts: Any) -> Any:
    sizes = params["slice_sizes"]
    begins = [
        min(max(int(start), 0), length - size)
        for start, length, size in zip(starts, x.shape, sizes, strict=True)
    ]
    return x[tuple(slice(b, b + size) for b, size in zip(begins, sizes, strict=True))]


def _iota(params: dict[str, Any]) -> Any:
    shape, dimension = params["shape"], params["dimension"]
    line = np.arange(shape[dimension])
    return np.broadcast_to(np.expand_dims(line, tuple(range(1, len(shape) - dimension))), shape)


def _select(params: dict[str, Any], which: Any, *cases: Any) -> Any:
    if which.shape == cases[0].shape:
        return np.choose(which.astype(int), cases)
    return cases[int(which)]


def _argument(function: _Rule) -> _Rule:
    return lambda params, x: function(x, axis=params["axes"][0])


def _cumulative(function: _Rule) -> _Rule:
    def rule(params: dict[str, Any], x: Any) -> Any:
        axis = params["axis"]
        if params["reverse"]:
            return np.flip(function(np.flip(x, axis), axis=axis), axis)
        return function(x, axis=axis)

    return rule


def _dot(params: dict[str, Any], x: Any, y: Any) -> Any:
    (left, right), batch = params["dimension_numbers"]
    return np.ones(()) if any(batch) else np.tensordot(x, y, (left, right))


def _truncated(x: Any, y: Any) -> Any:
    """Division as JAX does it: integers are rounded towards zero."""
    return np.divide(x, y) if x.dtype.kind in "fc" else np.trunc(np.divide(x, np.where(y, y, 1)))


def _same(x: Any) -> Any:
    return x


_PLAIN: dict[str, _Rule] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt")},
    **{name: getattr(np, name) for name in ("abs", "sign", "floor", "ceil", "square", "sinh")},
    **{name: getattr(np, name) for name in ("log1p", "expm1", "cosh")},
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _truncated,
    "max": np.maximum,
    "min": np.minimum,
    "rem": np.fmod,
    "pow": np.power,
    "neg": np.negative,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "not": np.invert,
    "xor": np.bitwise_xor,
    "is_finite": np.isfinite,
    "add_any": np.add,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "copy": _same,
    "copy_p": _same,
    "stop_gradient": _same,
}

_RULES: dict[str, _Rule] = {
    **{name: _plain(function) for name, function in _PLAIN.items()},
    "convert_element_type": lambda params, x: x,
    "reduce_precision": lambda params, x: x,
    "integer_pow": lambda params, x: np.power(x, params["y"]) if params["y"] >= 0 else 1 / x,
    "round": lambda params, x: np.round(x),
    "broadcast_in_dim": _broadcast,
    "reshape": lambda params, x, *_: x.reshape(params["new_sizes"]),
    "squeeze": lambda params, x: np.squeeze(x, tuple(params["dimensions"])),
    "expand_dims": lambda params, x: np.expand_dims(x, tuple(params["dimensions"])),
    "transpose": lambda params, x: np.transpose(x, params["permutation"]),
    "rev": lambda params, x: np.flip(x, tuple(params["dimensions"])),
    "concatenate": lambda params, *args: np.concatenate(args, params["dimension"]),
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "iota": _iota,
    "select_n": _select,
    "dot_general": _dot,
    "reduce_sum": _reduction(np.sum),
    "reduce_max": _reduction(np.max),
    "reduce_min": _reduction(np.min),
    "reduce_prod": _reduction(np.prod),
    "reduce_and": _reduction(np.all),
    "reduce_or": _reduction(np.any),
    "argmax": _argument(np.argmax),
    "argmin": _argument(np.argmin),
    "cumsum": _cumulative(np.cumsum),
    "cumprod": _cumulative(np.cumprod),
}


def array_of(value: Any, aval: Any) -> jax.Array:
    """A JAX array of a NumPy array, weakly typed if that is what is expected."""
    return _array(value.tobytes(), aval.shape, value.dtype, bool(getattr(aval, "weak_type", False)))


@functools.lru_cache(4096)
def _array(data: bytes, shape: tuple[int, ...], dtype: Any, weak: bool) -> jax.Array:
    found: Any = jax.device_put(np.frombuffer(data, dtype).reshape(shape))
    make, core = _array_class()
    if weak and make is not None:
        aval = core.ShapedArray(shape, dtype, weak_type=True)
        found = make(aval, found.sharding, [found], committed=False, _skip_checks=True)
    assert isinstance(found, jax.Array)
    return found


@functools.cache
def _array_class() -> tuple[Any, Any]:
    """What makes arrays, and what describes them; None if this JAX hides it."""
    try:
        from jax._src import core
        from jax._src.array import ArrayImpl
    except ImportError:
        return None, None
    return ArrayImpl, core
