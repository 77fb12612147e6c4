"""
A branch that `where` does not choose has no finite derivative, so the gradient is NaN.

`jnp.where(test, a, b)` computes both branches and picks. Its derivative does the same: what is not
picked gets a derivative of zero, which is then multiplied by the derivative of that branch. Where
this is infinite (a logarithm or a root at zero, a division by zero), zero times infinity is NaN,
although the value itself is right. Keep the operand away from there, before the operation.
Source: JAX documentation, FAQ, "Gradients contain NaN where using where"; jax-ml/jax#1052.

Only code that is seen to be differentiated is reported.

## Example

```py
def entropy(p):
    terms = jnp.where(p > 0, p * jnp.log(p), 0.0)  # error
    return -jnp.sum(terms)

p = jnp.array([0.5, 0.5, 0.0])
bool(jnp.all(jnp.isfinite(jax.grad(entropy)(p))))
```

## Use instead

Choose the operand first: in the branch that is not picked, any harmless value will do.

```py fixed
def entropy(p):
    positive = jnp.where(p > 0, p, 1.0)
    terms = jnp.where(p > 0, p * jnp.log(positive), 0.0)
    return -jnp.sum(terms)

p = jnp.array([0.5, 0.5, 0.0])
bool(jnp.all(jnp.isfinite(jax.grad(entropy)(p))))
```

## Division by a norm

```py
def direction(v):
    length = jnp.sqrt(jnp.sum(v**2))
    unit = jnp.where(length > 0.0, v / length, jnp.zeros_like(v))  # error
    return unit[0]

bool(jnp.all(jnp.isfinite(jax.jit(jax.grad(direction))(jnp.zeros(2)))))
```

## Fine as it is

A bound keeps the operand where the derivative is finite.

```py
def penalty(x):
    return jnp.where(x > 0, jnp.log(jnp.maximum(x, 1e-6)), 0.0)

bool(jnp.isfinite(jax.grad(penalty)(0.0)))
```

Both branches have a derivative everywhere.

```py
def elu(x):
    return jnp.where(x > 0, x, jnp.expm1(x))

bool(jnp.isfinite(jax.grad(elu)(0.0)))
```

Nothing is differentiated here, or not with respect to what is divided by.

```py
def mean(total, count):
    return jnp.where(count > 0, total / count, 0.0)

float(mean(jnp.float32(3.0), 0)) == 0.0
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX906",
    severity=Severity.WARNING,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.Misused)
def check(fact: facts.Misused) -> Iterator[Finding]:
    if fact.kind != "where-gradient":
        return
    yield rule.finding(
        fact,
        f"the gradient is NaN where the condition leaves out `{fact.subject}`: its derivative is "
        "not finite there, and zero times that is NaN",
        help=f"choose the operand first: `jnp.where(..., {fact.detail}, 1.0)` inside",
    )
