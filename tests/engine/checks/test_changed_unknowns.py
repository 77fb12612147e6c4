"""An object that is compiled itself, and whose attributes host code changes between the calls."""

from __future__ import annotations

import pytest

from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

PROGRAM = """
import jax
import jax.numpy as jnp


def make_energy():
    options = {"scale": 1.0}

    def energy(x):
        return options["scale"] * jnp.sum(x)

    energy.options = options
    return energy


def tuned(energy, x, values):
    compiled = jax.jit(energy)
    found = []
    for value in values:
        energy.options["scale"] = value
        found.append(compiled(x))
    return jnp.stack(found)


def counted(energy, x, count):
    compiled = jax.jit(energy)
    total = 0.0
    for _ in range(count):
        total += compiled(x)
        energy.calls += 1
    return total


def made_anew(energy, x, values):
    found = []
    for value in values:
        energy.options["scale"] = value
        found.append(jax.jit(energy)(x))
    return jnp.stack(found)
"""


def test_a_change_between_calls_is_found() -> None:
    found = lint(PROGRAM, "energy.py", builtin_rules().values())
    assert [one.line for one in found if one.code == "JAX206"] == [17]


@pytest.mark.jax
def test_real_jax_misses_the_change() -> None:
    names: dict[str, object] = {}
    exec(PROGRAM, names)
    found = eval("tuned(make_energy(), jnp.ones(1), (1.0, 2.0)).tolist()", names)
    assert found == [1.0, 1.0]
