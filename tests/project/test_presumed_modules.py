"""Modules of Flax that traced code is given: the methods that they have from the library call what
the classes of the project define."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN, findings

from jaxlint.base.finding import Severity

NETWORK = """\
import flax.linen as nn


class Layer(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(x)


class Network(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, train=False):
        x = Layer(self.width)(x)
        if train:
            x = 2 * x
        if x.sum() > 0:
            return x
        return -x
"""
STEP = """\
import jax


def compiled(model):
    @jax.jit
    def loss(params, x):
        return model.apply(params, x, train=True, rngs={"dropout": jax.random.key(0)}).sum()

    return loss
"""
REGISTERED = """\
import flax.linen as nn

LAYERS = {}


def add(cls):
    LAYERS[cls.__name__] = cls
    return cls


@add
class Layer(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


@add
class Sign(nn.Module):
    def __call__(self, y):
        return y


class Network(nn.Module):
    layer: str

    @nn.compact
    def __call__(self, x, train=False):
        x = LAYERS[self.layer]()(x)
        if x.sum() > 0:
            return x
        return -x


def build(layer):
    return Network(layer)
"""
OTHERS = {
    "other arguments": NETWORK.replace("x, train=False", "x, y, train=False"),
    "an option that it does not take": NETWORK.replace("train", "training"),
    "several that take others": NETWORK + "\n\nclass Critic(nn.Module):\n"
    "    def __call__(self, state, train=False):\n        return state\n",
    "a module of another library": NETWORK.replace("flax.linen as nn", "equinox as nn"),
}


@pytest.mark.parametrize(("parts", "line"), [(NETWORK, 20), (REGISTERED, 30)])
def test_the_outermost_module_is_followed(parts: str, line: int) -> None:
    warned = [(PARTS, line, Severity.WARNING)]
    assert findings(parts, STEP, RUN, PARTS) == warned
    assert findings(parts, STEP, PARTS) == warned


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_not(name: str) -> None:
    assert findings(OTHERS[name], STEP, RUN, PARTS) == []
