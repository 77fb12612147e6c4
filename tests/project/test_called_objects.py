"""Objects that are called in a trace, and whose class has another name than they go by: what else
is asked of them, or the names of what they are given, tells which it is."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN, findings

from jaxlint.base.finding import Severity

SAMPLERS = """\
import jax


class Langevin:
    def __init__(self, energy, step=0.1):
        self.energy = energy
        self.step = step
        self.count = 0

    def __call__(self, key, state):
        self.count += 1
        return state - self.step * jax.grad(self.energy)(state)


class Still:
    def __call__(self, key, state):
        return state


class Report:
    def __call__(self, step, values):
        self.last = values
"""
HEAD = "from functools import partial\nimport jax\nfrom lib import parts\n\n\n"
STATIC = "@partial(jax.jit, static_argnums=0)\ndef advance(kernel, key, state):\n"
FIELD = (
    "class Chain:\n"
    "    def __init__(self, kernel):\n        self.kernel = kernel\n\n"
    "    @partial(jax.jit, static_argnums=0)\n"
    "    def run(self, key, state):\n        return self.kernel(key, state)\n"
)
CALLED = {
    "static": STATIC + "    return kernel(key, state)\n",
    "in a body": (
        "@partial(jax.jit, static_argnums=0)\ndef run(kernel, state, keys):\n"
        "    def body(state, key):\n"
        "        return kernel(key, state), None\n\n"
        "    return jax.lax.scan(body, state, keys)\n"
    ),
    "by a field": FIELD,
    "read off another object": FIELD.replace("= kernel\n", "= kernel.inner\n"),
    "by what else is read of it": (
        STATIC + "    return kernel(key, state) * kernel.energy(kernel.step)\n"
    ),
}
SILENT = {
    "a method that runs a module": FIELD.replace("= kernel\n", "= kernel.apply\n"),
    "such a method by a name": (
        STATIC + "    kernel = kernel.apply\n    return kernel(key, state)\n"
    ),
    "other names": STATIC + "    return kernel(state, key)\n",
    "more arguments": STATIC + "    return kernel(key, state, 1)\n",
    "an attribute that none has": STATIC + "    return kernel(key, state) * kernel.width\n",
    "host code": "def advance(kernel, key, state):\n    return kernel(key, state)\n",
}
ALONE = """\
class Flux:
    def __init__(self, speed):
        self.speed, self.count = speed, 0

    def __call__(self, u):
        self.count += 1
        return self.speed * u
"""
SEVERAL = ALONE + "\n\nclass Other:\n    def __call__(self, u):\n        return u\n"
STEP = (
    "def step(rhs, u, dt):\n    return u + dt * rhs(u)\n\n\n"
    "advance = jax.jit(step, static_argnums=0)\n"
)
TUNED = (
    "def tuned(kernel, key, state, rounds):\n"
    "    run = jax.jit(lambda key, state: kernel(key, state))\n"
    "    for at in range(rounds):\n"
    "        state = run(key, state)\n"
    "        kernel.step = 0.9 / (at + 1)\n"
    "    return state\n"
)


def found(parts: str, use: str) -> list[tuple[str, int, Severity]]:
    return findings(parts, HEAD + use, RUN, PARTS)


@pytest.mark.parametrize("how", CALLED)
def test_what_it_is_given_tells_by_its_names(how: str) -> None:
    assert found(SAMPLERS, CALLED[how]) == [(PARTS, 11, Severity.WARNING)]


@pytest.mark.parametrize("what", SILENT)
def test_other_calls_do_not(what: str) -> None:
    assert found(SAMPLERS, SILENT[what]) == []


def test_one_name_tells_of_one_class_alone() -> None:
    assert found(ALONE, STEP) == [(PARTS, 6, Severity.WARNING)]
    assert found(SEVERAL, STEP) == []
    assert found(ALONE, STEP.replace("rhs(u)", "rhs(dt)")) == []


@pytest.mark.parametrize("maker", ["partial(kernel, key)", "jax.jit(partial(kernel, key))"])
def test_what_is_made_of_an_object_uses_it(maker: str) -> None:
    read = (PARTS, 12, Severity.WARNING)
    made = TUNED.replace("jax.jit(lambda key, state: kernel(key, state))", maker)
    called = CALLED["static"] + "\n\n" + made.replace("run(key, state)", "kernel(key, run(state))")
    assert read in found(SAMPLERS, called)
    before = called.replace("    for", "    kernel.step = 0.5\n    for")
    before = before.replace("        kernel.step = 0.9 / (at + 1)\n", "")
    assert read not in found(SAMPLERS, before.replace(f"    run = {maker}\n", ""))
