"""The survey against real JAX: which functions run while it traces, and who runs them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from jax._src import core

from jaxlint.base.surveys.call_graph import Survey, merged
from jaxlint.engine.queries.call_graph import surveyed
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

PROGRAMS = {
    "loops": """\
import jax
import jax.numpy as jnp
from jax import lax

def scale(x):
    return x * 2

def untraced(x):
    return x

@jax.jit
def step(x):
    def body(carry, row):
        return carry + scale(row), row
    carry, rows = lax.scan(body, x, jnp.ones((3, 2)))
    halved = lax.fori_loop(0, 3, lambda i, y: y / 2, carry)
    return lax.cond(x[0] > 0, scale, lambda y: y - 1, halved)

step(jnp.ones(2))
untraced(jnp.ones(2))
""",
    "derivatives": """\
import functools
import jax
import jax.numpy as jnp

class Model:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, w, x):
        return self.activate(w * x)

    def activate(self, y):
        return jnp.tanh(y) * self.rate

model = Model(0.1)

def loss(w, x):
    return jnp.mean(jax.vmap(functools.partial(model, w))(x))

def update(w, x):
    value, slope = jax.value_and_grad(loss)(w, x)
    return jax.tree.map(lambda a, b: a - b, w, slope), value

fast = jax.jit(update)
fast(jnp.float32(1.0), jnp.ones(4))
jax.grad(loss)(1.0, jnp.ones(4))
""",
    "nested": """\
import jax
import jax.numpy as jnp

def fast(given):
    return jax.jit(given)

@fast
def inner(x):
    return jnp.sin(x)

@jax.checkpoint
def block(x):
    return inner(x) + 1

@jax.custom_vjp
def clipped(x):
    return x

def forward(x):
    return clipped(x), x

def backward(saved, given):
    return (jnp.clip(given, -1, 1) + 0 * saved,)

clipped.defvjp(forward, backward)

TABLE = {"block": block, "clipped": clipped}

@jax.jit
def outer(x):
    for name in ("block", "clipped"):
        x = TABLE[name](x)
    return x.sum()

outer(jnp.ones(3))
jax.jit(jax.grad(outer))(jnp.ones(3))
""",
    "linen": """\
import flax.linen as nn
import jax
import jax.numpy as jnp

class Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.relu(nn.Dense(self.width)(x))

class Net(nn.Module):
    def setup(self):
        self.block = Block(3)

    def __call__(self, x):
        return self.norm(self.block(x))

    def norm(self, x):
        return x / jnp.linalg.norm(x)

net = Net()
variables = net.init(jax.random.key(0), jnp.ones((2, 4)))

@jax.jit
def step(variables, x):
    def loss(variables):
        return net.apply(variables, x).sum()
    slope = jax.grad(loss)(variables)
    return jax.tree.map(lambda a, b: a - b, variables, slope)

step(variables, jnp.ones((2, 4)))
""",
    "equinox": """\
import equinox as eqx
import jax
import jax.numpy as jnp

class Net(eqx.Module):
    weight: jax.Array
    act: object = eqx.field(static=True)

    def __call__(self, x):
        return self.act(self.weight * x)

    def penalty(self):
        return jnp.sum(self.weight ** 2)

def squash(x):
    return jnp.tanh(x)

def loss(net, x):
    return jnp.mean(jax.vmap(net)(x)) + net.penalty()

@eqx.filter_jit
def step(net, x):
    value, slope = eqx.filter_value_and_grad(loss)(net, x)
    return eqx.apply_updates(net, slope), value

step(Net(jnp.ones(2), squash), jnp.ones((3, 2)))
""",
    "nnx": """\
from flax import nnx
import jax
import jax.numpy as jnp
import optax

class Block(nnx.Module):
    def __init__(self, width, rngs):
        self.linear = nnx.Linear(width, width, rngs=rngs)
        self.scale = nnx.Param(jnp.ones(width))

    def __call__(self, x):
        return self.gate(self.linear(x))

    def gate(self, x):
        return nnx.relu(x) * self.scale[...]

def loss_fn(model, x):
    return model(x).mean()

@nnx.jit
def train_step(model, optimizer, x):
    value, slope = nnx.value_and_grad(loss_fn)(model, x)
    optimizer.update(model, slope)
    return value

model = Block(4, nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
train_step(model, optimizer, jnp.ones((2, 4)))
""",
    "haiku": """\
import haiku as hk
import jax
import jax.numpy as jnp
import optax

class Torso(hk.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def __call__(self, x):
        return jax.nn.relu(hk.Linear(self.width)(x))

def forward(x):
    return Torso(3)(x).sum()

net = hk.without_apply_rng(hk.transform(forward))
optimiser = optax.chain(optax.clip(1.0), optax.sgd(0.1))

def loss(params, x):
    return net.apply(params, x)

@jax.jit
def update(params, state, x):
    slope = jax.grad(loss)(params, x)
    updates, state = optimiser.update(slope, state)
    return optax.apply_updates(params, updates), state

x = jnp.ones((2, 4))
params = jax.jit(net.init)(jax.random.key(0), x)
update(params, optimiser.init(params), x)
""",
    "diffrax": """\
import diffrax
import jax
import jax.numpy as jnp

def drift(t, y, args):
    return -args * y + forcing(t)

def forcing(t):
    return jnp.sin(t)

@jax.jit
def solve(y0, rate):
    term = diffrax.ODETerm(drift)
    saved = diffrax.SaveAt(ts=jnp.linspace(0.0, 1.0, 3))
    solution = diffrax.diffeqsolve(
        term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y0, args=rate, saveat=saved
    )
    return solution.ys.sum()

solve(jnp.ones(2), 0.5)
""",
    "numpyro": """\
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

def mean_of(slope, x):
    return slope * x

def model(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    with numpyro.plate("data", x.shape[0]):
        numpyro.sample("y", dist.Normal(mean_of(slope, x), 1.0), obs=y)

x = jnp.arange(4.0)
MCMC(NUTS(model), num_warmup=2, num_samples=2, progress_bar=False).run(
    jax.random.key(0), x, y=x
)
""",
}
# The libraries of programs that need one.
NEEDS = {name: name for name in ("equinox", "haiku", "diffrax", "numpyro")}
NEEDS |= {"linen": "flax", "nnx": "flax"}


def on_jax(source: str, path: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """The functions of a program that run while JAX traces, and by which others they are run."""
    functions: set[str] = set()
    edges: set[tuple[str, str]] = set()
    traced: list[FrameType | None] = []

    def name(frame: FrameType) -> str:
        return frame.f_code.co_qualname.replace("<locals>.", "")

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_filename != str(path) or core.trace_state_clean():
            return
        functions.add(name(frame))
        traced.append(frame)
        around = frame.f_back
        while around is not None and around.f_code.co_filename != str(path):
            around = around.f_back
        if around in traced:
            assert around is not None
            edges.add((name(around), name(frame)))

    path.write_text(source)
    sys.setprofile(watch)
    try:
        runpy.run_path(str(path), run_name="program")
    finally:
        sys.setprofile(None)
    return functions, edges


def by_jaxlint(source: str) -> Survey:
    module = parse(source, "program.py")
    assert isinstance(module, ir.Module)
    return merged([surveyed(module)[0]])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code objects have no qualified name")
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_functions_are_those_that_run_while_jax_traces(program: str, tmp_path: Path) -> None:
    pytest.importorskip(NEEDS.get(program, "jax"))
    functions, edges = on_jax(PROGRAMS[program], tmp_path / "program.py")
    found = by_jaxlint(PROGRAMS[program])
    assert {one.name for one in found.functions} == functions
    # JAX traces what it has in its cache only once.
    assert edges <= {(edge.caller.name, edge.callee.name) for edge in found.edges}
    assert not found.unknown()
