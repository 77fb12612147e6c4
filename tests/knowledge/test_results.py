"""The functions that are said to give floating-point or complex numbers do on the installed JAX."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.knowledge.arrays.results import INEXACT_RESULTS, KEEPS_INEXACT

pytestmark = pytest.mark.jax
MODULES = ("jax.numpy", "jax.numpy.linalg", "jax.nn", "jax.lax", "jax.scipy.special")
KINDS = {"float": jnp.float32, "int": jnp.int32, "bool": jnp.bool_, "complex": jnp.complex64}


def functions(names: frozenset[str]) -> list[Any]:
    found = []
    for home in MODULES:
        module = import_module(home)
        for name in sorted(names):
            function = getattr(module, name, None)
            if function is not None:
                found.append(pytest.param(function, id=f"{home}.{name}"))
    return found


def results(function: Any, dtype: Any) -> Iterator[Any]:
    """The dtypes of what a function makes of arrays of a dtype, as far as it takes them."""
    for shape in ((2, 2), (2,), ()):
        for more in ((), (jnp.ones(shape, dtype),)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = jax.eval_shape(function, jnp.ones(shape, dtype), *more)
            except Exception:
                continue
            yield from (leaf.dtype for leaf in jax.tree.leaves(made))


@pytest.mark.parametrize("function", functions(INEXACT_RESULTS))
def test_results_are_inexact_whatever_is_given(function: Any) -> None:
    found = [one for dtype in KINDS.values() for one in results(function, dtype)]
    assert found
    assert all(jnp.issubdtype(one, jnp.inexact) for one in found)


@pytest.mark.parametrize("function", functions(KEEPS_INEXACT))
def test_inexact_arguments_give_inexact_results(function: Any) -> None:
    found = [one for dtype in (jnp.float32, jnp.complex64) for one in results(function, dtype)]
    assert found
    assert all(jnp.issubdtype(one, jnp.inexact) for one in found)


def test_every_name_is_one_of_a_function() -> None:
    known = {name for home in MODULES for name in dir(import_module(home))}
    assert INEXACT_RESULTS <= known
    assert KEEPS_INEXACT <= known
