"""
Passes a traced value, or an element of an array, for a static parameter.

A static argument must be known when the function is compiled. A tracer has no value at that time,
and no hash, so the inner function cannot be looked up: `ValueError: Non-hashable static arguments
are not supported`. Elements of a JAX array are arrays, too.

Source: jax-ml/jax#2884 ("don't use tracer values as static_argnums"); JAX documentation,
`jax.jit`, `static_argnums`.

## Example

```py jax>=0.5
@partial(jax.jit, static_argnames="power")
def raised(x, power):
    return x**power

@jax.jit
def polynomial(x, degree):
    return raised(x, power=degree) + x  # error

polynomial(jnp.ones(3), 2)
```

## Use instead

What is static inside must be static outside.

```py fixed jax>=0.5
@partial(jax.jit, static_argnames="power")
def raised(x, power):
    return x**power

@partial(jax.jit, static_argnames="degree")
def polynomial(x, degree):
    return raised(x, power=degree) + x

polynomial(jnp.ones(3), 2)
```

## The index of a loop

```py jax>=0.5
@partial(jax.jit, static_argnums=1)
def rotated(x, by):
    return jnp.roll(x, by)

def turn(i, x):
    return rotated(x, i)  # error

lax.fori_loop(0, 3, turn, jnp.arange(4))
```

## An element of an array

```py
@partial(jax.jit, static_argnums=1)
def rotated(x, by):
    return jnp.roll(x, by)

for by in jnp.arange(3):
    rotated(jnp.arange(4), by)  # error
```

## Fine as it is

Shapes are known while tracing.

```py
@partial(jax.jit, static_argnums=1)
def rotated(x, by):
    return jnp.roll(x, by)

@jax.jit
def turn(x):
    return rotated(x, x.shape[0] // 2)

turn(jnp.arange(4))
```

So are the numbers of a Python loop.

```py
@partial(jax.jit, static_argnums=1)
def rotated(x, by):
    return jnp.roll(x, by)

@jax.jit
def spread(x):
    return sum(rotated(x, by) for by in range(3))

spread(jnp.arange(4))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX621",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError"),
)


@rule.on(facts.Unhashable)
def check(fact: facts.Unhashable) -> Iterator[Finding]:
    parameter = f"`{fact.subject}`" if fact.subject else "a parameter"
    if fact.kind == "traced-static":
        yield rule.finding(
            fact,
            f"{parameter} of `{fact.callee}` is static, but {fact.why()}",
            help="make it static outside too, or leave the parameter of "
            f"`{fact.callee}` to be traced",
        )
    elif fact.kind == "array-static":
        yield rule.finding(
            fact,
            f"{parameter} of `{fact.callee}` is static, but elements of an array are arrays, which "
            "have no hash: the call raises `ValueError`",
            help=f"iterate over Python numbers, or pass `int({fact.text})`",
        )
