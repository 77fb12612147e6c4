"""
Filters or tests elements in Python by a traced value.

The `if` of a comprehension, `any`, `all`, `filter` and `itertools.takewhile` and its kin turn each
traced element into a `bool`, and tracing stops with `jax.errors.TracerBoolConversionError` (rows
of more than one element: `ValueError`). A filter would also make the length of the result depend
on values, which no compiled program can have: mask instead. Source: `jax.errors` in the JAX
documentation.

## Example

```py
@jax.jit
def positive_mass(weights):
    return sum(w for w in weights if w > 0)  # error

positive_mass(jnp.array([1.0, -2.0, 3.0]))
```

## Use instead

```py fixed
@jax.jit
def positive_mass(weights):
    return jnp.sum(jnp.where(weights > 0, weights, 0.0))

positive_mass(jnp.array([1.0, -2.0, 3.0]))
```

## The builtins `all` and `any`

```py
@jax.jit
def guarded_update(params, grads):
    finite = all(jnp.isfinite(g).all() for g in jax.tree.leaves(grads))  # error
    return jax.tree.map(lambda p, g: jnp.where(finite, p - 0.1 * g, p), params, grads)

guarded_update({"w": jnp.ones(2)}, {"w": jnp.ones(2)})
```

```py fixed
@jax.jit
def guarded_update(params, grads):
    finite = jnp.array([jnp.isfinite(g).all() for g in jax.tree.leaves(grads)]).all()
    return jax.tree.map(lambda p, g: jnp.where(finite, p - 0.1 * g, p), params, grads)

guarded_update({"w": jnp.ones(2)}, {"w": jnp.ones(2)})
```

## Fine as it is

Keys, types and shapes select entries of a container while tracing.

```py
@jax.jit
def weight_decay(params):
    matrices = [p for name, p in params.items() if name != "bias" and p.ndim == 2]
    assert all(isinstance(p, jax.Array) for p in matrices)
    return sum(jnp.sum(p**2) for p in matrices) if any(params) else 0.0

weight_decay({"w": jnp.ones((2, 2)), "bias": jnp.ones(2)})
```

`jnp.any`, `jnp.all` and the methods of arrays are array operations.

```py
@jax.jit
def diverged(trajectory):
    return jnp.any(jnp.abs(trajectory) > 1e3) | ~jnp.isfinite(trajectory).all()

diverged(jnp.array([1.0, 2e3]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX306",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TracerBoolConversionError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "filter":
        return
    if fact.dotted in ("builtins.any", "builtins.all"):
        name = fact.dotted.removeprefix("builtins.")
        advice = f"use `jnp.{name}` of an array; stack separate values with `jnp.array([...])`"
    else:
        advice = (
            "keep every element and mask with `jnp.where(condition, element, neutral)`: "
            "the number of elements must not depend on values"
        )
    asks = f"`{fact.callee}`" if fact.callee else "the condition of a comprehension"
    message = f"{asks} needs a concrete bool for each element, but {fact.why()}"
    yield rule.finding(fact, message, help=advice)
