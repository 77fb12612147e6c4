"""Modules of Equinox and of nnx that code calls in a trace, and that nothing in sight makes.

The file that calls them imports, for other things, the one that has their classes.
"""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN, findings

from jaxlint.base.finding import Severity

MODULES = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Layer(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return jnp.tanh(self.weight * x)


class Gate(eqx.Module):
    layer: Layer
    bound: float = eqx.field(static=True, default=1.0)

    def __call__(self, x):
        if jnp.std(x) > self.bound:
            return self.layer(x)
        return x


def make(weight):
    return Gate(Layer(weight))


class Soft(eqx.Module):
    rate: jax.Array

    def __call__(self, value):
        return self.rate * value
"""
OF_NNX = """\
import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


class Gate(nnx.Module):
    def __init__(self, rngs):
        self.layer = Layer(rngs)
        self.bound = 1.0

    def __call__(self, x):
        if jnp.std(x) > self.bound:
            return self.layer(x)
        return x
"""
HEAD = "import equinox as eqx\nimport jax\nfrom flax import nnx\nfrom lib import parts\n\n\n"
USES = {
    "called": "@eqx.filter_jit\ndef run(model, x):\n    return model(x)\n",
    "mapped": "@eqx.filter_jit\ndef run(model, x):\n    return jax.vmap(model)(x)\n",
    "in a loss": (
        "def loss(model, x):\n    return model(x).sum()\n\n\n"
        "@eqx.filter_jit\ndef step(model, x):\n    return eqx.filter_grad(loss)(model, x)\n"
    ),
    "in a lambda": (
        "@eqx.filter_jit\ndef run(model, x):\n    return jax.vmap(lambda one: model(one))(x)\n"
    ),
    "an argument of `jax.jit`": "@jax.jit\ndef run(model, x):\n    return model(x)\n",
    "of another object": (
        "@eqx.filter_jit\ndef run(state, x):\n"
        "    return state.model(x) + jax.vmap(state.model)(x)\n"
    ),
}
IN_NNX = {
    "called": "@nnx.jit\ndef run(model, x):\n    return model(x)\n",
    "in a loss": (
        "def loss(model, x):\n    return model(x).sum()\n\n\n"
        "@nnx.jit\ndef step(model, x):\n    return nnx.value_and_grad(loss)(model, x)\n"
    ),
}
SILENT = {
    "other arguments": "@eqx.filter_jit\ndef run(model, x):\n    return model(x, x)\n",
    "an option that it does not take": "@jax.jit\ndef run(model, x):\n    return model(x, key=x)\n",
    "host code": "def run(model, x):\n    return model(x)\n",
}


def found(parts: str, use: str) -> list[tuple[str, int, Severity]]:
    return findings(parts, HEAD + use, RUN, PARTS)


@pytest.mark.parametrize("how", USES)
def test_a_module_that_can_be_called_so_is_meant(how: str) -> None:
    assert found(MODULES, USES[how]) == [(PARTS, 18, Severity.WARNING)]


@pytest.mark.parametrize("how", IN_NNX)
def test_so_is_one_of_nnx(how: str) -> None:
    assert found(OF_NNX, IN_NNX[how]) == [(PARTS, 19, Severity.WARNING)]


@pytest.mark.parametrize("what", SILENT)
def test_others_are_not(what: str) -> None:
    assert found(MODULES, SILENT[what]) == []
