"""How many axes the results of losses have is what optax makes of them."""

from __future__ import annotations

import inspect

import jax.numpy as jnp
import optax
import pytest

from jaxlint.engine.domain.ranks import made_rank
from jaxlint.engine.domain.values import Concrete
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.ranks import LOSSES_OF_ELEMENTS, LOSSES_OF_ROWS
from jaxlint.syntax import ir


@pytest.mark.parametrize("name", sorted(LOSSES_OF_ELEMENTS | LOSSES_OF_ROWS))
def test_a_loss_has_the_axes_that_optax_gives_it(name: str) -> None:
    scores = jnp.ones((2, 3))
    rows = name.endswith("integer_labels")
    targets = jnp.zeros(2, jnp.int32) if rows else scores
    spec = lookup.function(f"optax.{name}")
    assert spec is not None
    bound = {
        spec.params[0]: (Concrete("float", 2), ir.Const(0, None)),
        spec.params[1]: (Concrete("", targets.ndim), ir.Const(0, None)),
    }
    assert getattr(optax, name)(scores, targets).ndim == made_rank(name, spec, bound)


@pytest.mark.parametrize("name", sorted(LOSSES_OF_ELEMENTS | LOSSES_OF_ROWS))
def test_its_parameters_are_those_of_optax(name: str) -> None:
    spec = lookup.function(f"optax.{name}")
    assert spec is not None
    assert [*inspect.signature(getattr(optax, name)).parameters] == [*spec.params]
