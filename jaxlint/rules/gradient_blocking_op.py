"""
A differentiated function depends on its argument only through steps, so the gradient is zero.

Rounding, comparisons, signs, places in an order and conversions to integers are constant almost
everywhere: their derivative is zero, and so is that of all that is computed from them alone. The
gradient is exact, and training with it does not move. Source: JAX documentation, FAQ, "Why are
gradients zero for functions based on sort order?".

## Example

```py
def loss(w):
    return jnp.round(w) * 2.0  # error

bool(jax.grad(loss)(1.3) != 0.0)
```

## Use instead

Something smooth, or the derivative of something smooth: a straight-through estimator.

```py fixed
def loss(w):
    return (w + jax.lax.stop_gradient(jnp.round(w) - w)) * 2.0

bool(jax.grad(loss)(1.3) != 0.0)
```

## Counting

```py
def accuracy(w, x):
    hits = (x * w > 0).astype(jnp.float32)
    return jnp.mean(hits)  # error

bool(jax.grad(accuracy)(0.5, jnp.arange(3.0)) != 0.0)
```

## Fine as it is

The place of the largest element chooses, the element itself is differentiated.

```py
def largest(x):
    return x[jnp.argmax(x)]

bool(jnp.any(jax.grad(largest)(jnp.array([1.0, 3.0])) != 0.0))
```

```py
def rectified(x):
    return jnp.where(x > 0, x, 0.0).sum()

bool(jnp.any(jax.grad(rectified)(jnp.array([1.0, -1.0])) != 0.0))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX911",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "steps":
        yield rule.finding(
            fact,
            f"the derivative by `{fact.subject}` is zero everywhere: only steps depend on it",
            help="use something smooth in place of the steps, or a straight-through estimator",
        )
