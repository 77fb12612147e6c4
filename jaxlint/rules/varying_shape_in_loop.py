"""
Compiles a program for each iteration, because the shape of an argument changes with the loop.

Compiled programs are made for shapes. A prefix that grows, a buffer that is appended to or a list
that gets longer makes each iteration trace and compile anew, and JAX keeps all of those programs.

Source: JAX documentation, "Just-in-time compilation" (programs are found by the shapes and dtypes
of the arguments), and "Slow tracing and compilation"; jax-ml/jax#2072.

## Example

```py
@jax.jit
def energy(signal):
    return jnp.sum(signal**2)

signal = jnp.arange(6.0)
running = [energy(signal[:n]) for n in range(1, 6)]  # error
energy._cache_size() == 1
```

## Use instead

Keep the shape and mask what does not count yet.

```py fixed
@jax.jit
def energy(signal, n):
    seen = jnp.arange(signal.shape[0]) < n
    return jnp.sum(jnp.where(seen, signal, 0.0) ** 2)

signal = jnp.arange(6.0)
running = [energy(signal, n) for n in range(1, 6)]
energy._cache_size() == 1
```

## A buffer that grows

```py
@jax.jit
def next_token(tokens):
    return jnp.argmax(jnp.bincount(tokens, length=4))

def generate(tokens, count):
    while tokens.shape[0] < count:
        token = next_token(tokens)  # error
        tokens = jnp.concatenate([tokens, token[None]])
    return tokens

generate(jnp.array([1, 2, 2]), 8)
next_token._cache_size() == 1
```

## Fine as it is

A window of constant length.

```py
@jax.jit
def mean(window):
    return window.mean()

series = jnp.arange(12.0)
smoothed = [mean(series[start : start + 4]) for start in range(8)]
mean._cache_size() == 1
```

A buffer that forgets as much as it learns.

```py
@jax.jit
def trend(history):
    return history[-1] - history[0]

def follow(values):
    history = jnp.zeros(3)
    for value in values:
        history = jnp.concatenate([history[1:], jnp.array([value])])
        trend(history)
    return history

follow([1.0, 2.0, 4.0, 8.0])
trend._cache_size() == 1
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX508", severity=Severity.PERF, since="0.1", witness=Expects())


@rule.on(facts.Retraced)
def check(fact: facts.Retraced) -> Iterator[Finding]:
    if fact.kind != "shape":
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` compiles again for each shape, and `{fact.text}` has another one in each "
        "iteration",
        help="pass an array of constant shape, padded and with a mask or a length beside it",
    )
