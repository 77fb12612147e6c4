"""
An array of NumPy turns an array of 16 bits into one of 32, without a word.

Python numbers take the dtype of the array that they meet; arrays and scalars of NumPy have a dtype
of their own, and the wider one wins. A model that computes in `bfloat16` so comes to compute in
`float32`, with twice the memory. Source: JAX documentation, "Type promotion semantics".

This rule is off by default: the wider dtype may be what is wanted.

## Example

```py
weights = jnp.ones(4, dtype=jnp.bfloat16)
scaled = weights * np.float32(0.5)  # error
bool(scaled.dtype == jnp.bfloat16)
```

## Use instead

```py fixed
weights = jnp.ones(4, dtype=jnp.bfloat16)
scaled = weights * 0.5
bool(scaled.dtype == jnp.bfloat16)
```

## With a table

```py
TABLE = np.linspace(0.0, 1.0, 4, dtype=np.float32)

@jax.jit
def encode(batch):
    half = batch.astype(jnp.float16)
    return half + TABLE  # error

bool(encode(jnp.ones(4)).dtype == jnp.float16)
```

## Fine as it is

```py
weights = jnp.ones(4, dtype=jnp.bfloat16)
bool((weights * 2.0 * math.pi).dtype == jnp.bfloat16)
```

```py
weights = jnp.ones(4, dtype=jnp.bfloat16)
table = jnp.ones(2) * np.float32(3.0)
bool((weights * jnp.bfloat16(2)).dtype == jnp.bfloat16) and bool(table.dtype == jnp.float32)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX913",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "promoted":
        yield rule.finding(
            fact,
            f"the array of NumPy makes this `float32`, not `{fact.subject}`",
            help=f"use a Python number, or convert it to `jnp.{fact.subject}`",
        )
