"""
Passes a static argument that is a new object each time, so that each call compiles again.

Static arguments are compared by `==`. A lambda, a `functools.partial` or an object of a class
without `__eq__` equals nothing but itself, and one that is made for the call is never found again.

Source: JAX documentation, "Just-in-time compilation", sections "Marking arguments as static" and
"JIT and caching"; jax-ml/jax#13071.

## Example

```py
@partial(jax.jit, static_argnames="activation")
def dense(weights, x, activation):
    return activation(weights @ x)

def predict(weights, rows):
    return [dense(weights, x, activation=lambda v: jnp.maximum(v, 0.0)) for x in rows]  # error

predict(jnp.eye(2), [jnp.ones(2), -jnp.ones(2), jnp.zeros(2)])
dense._cache_size() == 1
```

## Use instead

```py fixed
@partial(jax.jit, static_argnames="activation")
def dense(weights, x, activation):
    return activation(weights @ x)

def relu(v):
    return jnp.maximum(v, 0.0)

def predict(weights, rows):
    return [dense(weights, x, activation=relu) for x in rows]

predict(jnp.eye(2), [jnp.ones(2), -jnp.ones(2), jnp.zeros(2)])
dense._cache_size() == 1
```

## A partial application

```py
@partial(jax.jit, static_argnums=1)
def reduce(matrix, how):
    return how(matrix)

for _ in range(3):
    reduce(jnp.ones((2, 2)), partial(jnp.sum, axis=0))  # error
reduce._cache_size() == 1
```

## Fine as it is

Objects that compare by value are found again.

```py
import dataclasses

@dataclasses.dataclass(frozen=True)
class Config:
    power: int

@partial(jax.jit, static_argnames="config")
def raised(x, config):
    return x**config.power

for _ in range(3):
    raised(jnp.ones(2), config=Config(2))
raised._cache_size() == 1
```

Made once, passed many times.

```py
@partial(jax.jit, static_argnums=1)
def reduce(matrix, how):
    return how(matrix)

column_sums = partial(jnp.sum, axis=0)
for _ in range(3):
    reduce(jnp.ones((2, 2)), column_sums)
reduce._cache_size() == 1
```

So are bound methods of one object.

```py
class Model:
    def activate(self, v):
        return jnp.tanh(v)

@partial(jax.jit, static_argnums=1)
def layer(v, activation):
    return activation(v)

model = Model()
for _ in range(3):
    layer(jnp.ones(2), model.activate)
layer._cache_size() == 1
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX511", severity=Severity.PERF, since="0.1", witness=Expects())


@rule.on(facts.Retraced)
def check(fact: facts.Retraced) -> Iterator[Finding]:
    if fact.kind != "fresh":
        return
    parameter = f"`{fact.parameter}`" if fact.parameter else "a parameter"
    yield rule.finding(
        fact,
        f"`{fact.callee}` compiles on every call: {parameter} is static, and the {fact.detail} "
        "passed for it is a new object each time, equal to none before",
        help="make the object once, outside, or give its class `__eq__` and `__hash__` by value",
    )
