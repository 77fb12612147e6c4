"""
Numbers of several types for one parameter, so that a program is compiled for each of them.

A Python number is traced with a weak type, which gives way to the type of any array that it meets.
A carry that starts as a Python number comes back as an array of a type of its own, so that the
second call compiles again; an `int` here and a `float` there make two programs as well.

Source: JAX documentation, "Type promotion semantics", section "Weak types in JAX";
jax-ml/jax#4274.

## Example

```py
@jax.jit
def accumulate(total, batch):
    return total + batch.sum()

total = 0.0
for batch in jnp.ones((4, 3)):
    total = accumulate(total, batch)  # error
accumulate._cache_size() == 1
```

## Use instead

Start with what comes back.

```py fixed
@jax.jit
def accumulate(total, batch):
    return total + batch.sum()

total = jnp.zeros(())
for batch in jnp.ones((4, 3)):
    total = accumulate(total, batch)
accumulate._cache_size() == 1
```

## An int here, a float there

```py
@jax.jit
def scale(vector, factor):
    return factor * vector

vector = jnp.ones(3)
doubled, halved = scale(vector, 2), scale(vector, 0.5)  # error
scale._cache_size() == 1
```

## Fine as it is

Numbers of one type share a program.

```py
@jax.jit
def scale(vector, factor):
    return factor * vector

vector = jnp.ones(3)
scaled = [scale(vector, factor) for factor in (0.5, 1.0, 2.0)]
scale._cache_size() == 1
```

Loops of `lax` settle the type of their carry before they compile.

```py
@jax.jit
def geometric(ratio):
    return lax.fori_loop(0, 8, lambda i, total: total * ratio + 1.0, 0.0)

geometric(jnp.float32(0.5))
geometric._cache_size() == 1
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX509",
    severity=Severity.PERF,
    since="0.1",
    fix=Fix.SAFE,
    witness=Expects(),
)


@rule.on(facts.Recompiled)
def check(fact: facts.Recompiled) -> Iterator[Finding]:
    if fact.kind == "weak":
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles twice: `{fact.text}` starts with a `{fact.detail}` of "
            "Python's where an array of another type comes back",
            help="start with an array of the type that comes back: `jnp.zeros((), dtype)`",
        )
    elif fact.kind == "kind" and fact.other is not None:
        parameter = f"`{fact.parameter}`" if fact.parameter else "one parameter"
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again: {parameter} gets numbers of different types, "
            f"{fact.detail} (compare {fact.line_of(fact.other)})",
            help="write the numbers alike: `2.0` and `0.5`",
        )
