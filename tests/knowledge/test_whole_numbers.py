"""What the table of whole numbers says, JAX says as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jaxlint.knowledge.arrays.whole_numbers import WHOLE

jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = pytest.mark.jax


def calls() -> dict[str, tuple[Callable[[Any], Any], Any]]:
    """Calls of each function with an index, and an index that it takes."""
    x = jnp.ones(3)
    found: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "jax.numpy.bincount": (lambda i: jnp.bincount(i, length=3), [1, 2]),
        "jax.numpy.take": (lambda i: jnp.take(x, i), [1, 2]),
        "jax.numpy.take_along_axis": (lambda i: jnp.take_along_axis(x, i, 0), [1, 2]),
        "jax.lax.dynamic_index_in_dim": (lambda i: jax.lax.dynamic_index_in_dim(x, i), 1),
        "jax.lax.dynamic_slice_in_dim": (lambda i: jax.lax.dynamic_slice_in_dim(x, i, 1), 1),
        "jax.lax.switch": (lambda i: jax.lax.switch(i, [lambda: x, lambda: -x]), 1),
    }
    for name in WHOLE:
        if name.startswith("jax.ops"):
            function = getattr(jax.ops, name.rpartition(".")[2])
            found[name] = (lambda i, function=function: function(x, i, 3), [0, 1, 2])
    return found


@pytest.mark.parametrize("name", [name for name in WHOLE if name.startswith("jax.")])
def test_only_whole_numbers_are_taken(name: str) -> None:
    call, index = calls()[name]

    def value(given: Any) -> Any:
        return jnp.sum(call(given))

    value(jnp.asarray(index))
    with pytest.raises((TypeError, ValueError)):
        jax.grad(value)(jnp.asarray(index, jnp.float32))


def test_labels_of_optax_are_whole_numbers() -> None:
    optax = pytest.importorskip("optax")
    logits = jnp.ones((2, 3))
    optax.softmax_cross_entropy_with_integer_labels(logits, jnp.array([0, 1]))
    with pytest.raises((TypeError, ValueError, AssertionError)):
        optax.softmax_cross_entropy_with_integer_labels(logits, jnp.array([0.0, 1.0]))
