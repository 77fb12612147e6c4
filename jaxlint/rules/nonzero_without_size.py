"""Asks for the indices of the nonzero elements of a traced array.

`jnp.nonzero`, `jnp.flatnonzero`, `jnp.argwhere` and `jnp.where` with a single argument return
one entry per nonzero element. How many those are depends on values that tracing does not have,
so it stops with `jax.errors.ConcretizationTypeError`. The documentation of `jax.numpy.nonzero`
names the fix: a static bound, `size=`.

## Example

```py
@jax.jit
def first_peak(signal):
    peaks = jnp.nonzero(signal > 0.5)[0]  # error
    return peaks[0]

first_peak(jnp.array([0.1, 0.9, 0.7]))
```

## Use instead

`size=` cuts or pads the result to a fixed length; padding entries are `fill_value`.

```py fixed
@jax.jit
def first_peak(signal):
    peaks = jnp.nonzero(signal > 0.5, size=1)[0]
    return peaks[0]

first_peak(jnp.array([0.1, 0.9, 0.7]))
```

## `where` with one argument is `nonzero`

```py
@jax.jit
def total_above(costs, limit):
    return costs[jnp.where(costs > limit)].sum()  # error

total_above(jnp.array([4.0, 7.0, 9.0]), 5.0)
```

## Fine as it is

`where` with three arguments keeps the shape.

```py
@jax.jit
def total_above(costs, limit):
    return jnp.where(costs > limit, costs, 0.0).sum()

total_above(jnp.array([4.0, 7.0, 9.0]), 5.0)
```

Counting and finding the first are one number each, whatever the values.

```py
@jax.jit
def summary(signal):
    return jnp.count_nonzero(signal > 0.5), jnp.argmax(signal > 0.5)

summary(jnp.array([0.1, 0.9, 0.7]))
```

NumPy may look for nonzero elements of what is static.

```py
@jax.jit
def odd_columns(matrix):
    return matrix[:, np.nonzero(np.arange(matrix.shape[1]) % 2)[0]]

odd_columns(jnp.ones((2, 5)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX403",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ConcretizationTypeError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "nonzero":
        yield rule.finding(
            fact,
            f"how many indices `{fact.callee}` finds in `{fact.text}` is unknown during tracing; "
            f"{fact.why()}",
            help="give a static `size=` (and `fill_value=`), or keep the shape with "
            "`jnp.where(condition, x, y)`",
        )
