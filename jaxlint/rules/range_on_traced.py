"""
Counts in Python up to a traced number.

`range(n)`, `itertools.repeat(x, n)` and a repeated list need `n` as a Python integer, because
tracing runs through the loop and writes down every turn. A traced number is not known yet:
`jax.errors.TracerIntegerConversionError` (a float or an array: `TypeError`, as for repetition of a
list). Loop in the program with `lax.fori_loop` or `lax.scan`, or make the number static and
compile once for each. Source: `jax.errors.TracerIntegerConversionError` in the JAX documentation.

## Example

```py
@jax.jit
def diffuse(heat, steps):
    for _ in range(steps):  # error
        heat = 0.5 * heat + 0.25 * (jnp.roll(heat, 1) + jnp.roll(heat, -1))
    return heat

diffuse(jnp.array([0.0, 4.0, 0.0, 0.0]), 3)
```

## Use instead

```py fixed
@jax.jit
def diffuse(heat, steps):
    def step(_, heat):
        return 0.5 * heat + 0.25 * (jnp.roll(heat, 1) + jnp.roll(heat, -1))

    return lax.fori_loop(0, steps, step, heat)

diffuse(jnp.array([0.0, 4.0, 0.0, 0.0]), 3)
```

## A repeated list

```py
@jax.jit
def schedule(rate, warmup):
    return jnp.array([0.0] * warmup + [rate])  # error

schedule(0.1, 2)
```

```py fixed
@partial(jax.jit, static_argnames="warmup")
def schedule(rate, warmup):
    return jnp.array([0.0] * warmup + [rate])

schedule(0.1, 2)
```

## Fine as it is

Lengths and shapes are Python integers, and so is a loop variable that runs over them.

```py
@jax.jit
def horner(coefficients, x):
    result = jnp.zeros_like(x)
    for i in range(len(coefficients)):
        result = result * x + coefficients[i]
        for _ in range(i // 2):
            result = result / 2
    return result

horner(jnp.arange(4.0), 2.0)
```

A default that is not passed is not traced.

```py
@jax.jit
def refine(x, rounds=2):
    for _ in range(rounds):
        x = 0.5 * (x + 2.0 / x)
    return x

refine(1.0)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX309",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TracerIntegerConversionError", "TypeError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "count":
        return
    asks = f"`{fact.callee}`" if fact.dotted else fact.callee or "repetition"
    message = f"{asks} needs a concrete integer, but {fact.why()}"
    loop = "`lax.fori_loop` or `lax.scan`"
    advice = f"use {loop}" if fact.dotted == "builtins.range" else f"use {loop} to repeat work"
    root = fact.trail.root() if fact.trail else None
    if root and root.name and root.entry.application.is_plain_jit:
        advice += f", or mark `{root.name}` static with `static_argnames`"
    yield rule.finding(fact, message, help=advice)
