"""Modules that use random keys, once or again, judged by JAX's own check."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import jax

from small import stepwise
from small.truth import Family, Specimen, Truth, assemble

KIND = "reused key"
FAMILY = Family("keys", {}, {KIND: "no rule yet"})
_HEADER = """\
import functools

import jax
import jax.numpy as jnp
from jax import lax, random


def noise(key):
    return random.normal(key, (3,))


def pair(key):
    left, right = random.split(key)
    return noise(left) + noise(right)


@jax.jit
def jitter(key, x):
    return x + random.uniform(key, x.shape)


@jax.jit
def twice(key):
    return random.normal(key) * random.uniform(key)


@functools.partial(jax.jit, static_argnames="count")
def many(key, count):
    return [random.normal(each) for each in random.split(key, count)]


def walk(carry, _):
    key, level = carry
    key, now = random.split(key)
    return (key, level + random.normal(now)), level


x = jnp.ones(3)
""".splitlines()
_USES = (
    "{r} = random.normal({k}, (2,))",
    "{r} = random.uniform({k})",
    "{r} = random.bernoulli({k}, 0.5, (4,))",
    "{r} = random.permutation({k}, 4)",
    "{r} = random.randint({k}, (2,), 0, 9)",
    "{r} = random.categorical({k}, jnp.zeros(3))",
    "{r} = random.choice({k}, x)",
    "{r} = noise({k})",
    "{r} = pair({k})",
    "{r} = jitter({k}, x)",
    "{r} = twice({k})",
    "{r} = many({k}, 2)",
    "{r} = random.split({k}, 2)",
    "{r} = random.fold_in({k}, 3)",
    "{r} = jax.vmap(noise)(random.split({k}, 2))",
    "{r} = lax.scan(walk, ({k}, 0.0), None, length=2)[1]",
    "{r} = random.key_data({k})",
    "{r} = {k}.shape",
    "{r} = lax.map(noise, random.split({k}, 3))",
    "{r} = (lambda key: random.gumbel(key))({k})",
    "{r} = [random.normal(each) for each in random.split({k})]",
)
_RENEWALS = (
    "{k} = random.fold_in({k}, 7)",
    "{k}, sub_{n} = random.split({k})\n{r} = random.normal(sub_{n})",
    "{k}, *rest_{n} = random.split({k}, 3)\n{r} = random.normal(rest_{n}[0])",
    "{k} = random.clone({k})",
    "{k} = random.key({n})",
    "keys_{n} = random.split({k}, 3)\n{r} = random.normal(keys_{n}[0])\n{k} = keys_{n}[1]",
    "kept_{n} = {{'key': {k}}}\n{k} = kept_{n}['key']",
    "alias_{n} = {k}\n{k} = alias_{n}",
    "{k} = jax.jit(lambda key: key)({k})",
)


def generate(seed: int) -> Specimen:
    return write(random.Random(seed), seed)


def write(rng: random.Random, seed: int = 0) -> Specimen:
    """Uses of one or two keys in the module, in a loop or in a function."""
    lines: list[str] = []
    for at in range(rng.randint(1, 2)):
        key = ("key", "seed_key")[at]
        steps = _steps(rng, key, at)
        match rng.choice(("module", "module", "loop", "function", "jitted", "branch")):
            case "module":
                lines += [f"{key} = random.key({at})", *steps]
            case "loop":
                lines += [f"{key} = random.key({at})", "for turn in range(2):", *_indented(steps)]
            case "branch":
                lines += [f"{key} = random.key({at})", "if x.ndim == 1:", *_indented(steps)]
                lines += ["else:", *_indented(_steps(rng, key, at))]
            case where:
                decorator = ["@jax.jit"] if where == "jitted" else []
                body = [*steps, f"return {key}"]
                lines += [*decorator, f"def run_{at}({key}):", *_indented(body), ""]
                lines.append(f"done_{at} = run_{at}(random.key({at}))")
    return assemble(seed, [*_HEADER, "", *lines])


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _steps(rng: random.Random, key: str, at: int) -> list[str]:
    lines: list[str] = []
    for n in range(rng.randint(2, 4)):
        templates = _USES if rng.random() < 0.55 else _RENEWALS
        text = rng.choice(templates).format(k=key, r=f"drawn_{at}{n}", n=f"{at + 1}{n}")
        lines += text.split("\n")
    return lines


@contextmanager
def _checking() -> Iterator[None]:
    with jax.enable_custom_prng(True), jax.debug_key_reuse(True):
        yield


def observe(specimen: Specimen) -> Truth:
    return stepwise.observe(specimen, KIND, _is_reuse, _checking)


def _is_reuse(error: Exception) -> bool:
    return type(error).__name__ == "KeyReuseError"
