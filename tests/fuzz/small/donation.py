"""Modules that donate buffers and may use them afterwards."""

from __future__ import annotations

import contextlib
import random
import re
import warnings
from collections.abc import Iterator

from small import stepwise
from small.truth import Family, Specimen, Truth, assemble

KIND = "donated buffer"
FAMILY = Family("donation", {}, {KIND: "no rule yet"})
_HEADER = """\
import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, donate_argnums=0)
def step(state, rate):
    return state * rate


@functools.partial(jax.jit, donate_argnames=("state",))
def relax(rate, state):
    return state - rate * state


@functools.partial(jax.jit, donate_argnums=(0, 1))
def swap(left, right):
    return right + 1.0, left * 2.0


@functools.partial(jax.jit, donate_argnums=0)
def move(body):
    return {"place": body["place"] + body["speed"], "speed": body["speed"]}


@jax.jit
def pure(state, rate):
    return state * rate


descend = jax.jit(lambda state: state * 0.5, donate_argnums=(0,))


class Trainer:
    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def train(self, state):
        return state + 1.0


def advance(state):
    return step(state, 0.5)


trainer = Trainer()
""".splitlines()
# `{a}` is the array in question, `{r}` a new name.
_DONATIONS = (
    "{r} = step({a}, 0.5)",
    "{a} = step({a}, 0.5)",
    "{r} = relax(0.5, state={a})",
    "{r} = relax(0.5, {a})",
    "{r} = descend({a})",
    "{a} = descend({a})",
    "{r} = trainer.train({a})",
    "{r} = advance({a})",
    "{a} = advance({a})",
    "{r}, {a} = swap({a}, jnp.ones(3))",
    "{r} = swap({a}, jnp.ones(3))",
    "{r} = move({{'place': {a}, 'speed': jnp.ones(3)}})",
    "{r} = step({a} + 0.0, 0.5)",
    "{r} = step(jnp.copy({a}), 0.5)",
    "{r} = step(np.asarray({a}), 0.5)",
    "{r} = pure({a}, 0.5)",
    "{r} = {a}\n{a} = step({a}, 0.5)",
    "for turn in range(2):\n    {r} = step({a}, 0.5)",
    "for turn in range(2):\n    {a} = step({a}, 0.5)",
    "if {a}.ndim == 1:\n    {r} = step({a}, 0.5)",
)
_USES = (
    "{r} = {a} + 1.0",
    "{r} = float({a}.sum())",
    "{r} = pure({a}, 2.0)",
    "{r} = {a}.shape",
    "{r} = {a}.dtype",
    "{r} = np.asarray({a})",
    "print({a}.shape)",
    "{r} = [{a}, 1]",
    "{r} = {a}\n{r} = {r} * 2",
    "{r} = jnp.zeros_like({a})",
    "{a} = jnp.ones(3)",
    "{r} = {a}[0]",
    "{r} = {a}.is_deleted()",
    "{r} = jax.tree.map(lambda leaf: leaf + 1, {{'a': {a}}})",
)


def generate(seed: int) -> Specimen:
    return write(random.Random(seed), seed)


def write(rng: random.Random, seed: int = 0) -> Specimen:
    lines: list[str] = []
    for at in range(rng.randint(1, 2)):
        name = ("weights", "buffer")[at]
        body: list[str] = [f"{name} = jnp.array([1.0, 2.0, 3.0])"]
        for n in range(rng.randint(2, 5)):
            templates = _DONATIONS if rng.random() < 0.5 else _USES
            body += rng.choice(templates).format(a=name, r=f"kept_{at}{n}").split("\n")
        if rng.random() < 0.3:
            lines += [f"def run_{at}():", *(f"    {line}" for line in body), ""]
            lines.append(f"run_{at}()")
        else:
            lines += body
    return assemble(seed, [*_HEADER, "", *lines])


@contextlib.contextmanager
def _checking() -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")  # Not every donated buffer can be reused.
        yield


def observe(specimen: Specimen) -> Truth:
    return stepwise.observe(specimen, KIND, _is_deleted, _checking)


def _is_deleted(error: Exception) -> bool:
    return bool(re.search("deleted|donated", str(error)))
