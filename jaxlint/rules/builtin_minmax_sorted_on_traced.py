"""
Compares traced values with the builtins `min`, `max` or `sorted`.

The builtins compare two elements at a time and turn each comparison into a `bool`. Between traced
values it has none: `jax.errors.TracerBoolConversionError`, or the plain `ValueError` for arrays of
more than one element. `list.sort` and `functools.reduce(max, ...)` do the same. `sum`, `abs`,
`round` and `pow` only compute, and work. Source: `jax.errors` in the JAX documentation.

## Example

```py
@jax.jit
def cosine(a, b):
    length = jnp.sqrt(jnp.sum(a**2) * jnp.sum(b**2))
    return jnp.dot(a, b) / max(length, 1e-6)  # error

cosine(jnp.array([1.0, 2.0]), jnp.array([2.0, 1.0]))
```

## Use instead

```py fixed
@jax.jit
def cosine(a, b):
    length = jnp.sqrt(jnp.sum(a**2) * jnp.sum(b**2))
    return jnp.dot(a, b) / jnp.maximum(length, 1e-6)

cosine(jnp.array([1.0, 2.0]), jnp.array([2.0, 1.0]))
```

## The elements of one array, or of a list

```py
@jax.jit
def trimmed_mean(samples):
    ordered = sorted(samples)  # error
    return sum(ordered[1:-1]) / (len(ordered) - 2)

trimmed_mean(jnp.array([9.0, 1.0, 2.0, 3.0]))
```

```py fixed
@jax.jit
def trimmed_mean(samples):
    ordered = jnp.sort(samples)
    return jnp.mean(ordered[1:-1])

trimmed_mean(jnp.array([9.0, 1.0, 2.0, 3.0]))
```

## Fine as it is

Shapes and lengths are Python numbers.

```py
@jax.jit
def patch(image, size=8):
    size = min(size, *image.shape)
    return image[:size, :size] * max(image.ndim, len(image))

patch(jnp.ones((4, 6)))
```

Items of a dictionary are sorted by their keys: different strings never let the values be compared.

```py
@jax.jit
def flatten(params):
    return jnp.concatenate([value.ravel() for _, value in sorted(params.items())])

flatten({"w": jnp.ones((2, 2)), "b": jnp.zeros(2)})
```

A key function that returns static values compares only those.

```py
@jax.jit
def deepest(tree):
    return max(jax.tree.leaves(tree), key=lambda leaf: leaf.ndim).sum()

deepest([jnp.ones(3), jnp.ones((2, 2))])
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX308",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.SAFE,
    witness=Raises("TracerBoolConversionError", "ValueError"),
)

ELEMENTWISE = {"min": "jnp.minimum", "max": "jnp.maximum"}


@rule.on(facts.Coerced)
def check(fact: facts.Coerced) -> Iterator[Finding]:
    if fact.sink != "order":
        return
    name = fact.dotted.rpartition(".")[2]
    if name in ELEMENTWISE:
        advice = (
            f"use `{ELEMENTWISE[name]}(a, b)` of two operands, "
            f"`jnp.{name}(x)` of the elements of one array"
        )
    elif name in ("sort", "sorted"):
        advice = "use `jnp.sort` of an array; stack separate values with `jnp.array([...])`"
    else:
        advice = "use `jnp.minimum` or `jnp.maximum` of two operands, `jnp.sort` to sort"
    asks = fact.callee or name
    message = f"`{asks}` compares elements and needs a concrete bool, but {fact.why()}"
    yield rule.finding(fact, message, help=advice)
