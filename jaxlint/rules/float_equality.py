"""
Floating-point numbers are compared for equality with a number that they cannot hold.

Most decimal fractions are not numbers of 32 bits, so that a result of arithmetic hardly ever equals
one. An array that is compared with itself tests for NaN, which `jnp.isnan` says more clearly.
Source: documentation of `jax.numpy.isclose`.

This rule is off by default: some comparisons are meant as they stand.

## Example

```py
total = jnp.float32(1.1) + jnp.float32(2.2)
bool(total == 3.3)  # error
```

## Use instead

```py fixed
total = jnp.float32(1.1) + jnp.float32(2.2)
bool(jnp.isclose(total, 3.3))
```

## A computed fraction

```py
parts = jnp.array([1.0, 2.0]) / jnp.array([10.0, 10.0]) * 3.0
bool(jnp.any(parts != 0.3)) and bool(jnp.all(parts * 0 == 1 / 3))  # error
```

## Fine as it is

Numbers that 32 bits hold, and whole numbers.

```py
values = jnp.array([0.0, 2.0, -0.5])
bool((values == 0).any()) and bool((values == -0.5).any()) and bool((jnp.arange(3) == 2).any())
```

Dtypes and shapes.

```py
values = jnp.ones(3)
values.dtype == jnp.float32 and values.shape == (3,)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX908",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "float-equality":
        yield rule.finding(
            fact,
            f"no number of 32 bits is exactly {fact.subject}, so this is hardly ever equal",
            help="use `jnp.isclose`",
        )
    elif fact.kind == "float-nan":
        yield rule.finding(
            fact,
            f"`{fact.text}` tells whether `{fact.subject}` is NaN",
            help=f"write `jnp.isnan({fact.subject})`",
        )
