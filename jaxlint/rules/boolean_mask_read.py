"""Selects elements of an array with a traced boolean mask.

`x[mask]` has as many elements as `mask` has true values. While JAX traces a function, the mask
has a shape and a dtype but no values, so the size of the result is unknown, and compiled code
has no arrays of unknown size. Tracing stops with `jax.errors.NonConcreteBooleanIndexError`
(explained on the page "Errors" of the JAX documentation).

## Example

```py
@jax.jit
def mean_of_valid(readings):
    valid = jnp.isfinite(readings)
    return readings[valid].mean()  # error

mean_of_valid(jnp.array([2.0, jnp.nan, 4.0]))
```

## Use instead

Keep the shape and tell the reduction what to count. `jnp.where` does the same for elementwise
code, and the reductions of `jax.numpy` take `where=`.

```py fixed
@jax.jit
def mean_of_valid(readings):
    valid = jnp.isfinite(readings)
    return readings.mean(where=valid)

mean_of_valid(jnp.array([2.0, jnp.nan, 4.0]))
```

## Not only under jit

Every transform that hides values does it: here each `row` is one of a batch.

```py
def upper_half(row):
    return row[row >= jnp.median(row)].sum()  # error

jax.vmap(upper_half)(jnp.arange(6.0).reshape(2, 3))
```

## Fine as it is

A mask that exists before tracing starts has values. An operation on it inside the function
would not: `readings[~CHANNELS]` is an error.

```py
CHANNELS = jnp.array([True, False, True])

@jax.jit
def select(readings):
    return readings[CHANNELS]

select(jnp.array([1.0, 2.0, 3.0]))
```

NumPy computes while JAX traces, and shapes are static.

```py
@jax.jit
def every_other(samples):
    return samples[np.arange(samples.shape[0]) % 2 == 0]

every_other(jnp.arange(5.0))
```

`jax.grad` alone keeps the values of what it differentiates.

```py
def energy(v):
    return (v[v > 0] ** 2).sum()

jax.grad(energy)(jnp.array([3.0, -1.0]))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX401",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("NonConcreteBooleanIndexError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "mask":
        yield rule.finding(
            fact,
            f"how many elements the mask `{fact.text}` selects is unknown during tracing; "
            f"{fact.why()}",
            help=f"keep the shape: `jnp.where({fact.text}, x, 0)`, or a reduction with `where=`",
        )
