"""
A formula overflows or cancels where a function of JAX computes the same exactly.

The exponential of a large number is infinite, and the difference of two numbers that are almost
equal has few digits left. For the usual formulas JAX has functions that avoid both:
`jax.nn.logsumexp`, `jax.nn.log_softmax`, `jax.nn.log_sigmoid`, `jnp.log1p`, `jnp.expm1`, `jnp.var`.
Source: documentation of these functions.

This rule is off by default: for numbers of moderate size the formulas are right.

## Example

```py
scores = jnp.full(3, 200.0)
total = jnp.log(jnp.sum(jnp.exp(scores)))  # error
bool(jnp.isfinite(total))
```

## Use instead

```py fixed
scores = jnp.full(3, 200.0)
total = jax.nn.logsumexp(scores)
bool(jnp.isfinite(total))
```

## Probabilities that become zero

```py
scores = jnp.array([0.0, 200.0])
loss = -jnp.log(jax.nn.softmax(scores))  # error
bool(jnp.all(jnp.isfinite(loss)))
```

## Digits that cancel

```py
rate = jnp.float32(1e-8)
growth = jnp.exp(rate) - 1.0  # error
bool(growth > 0.0)
```

## Fine as it is

```py
scores = jnp.array([0.0, 200.0])
bool(jnp.all(jnp.isfinite(jax.nn.log_softmax(scores)))) and bool(jnp.expm1(1e-8) > 0.0)
```

Sums of something else, and numbers of Python.

```py
values = jnp.array([1.0, 2.0])
energy = jnp.log(jnp.sum(values**2)) + (math.exp(1.0) - 1.0)
bool(jnp.isfinite(energy)) and bool(jnp.isfinite(jnp.log(values + 2.0)).all())
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX907",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    fix=Fix.SAFE,
    witness=Expects(),
)


@rule.on(facts.Misused)
def check(fact: facts.Misused) -> Iterator[Finding]:
    if fact.kind == "unstable":
        yield rule.finding(
            fact,
            f"`{fact.text}` overflows or loses digits where `{fact.subject}` does not",
            help=f"use `{fact.subject}`",
        )
