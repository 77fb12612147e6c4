"""Throws away the function that a transform returns, or hands the transform the data.

`jax.jit(f)` changes nothing about `f`: it returns another function, which compiles when it is
called. A statement of its own is without any effect, data beside the function raises
`TypeError`, and so does arithmetic with what was not called. Source: "Just-in-time compilation"
in the JAX documentation; since JAX 0.7 everything but the function is passed by name (change
log).

## Example

```py
def energy(positions):
    return jnp.sum(positions**2)

jax.jit(energy)  # error
energy(jnp.arange(3.0)), hasattr(energy, "lower")
```

## Use instead

```py fixed
def energy(positions):
    return jnp.sum(positions**2)

energy = jax.jit(energy)
energy(jnp.arange(3.0)), hasattr(energy, "lower")
```

## The data beside the function

```py
def energy(positions):
    return jnp.sum(positions**2)

jax.jit(energy, jnp.arange(3.0))  # error
```

## Never called

```py
def energy(positions):
    return jnp.sum(positions**2)

force = -1.0 * jax.grad(energy)  # error
```

## Fine as it is

A call that warms up the cache, and one that compiles ahead of time.

```py
def energy(positions):
    return jnp.sum(positions**2)

fast = jax.jit(energy)
fast(jnp.zeros(3))
jax.jit(energy).lower(jnp.zeros(3)).compile()
fast(jnp.arange(3.0))
```

The options are known now, the function comes later.

```py
compiled = partial(jax.jit, static_argnames="order")

@compiled
def norm(values, order=2):
    return jnp.linalg.norm(values, order)

norm(jnp.ones(3), order=1)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fruitless, Rule, Severity, Tag, facts

rule = Rule(
    __name__,
    code="JAX616",
    severity=Severity.ERROR,
    since="0.1",
    witness=Fruitless("TypeError"),
    tags=(Tag.UNNECESSARY,),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    call = f"{fact.callee}({fact.target})" if fact.target != "<lambda>" else f"{fact.callee}(...)"
    if fact.kind == "unused":
        yield rule.finding(
            fact,
            f"`{call}` returns a new function, which is thrown away: `{fact.target}` stays as it "
            "is",
            help=f"bind the result, and call that: `{fact.target} = {call}`",
        )
    elif fact.kind == "data" and fact.detail == "argument":
        yield rule.finding(
            fact,
            f"`{fact.callee}` takes the function alone: data beside it raises `TypeError`",
            help=f"pass the data to what it returns: `{call}(...)`",
        )
    elif fact.kind == "data":
        yield rule.finding(
            fact,
            f"what `{call}` returns is a function that was not called: arithmetic with it raises "
            "`TypeError`",
            help=f"call it: `{call}(...)`",
        )
