"""
An integer beyond 32 bits becomes part of a computation with arrays, so JAX raises.

Unless 64-bit numbers are switched on, a Python integer becomes an `int32` when it meets an array,
whatever the array's own dtype: one beyond the range of `int32` raises `OverflowError`. Source: JAX
documentation, "Double (64bit) precision" and "Type promotion semantics".

Nothing is reported where the file, or one that imports it, mentions `enable_x64`.

## Example

```py
@jax.jit
def hashed(ids):
    return (ids * 2654435761) % 1024  # error

hashed(jnp.arange(4))
```

## Use instead

Give the number a dtype that holds it.

```py fixed
@jax.jit
def hashed(ids):
    return (ids.astype(jnp.uint32) * jnp.uint32(2654435761)) % 1024

hashed(jnp.arange(4))
```

## In a constructor

```py
LIMITS = [1 << 20, 1 << 40]
jnp.array(LIMITS)  # error
```

## As an argument

```py
@jax.jit
def seconds(nanoseconds):
    return nanoseconds / 10**9

seconds(5 * 10**9)  # error
```

## Fine as it is

The largest number that fits, and numbers that are floats.

```py
(jnp.arange(3) + (2**31 - 1), jnp.arange(3) + 2.0**40)
```

Seeds may be large: a key is made of all their bits.

```py
jax.random.key(2**40)
```

What is static stays a Python integer, and so does what is computed without arrays.

```py
@partial(jax.jit, static_argnames="total")
def fractions(parts, total):
    return parts / (total / 10**9)

fractions(jnp.arange(3.0), total=10**12 // 1000 * 1000)
```

A dtype that holds it.

```py
(jnp.uint32(2**32 - 1), jnp.array(2**40, dtype=jnp.float32))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX909",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("OverflowError"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "wide-integer":
        return
    yield rule.finding(
        fact,
        f"{fact.detail} does not fit in 32 bits, and JAX computes with no more here",
        help="give it as a float or as `jnp.uint32(...)`, or set `jax_enable_x64` at the start",
    )
