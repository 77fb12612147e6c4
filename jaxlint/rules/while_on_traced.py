"""
Repeats a Python `while` loop for as long as a traced value says so.

Python evaluates the condition before each turn and needs a `bool`, but while JAX traces, a
condition computed from a traced array has none: `jax.errors.TracerBoolConversionError`, on the
first turn or on the first turn after the loop body has put a traced value into the condition. The
number of turns would have to be known before the program runs; `lax.while_loop` leaves it to the
program. Source: "Control flow and logical operators with JIT" in the JAX documentation.

## Example

```py
@jax.jit
def cube_root(a):
    guess = a
    while jnp.abs(guess**3 - a) > 1e-3:  # error
        guess = guess - (guess**3 - a) / (3 * guess**2)
    return guess

cube_root(27.0)
```

## Use instead

```py fixed
@jax.jit
def cube_root(a):
    def is_far(guess):
        return jnp.abs(guess**3 - a) > 1e-3

    def improve(guess):
        return guess - (guess**3 - a) / (3 * guess**2)

    return lax.while_loop(is_far, improve, a)

cube_root(27.0)
```

## A static counter against a traced limit

The comparison is traced as soon as one side is.

```py
@jax.jit
def power(x, exponent):
    result, done = 1.0, 0
    while done < exponent:  # error
        result = result * x
        done += 1
    return result

power(2.0, 5)
```

## Fine as it is

A counter that runs up to a shape is an ordinary Python number: the loop unrolls.

```py
@jax.jit
def prefix_sums(x):
    step = 1
    while step < x.shape[0]:
        x = x.at[step:].add(x[:-step])
        step *= 2
    return x

prefix_sums(jnp.arange(8.0))
```

An argument named in `static_argnames` stays a Python number, also when the loop rebinds it.

```py
@partial(jax.jit, static_argnames="doublings")
def grow(x, doublings):
    while doublings > 0:
        x, doublings = 2 * x, doublings - 1
    return x

grow(1.0, doublings=3)
```

Outside, the result of a jitted function is a concrete array.

```py
@jax.jit
def descend(w):
    return w - 0.1 * 2 * w

w = jnp.float32(1.0)
while w > 0.1:
    w = descend(w)
w
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX302",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TracerBoolConversionError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "while":
        return
    message = f"`while` needs a concrete bool before each turn, but {fact.why()}"
    advice = f"use `lax.while_loop`, with `{fact.text}` as the result of its condition function"
    root = fact.trail.root() if fact.trail else None
    if root and root.name and root.entry.application.is_plain_jit:
        advice += f", or mark `{root.name}` static with `static_argnames` if it is a plain number"
    yield rule.finding(fact, message, help=advice)
