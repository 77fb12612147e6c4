"""
Keeps each object alive whose compiled method has a static `self`, and compiles for each of them.

With `static_argnums=0` the object is a part of the key by which programs are found. Objects of a
class without `__eq__` are all different, so each has programs of its own; and JAX holds on to the
keys, so that neither the objects nor the arrays in them are ever freed.

Source: JAX documentation, FAQ, "How to use `jit` with methods?", strategy 2; jax-ml/jax#16226.

## Example

```py
class Filter:
    @partial(jax.jit, static_argnums=0)
    def apply(self, signal):  # error
        return jnp.cumsum(signal)

for _ in range(3):
    Filter().apply(jnp.ones(4))
Filter.apply._cache_size() == 1
```

## Use instead

What does not depend on the object is a function of its own.

```py fixed
@jax.jit
def cumulate(signal):
    return jnp.cumsum(signal)

class Filter:
    def apply(self, signal):
        return cumulate(signal)

for _ in range(3):
    Filter().apply(jnp.ones(4))
cumulate._cache_size() == 1
```

## Arrays that are never freed

```py
import gc, weakref

class Layer:
    def __init__(self, size):
        self.weights = jnp.ones(size)

    @partial(jax.jit, static_argnums=0)
    def double(self, x):  # error
        return 2 * x

layer = Layer(1000)
layer.double(jnp.ones(3))
alive = weakref.ref(layer)
del layer
gc.collect()
alive() is None
```

## Fine as it is

A frozen dataclass is found by its fields.

```py
import dataclasses

@dataclasses.dataclass(frozen=True)
class Gain:
    factor: float

    @partial(jax.jit, static_argnums=0)
    def apply(self, signal):
        return self.factor * signal

for _ in range(3):
    Gain(2.0).apply(jnp.ones(4))
Gain.apply._cache_size() == 1
```

A method that each object compiles for itself goes with the object.

```py
import gc, weakref

class Layer:
    def __init__(self, size):
        self.weights = jnp.ones(size)
        self.double = jax.jit(self._double)

    def _double(self, x):
        return 2 * x

layer = Layer(1000)
layer.double(jnp.ones(3))
alive = weakref.ref(layer)
del layer
gc.collect()
alive() is None
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX516", severity=Severity.PERF, since="0.1", witness=Expects())


@rule.on(facts.Retraced)
def check(fact: facts.Retraced) -> Iterator[Finding]:
    if fact.kind != "self":
        return
    if fact.other is not None:
        why = f"a loop makes objects of its class at {fact.line_of(fact.other)}"
    else:
        why = f"`{fact.parameter}.{fact.detail}` is an array"
    yield rule.finding(
        fact,
        f"JAX keeps a program of `{fact.callee}`, and the object, for each `{fact.parameter}` that "
        f"it is called with: it is static and compared by identity, and {why}",
        help="pass the arrays to a function of their own, or give the class `__eq__` and "
        "`__hash__` by value",
    )
