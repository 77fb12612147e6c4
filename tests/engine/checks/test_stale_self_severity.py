"""Changes of attributes by what sets objects up are no certain misses."""

from __future__ import annotations

import pytest

from jaxlint.base.finding import Severity
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

PROGRAM = """
from functools import partial

import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, noise):
        self.noise = noise

    def {name}(self, x):
        self.noise = self.noise * jnp.ones(x.shape)
        return x

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x * self.noise


model = Filter(0.1)
model.predict(jnp.ones(2))
model.{name}(jnp.ones(2))
model.predict(jnp.ones(2))
"""


@pytest.mark.parametrize(
    "name, severity", [("rescale", Severity.ERROR), ("init_state", Severity.WARNING)]
)
def test_a_change_between_two_calls_is_certain_but_where_it_sets_up(
    name: str, severity: Severity
) -> None:
    found = lint(PROGRAM.format(name=name), "filter.py", builtin_rules().values())
    assert [severity] == [one.severity for one in found if one.code == "JAX207"]
