"""
Compiles a method with `self` among the traced arguments, although the class is no pytree.

A function in the body of a class takes the object as its first argument, and a compiled function
traces it like all others. Objects of a class that JAX was told nothing about are no pytrees, so
each call raises `TypeError: Error interpreting argument ... as an abstract array`.

Source: JAX documentation, "The Sharp Bits", section "Using `jax.jit` with class methods", and the
FAQ, "How to use `jit` with methods?".

## Example

```py
class Scaler:
    def __init__(self, factor):
        self.factor = factor

    @jax.jit
    def scale(self, x):  # error
        return self.factor * x

Scaler(2.0).scale(jnp.ones(3))
```

## Use instead

The arrays of the object are arguments of a function of their own.

```py fixed
@jax.jit
def scale(factor, x):
    return factor * x

class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def scale(self, x):
        return scale(self.factor, x)

Scaler(2.0).scale(jnp.ones(3))
```

## Options do not change it

```py
class Memory:
    @partial(jax.jit, donate_argnums=1)
    def push(self, buffer, value):  # error
        return jnp.roll(buffer, 1).at[0].set(value)

Memory().push(jnp.zeros(3), 1.0)
```

## Fine as it is

A named tuple is a pytree.

```py
from typing import NamedTuple

class Line(NamedTuple):
    slope: float
    offset: float

    @jax.jit
    def at(self, x):
        return self.slope * x + self.offset

Line(2.0, 1.0).at(jnp.ones(3))
```

A static method takes no object, and neither does one that is called through the class.

```py
class Activations:
    @staticmethod
    @jax.jit
    def relu(x):
        return jnp.maximum(x, 0.0)

    @jax.jit
    def softplus(x):
        return jnp.log1p(jnp.exp(x))

Activations().relu(jnp.ones(3)) + Activations.softplus(jnp.ones(3))
```

A static `self` is not traced.

```py
class Rotation:
    @partial(jax.jit, static_argnames="self")
    def apply(self, x):
        return jnp.roll(x, 1)

rotation = Rotation()
rotation.apply(jnp.ones(3))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX608",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", anywhere=True),
)


@rule.on(facts.Refusal)
def check(fact: facts.Refusal) -> Iterator[Finding]:
    if fact.kind != "self":
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` is compiled with `{fact.subject}` traced, but objects of `{fact.detail}` "
        "are no pytrees: each call raises `TypeError`",
        help="compile a function of the arrays that the method needs, mark "
        f"`{fact.subject}` static, or register the class as a pytree",
    )
