"""
A formula counts on every step being rounded, which compiled code need not do.

Eagerly, each operation rounds its result to the dtype. The compiler sees the whole formula and may
simplify it: the logarithm of an exponential, the root of a square, a division that is undone.
Compiled and eager results then differ, mostly in the last digit, and where a step overflows by all
of it. Source: JAX documentation, FAQ, "`jit` changes the exact numerics of outputs".

This rule is off by default: what the compiler simplifies depends on its version.

## Example

```py jax<0.11
def softplus(x):
    return jnp.log(jnp.exp(x))  # error

eager, compiled = softplus(jnp.float32(100.0)), jax.jit(softplus)(jnp.float32(100.0))
bool(eager == compiled)
```

## Use instead

```py fixed
def softplus(x):
    return x

eager, compiled = softplus(jnp.float32(100.0)), jax.jit(softplus)(jnp.float32(100.0))
bool(eager == compiled)
```

## A division that is undone

```py jax<0.11
def quantised(x):
    return x / 3.0 * 3.0  # error

bool(quantised(jnp.float32(0.1)) == jax.jit(quantised)(jnp.float32(0.1)))
```

## Fine as it is

Sums keep their order: compensated summation works.

```py
def two_sum(a, b):
    total = a + b
    rounded = total - a
    return total, (a - (total - rounded)) + (b - rounded)

big, small = jnp.float32(1e8), jnp.float32(1.0)
bool(two_sum(big, small)[1] == jax.jit(two_sum)(big, small)[1])
```

Constants that do not undo each other, and Python numbers.

```py
@jax.jit
def celsius(degrees):
    scale = 9.0 / 5.0 * 5.0
    return (degrees - 32.0) * 5.0 / 9.0 + 0.0 * scale

bool(abs(celsius(jnp.float32(212.0)) - 100.0) < 1e-3)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX905",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "inexact":
        yield rule.finding(
            fact,
            f"the compiler may simplify `{fact.text}`, so that its result is not the eager one",
            help="write what is meant, without the step that is undone",
        )
