"""Observes which parameters of a function consume a PRNG key, with JAX's own check of reuse."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import jax

KEY = jax.random.key(0)
_check = importlib.import_module("jax.experimental.key_reuse._core").check_key_reuse


def is_key(value: Any) -> bool:
    """Whether this is a typed key."""
    return isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)


def uses_up(call: Callable[[Any], Any]) -> bool:
    """Whether a key that `call` was given may not be drawn from again."""

    def drawn_from_again(key: Any) -> None:
        call(key)
        jax.random.bits(key)

    try:
        _check(drawn_from_again, KEY)
    except jax.errors.KeyReuseError:
        return True
    return False


def consumed(call: Callable[[dict[str, Any]], Any], values: dict[str, Any]) -> list[str]:
    """The parameters, of those that hold a key in `values`, that use it up."""
    return [
        name
        for name, value in values.items()
        if is_key(value) and uses_up(lambda key, name=name: call({**values, name: key}))
    ]


def makes_consumers(made: Any) -> bool:
    """Whether what a function gives is itself called as `made(key, shape)`, consuming the key."""
    try:
        return callable(made) and uses_up(lambda key: made(key, (3, 3, 3)))
    except Exception:
        return False
