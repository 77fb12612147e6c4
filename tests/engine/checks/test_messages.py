"""What findings say of the code: the names and the advice in them."""

from __future__ import annotations

import pytest

from jaxlint.session.session import Session, load_registry
from jaxlint.settings import Selection, Settings

pytestmark = pytest.mark.usefixtures("empty_directory")

PRELUDE = """\
import jax
import jax.numpy as jnp
import flax.linen as nn
from functools import partial
"""
CASES = {
    "the key of a closure": (
        """
def train(key):
    noise = jax.random.normal(key, (3,))
    step = jax.jit(lambda v: v + jax.random.normal(key, (3,)))
    return step(1.0) + noise
""",
        "JAX801",
        "`key` was already consumed at line 7",
        "",
    ),
    "the key of a closure in a closure": (
        """
def train(key):
    def draw():
        return jax.random.normal(key, (3,))

    def twice():
        return draw()

    return jax.random.uniform(key) + twice()
""",
        "JAX801",
        "`key` was already consumed at line 13",
        "",
    ),
    "a function that is called again with the same key": (
        """
def draw(key, scale):
    return scale * jax.random.normal(key, (3,))

def both(key):
    return draw(key, 1.0), draw(key, 2.0)
""",
        "JAX801",
        "`key` may already have been consumed",
        "`draw` may be meant to draw the same numbers for other arguments",
    ),
    "a list of strings": (
        """
@jax.jit
def g(x, labels):
    return x * len(labels)

g(1.0, ["a", "b"])
""",
        "JAX607",
        "a list with a string",
        "pass a tuple: a list is not hashable",
    ),
    "a string": (
        """
@jax.jit
def g(x, label):
    return x

g(1.0, "a")
""",
        "JAX607",
        "is a string",
        "mark the parameter static with `static_argnames`",
    ),
    "the end of a range": (
        """
@jax.jit
def g(n):
    return jnp.arange(n)
""",
        "JAX408",
        "needs a static `stop`",
        "",
    ),
    "the transform that traces a mode": (
        """
class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        if train:
            x = x * 2
        return nn.Dense(3)(x)

net = Net()

@jax.jit
def step(params, x, train):
    def loss(params):
        return net.apply(params, x, train).sum()

    return jax.grad(loss)(params)
""",
        "JAX955",
        "it is a parameter of `step`, jitted at line 16",
        "",
    ),
    "a function that partial(jax.jit) decorates": (
        """
def train(x):
    @partial(jax.jit, static_argnums=1)
    def chunk(x, n):
        return x * n

    return chunk(x, 3)

for x in range(3):
    train(x)
""",
        "JAX502",
        "`chunk` is defined and compiled again on every call of `train`",
        "define `chunk` once",
    ),
    "an iterator that is scanned": (
        """
jax.lax.scan(lambda total, x: (total + x, x), 0.0, iter([1.0, 2.0]))
""",
        "JAX607",
        "is an iterator",
        "stack what it gives",
    ),
}


@pytest.mark.parametrize("source, code, message, more", CASES.values(), ids=CASES.keys())
def test_a_finding_names_what_is_meant(source: str, code: str, message: str, more: str) -> None:
    settings = Settings((Selection(extend_select=(code,)),))
    session = Session(settings, registry=load_registry())
    report = session.check_source(PRELUDE + source, "example.py")
    (finding,) = (one for one in report.findings if one.code == code)
    assert message in finding.message
    reasons = " ".join(str(one) for one in (finding.help, finding.doubt))
    assert more in reasons
