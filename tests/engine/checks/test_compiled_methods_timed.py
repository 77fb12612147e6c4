"""Clocks around calls of methods that are compiled in all classes that an object may be of."""

from __future__ import annotations

from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

PROGRAM = """
import functools
import time

import jax


class Integrator:
    @functools.partial(jax.jit, static_argnums=(0, 2))
    def advance(self, state, count):
        return jax.lax.fori_loop(0, count, lambda _, state: state * 2, state)


class Plain:
    def walk(self, state, count):
        return state


def speed(integrator, state, count):
    integrator.advance(state, count)
    start = time.monotonic()
    state = integrator.advance(state, count)
    return count / (time.monotonic() - start)  # found


def looped(integrator, state, count):
    start = time.perf_counter()
    for _ in range(count):
        state = integrator.advance(state, count)
    end = time.perf_counter()  # found
    return end - start


def waited(integrator, state, count):
    start = time.monotonic()
    state = jax.block_until_ready(integrator.advance(state, count))
    return time.monotonic() - start


def converted(integrator, state, count):
    start = time.monotonic()
    total = float(integrator.advance(state, count))
    return total / (time.monotonic() - start)


def unknown(plain, state, count):
    start = time.monotonic()
    state = plain.walk(state, count)
    return state / (time.monotonic() - start)
"""


def test_methods_that_are_compiled_are_not_waited_for() -> None:
    found = lint(PROGRAM, "speed.py", builtin_rules().values())
    marked = [at for at, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# found")]
    assert [one.line for one in found if one.code == "JAX705"] == marked
