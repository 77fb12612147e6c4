"""What values are that names hold while JAX traces, in letters."""

from __future__ import annotations

import functools
import types
from typing import Any

import jax
import numpy as np
from holding import STATIC, TRACED, holds
from jax._src import core

from jaxlint.verify.child import internals

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, type)


_DISPLAYS = (tuple, list, dict)


def kind_of(value: Any) -> str:
    """One letter for what a value is: `t` a tracer, `m` a container or object that holds one, `j`
    a concrete JAX array, `n` a NumPy value, `p` a plain Python value, `f` a function or class,
    `e` a tuple, list or dict without leaves, `o` None, `u` what cannot be looked into, `c` anything
    else."""
    if isinstance(value, core.Tracer):
        return "t"
    if value is None:
        return "o"
    if isinstance(value, _PLAIN):
        return "p"
    if isinstance(value, jax.Array):
        return "j"
    if isinstance(value, (np.ndarray, np.generic)):
        return "n"
    if _is_display(value) and _is_empty(value):
        return "e"
    try:
        found = holds(value)
    except Exception:
        # What an object does when it is looked into is no matter of the project's run.
        return "u"
    if found == TRACED:
        return "m"
    if isinstance(value, _CODE):
        return "f"
    return "c" if found == STATIC else "u"


def form_of(tracer: Any) -> str:
    """The kind of a tracer's dtype and its number of dimensions: `f` floating, `i` and `u`
    integers, `b` bool, `c` complex, `k` a typed random key; `f1=` where its value is known."""
    dtype, rank = getattr(tracer, "dtype", None), getattr(tracer, "ndim", "")
    letter = "?"
    if dtype is not None:
        kinds = (("k", jax.dtypes.prng_key), ("f", jax.numpy.floating))
        plain = getattr(dtype, "kind", "?")
        letter = next((one for one, kind in kinds if jax.dtypes.issubdtype(dtype, kind)), plain)
    return f"{letter}{rank}{'' if internals.is_abstract(tracer) else '='}"


def _is_display(value: Any) -> bool:
    """Whether a value is a tuple, a named one too, a list or a dict."""
    return type(value) in _DISPLAYS or (isinstance(value, tuple) and hasattr(value, "_fields"))


def _is_empty(value: Any, depth: int = 4) -> bool:
    """Whether a tuple, list or dict has no leaves, those in it included."""
    inner = value.values() if type(value) is dict else value
    return not value or (
        bool(depth)
        and all(one is None or (_is_display(one) and _is_empty(one, depth - 1)) for one in inner)
    )
