"""Transforms something that is no function of arrays.

`jax.jit`, `jax.vmap` and `jax.grad` take a function. They raise `TypeError` at once for an array,
which is what a call gives (`jit(f(x))` for `jit(f)(x)`), for the objects that `staticmethod`,
`classmethod` and `property` make, and for a generator function. A class, or an `async` function,
gives something else than arrays, which raises when it is called. Source: `jax.jit` in the JAX
documentation, and `jax.errors`.

## Example

The brackets are in the wrong place: `normalise` runs, and `jit` gets its result.

```py
def normalise(values):
    return values / values.sum()

jax.jit(normalise(jnp.arange(3.0)))  # error
```

## Use instead

```py fixed
def normalise(values):
    return values / values.sum()

jax.jit(normalise)(jnp.arange(3.0))
```

## The order of decorators

The lowest decorator is applied first.

```py
class Activation:
    @jax.jit  # error
    @staticmethod
    def gelu(values):
        return values * jax.nn.sigmoid(1.702 * values)
```

## A generator function

```py
@jax.jit  # error
def halves(value):
    while True:
        value = value / 2
        yield value
```

## Fine as it is

The static method is made of what `jit` made.

```py
class Activation:
    @staticmethod
    @jax.jit
    def gelu(values):
        return values * jax.nn.sigmoid(1.702 * values)

Activation.gelu(jnp.ones(2))
```

The call gives a function.

```py
def make_scale(factor):
    return lambda values: factor * values

jax.jit(make_scale(2.0))(jnp.ones(2))
```

An object with `__call__` will do, and so will a class that is a pytree.

```py
from typing import NamedTuple

class Pair(NamedTuple):
    left: jax.Array
    right: jax.Array

class Affine:
    def __call__(self, values):
        return 2 * values + 1

jax.jit(Affine())(jnp.ones(2)), jax.jit(Pair)(1.0, 2.0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX615",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.Declared)
def check(fact: facts.Declared) -> Iterator[Finding]:
    if fact.kind != "operand":
        return
    what = fact.detail
    if what in ("a class", "an `async` function"):
        made = "an object that is no array" if what == "a class" else "a coroutine"
        yield rule.finding(
            fact,
            f"`{fact.callee}` is given {what}, which returns {made}: calls raise `TypeError`",
            help="give it a function that returns arrays",
        )
        return
    advice = "give it the function itself, and call what it returns"
    if "method" in what or "property" in what:
        advice = f"put `@{fact.callee}` below the other decorator, next to the function"
    yield rule.finding(
        fact,
        f"`{fact.callee}` takes a function, but is given {what}: it raises `TypeError`",
        help=advice,
    )
