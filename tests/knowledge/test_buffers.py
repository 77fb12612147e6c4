"""What needs a buffer that was given away is what the installed JAX refuses."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlint.knowledge.arrays.buffers import READING, READING_METHODS, SHOWING, UNREAD_NUMPY

take = jax.jit(lambda values: values + 1, donate_argnums=0)


def given_away() -> jax.Array:
    values = jnp.ones(3)
    take(values)
    assert values.is_deleted()
    return values


def found(dotted: str) -> Callable[[Any], Any]:
    home, _, name = dotted.rpartition(".")
    homes = {"builtins": builtins, "jax": jax, "numpy": np}
    function: Callable[[Any], Any] = getattr(homes[home], name)
    return function


@pytest.mark.parametrize("dotted", sorted(READING | SHOWING))
def test_functions_that_read(dotted: str) -> None:
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        found(dotted)(given_away())


@pytest.mark.parametrize("name", sorted(READING_METHODS))
def test_methods_that_read(name: str) -> None:
    with pytest.raises((RuntimeError, ValueError)):
        getattr(given_away(), name)()


@pytest.mark.parametrize("dotted", ["numpy.shape", "numpy.ndim", "numpy.size", "numpy.isscalar"])
def test_functions_of_numpy_that_do_not(dotted: str) -> None:
    assert dotted in UNREAD_NUMPY
    found(dotted)(given_away())


def test_an_array_of_numpy_stays() -> None:
    values = np.ones(3)
    take(values)
    assert values.sum() == 3


def test_what_shares_the_buffer_goes_with_it() -> None:
    values = jnp.ones(3)
    shared = [values[:], values[...], jnp.asarray(values)]
    kept = [values.copy(), jnp.array(values), values + 0]
    take(values)
    assert all(one.is_deleted() for one in shared)
    assert not any(one.is_deleted() for one in kept)


def test_an_argument_that_is_not_read_stays() -> None:
    first = jax.jit(lambda values, unused: values, donate_argnums=1)
    unused = jnp.ones(3)
    first(jnp.zeros(3), unused)
    assert not unused.is_deleted()
