"""Programs that count, size and compute with numbers at the limits of what a machine can do."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
import random
from functools import cache

from vocabulary import names

from jaxlint.knowledge import lookup

SIZE = 12
HEADER = """
import itertools, math, numpy, operator, sys, jax
import jax.numpy as jnp
"""
# The value of `N` in a program.
LARGE = ("10**30", "10**400", "2**2000", "9" * 4000, "1 << 40", "sys.maxsize", "2**63", "-(10**18)")
NUMBERS = (
    *(
        "N",
        "-N",
        "N * N",
        "N**N",
        "1 << N",
        "10**10**10",
        "10**30",
        "10**400",
        "-(10**5)",
        "9" * 320,
    ),
    *(
        "1 << 63",
        "1 << 64",
        "(1 << 70) - 1",
        "2**31",
        "0",
        "-1",
        "True",
        "1e300",
        "5e-324",
        "1e400",
    ),
    *("1e308 * 10", "float('inf')", "float('nan')", "-0.0", "1j * 1e300", "x", "x.shape[0]"),
    *("(N, N)", "[N, -N, N * N]", "(N, 0, 1e300)", "'9' * 50", "b'a' * N", "range(N)"),
)
# What is done with a call `{0}` and two numbers.
STATEMENTS = (
    "y = {0}",
    "y = {0}[{1}]",
    "y = {0}.at[{1}].set({2})",
    "y = {0} + {1}, {1} * {0}, {0} ** {1} // {2} % {0}",
    "y = 1 / {1}, 1 // {1}, {0} % {2}, divmod({0}, {1}), pow({1}, {2}), {1} ** {2}",
    "y = {0} << {1}, {1} << {2}, {1} >> {2}, {0} & {1}, ~{1}",
    "y = {0} < {1} < {2} or {1} == {2}",
    "y = x[{1}:{2}, {1}], x[{1}], x.reshape({1}, {2}), x.sum({1}), x.astype({2})",
    'y = f"{{{0}:{{{1}}}}} {{{1}}} {{{2}!r:>{{{1}}}}}"',
    "y = '%s %d %.5f' % ({0}, {1}, {2}), '{{:{{}}}}'.format({1}, {2})",
    "y = str({1}), int({2}), hex({1}), float({2}), round({1}, {2}), bytes({1})",
    "y = [{0}] * {1} + [{2}], ({1},) * {2}, 'ab' * {1}",
    "y = [] * {1}, () * {1}, {1} * [], '' * {1}, b'' * {2}, [*()] * {2}, [x, x] * {1}",
    "y = tuple(itertools.combinations([x, x], {1})), itertools.permutations(x, {2})",
    "y = tuple(itertools.batched([x, x], {1})), itertools.tee(x, {1}), itertools.tee([x], {2})",
    "y = {{ {1}: {2} }}[{1}], [{1}, {2}][{1}], (1, 2)[{1}:{2}]",
    "y = range({1}, {2})[{1}], len(range({1})), list(range({1}, {2}))",
    "y = [e for e in range({1}) for _ in range({2})]",
    "y = jnp.zeros({1})[{2}], jnp.arange({1}, {2})[{1}], jnp.eye({1}), jnp.linspace(0, 1, {2})",
    "y = jnp.zeros(({1}, {2})).at[{1}].add(1), numpy.zeros({1}), numpy.random.rand({1}, {2})",
    "y = jax.random.split({1}, {2}), jax.random.normal(x, ({1}, {2}))",
    "y = jax.lax.scan(f, {0}, {1}, length={2}), jax.lax.scan(f, x, jnp.arange({1}))",
    "y = jax.lax.fori_loop({1}, {2}, lambda i, c: c + i, {0})",
    "y = jax.lax.cond({1}, f, f, {0}), jax.lax.switch({1}, [f], {2})",
    "y = jax.jit(f, static_argnums={1})(f, {2}), jax.vmap(f, in_axes={1})({2})",
    "y = jax.tree.map(lambda a: a * {0}, [{1}, {2}])",
    "y = tuple(itertools.islice([x, x], {1}, {2})), itertools.repeat({1}, {2})",
    "y = tuple(itertools.product(range({1}), repeat={2})), itertools.product(x, repeat={1})",
    "y = sum([{1}, {2}]), max({1}, {2})",
    "for i in {0}: x = x + i",
    "for i in range({1}, {2}): x = x + {1}",
    "for i, j in itertools.product(range({1}), range({2})): x = x + i",
    "i = {1}\n    while i < {2}: i += {1}",
    "i = {1}\n    while i < {2}: i += 1",
)
BEGINNINGS = (
    "@jax.jit\ndef f{0}(x, f=jnp.sin):\n",
    "def f{0}(x, f=jnp.sin):\n",
    "@jax.grad\ndef f{0}(x, f=jnp.sin):\n",
    "@jax.vmap\ndef f{0}(x, f=jnp.sin):\n",
)


@cache
def functions() -> tuple[str, ...]:
    """Functions that take numbers."""
    found = [
        name
        for library in ("jax", "numpy")
        for name in names()[library]
        if lookup.function(name) is not None
    ]
    for module in (builtins, itertools, math, operator):
        prefix = "" if module is builtins else f"{module.__name__}."
        public = [
            name for name in dir(module) if name[0].islower() and name not in ("exit", "quit")
        ]
        found += [prefix + name for name in public]
    return tuple(found)


def program(seed: int) -> tuple[str, tuple[str, ...]]:
    """A program that calls a few functions with such numbers, and the functions.

    Neighbouring seeds take neighbouring functions.
    """
    rng = random.Random(f"numerals {seed}")
    begin = seed * SIZE % len(functions())
    chosen = functions()[begin : begin + SIZE]
    parts = [HEADER, f"N = {rng.choice(LARGE)}\n"]
    for index, name in enumerate(chosen):
        parts.append(rng.choice(BEGINNINGS).format(index))
        for _ in range(4):
            made = _call(rng, name)
            numbers = (rng.choice(NUMBERS), rng.choice(NUMBERS))
            parts.append(f"    {rng.choice(STATEMENTS).format(made, *numbers)}\n")
        parts.append(f"    return y\nf{index}({rng.choice(NUMBERS)})\n")
    return "".join(parts), chosen


def _call(rng: random.Random, name: str) -> str:
    """A call with numbers for some arguments."""
    spec = lookup.function(name)
    params = [one for one in spec.params if one.isidentifier()] if spec is not None else []
    given = [rng.choice(NUMBERS) for _ in range(rng.randint(1, 4))]
    for param in rng.sample(params, min(len(params), rng.randint(0, 2))):
        given.append(f"{param}={rng.choice(NUMBERS)}")
    return f"{name}({', '.join(given)})"
