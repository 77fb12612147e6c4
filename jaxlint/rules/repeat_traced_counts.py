"""Repeats elements a traced number of times.

The length of `jnp.repeat(x, counts)` is the sum of the counts. Shapes are part of the compiled
program and counts that are traced have no values, so tracing stops with
`jax.errors.ConcretizationTypeError`. The documentation of `jax.numpy.repeat` says what it needs:
the sum, as `total_repeat_length=`.

## Example

```py
@jax.jit
def owners(lengths):
    return jnp.repeat(jnp.arange(lengths.shape[0]), lengths)  # error

owners(jnp.array([2, 0, 1]))
```

## Use instead

A longer sum is cut at `total_repeat_length`, a shorter one is filled with the last element.

```py fixed
@partial(jax.jit, static_argnames="total")
def owners(lengths, total):
    return jnp.repeat(jnp.arange(lengths.shape[0]), lengths, total_repeat_length=total)

owners(jnp.array([2, 0, 1]), total=3)
```

## Literal counts

`jnp.array` in traced code makes a traced array, even of literals; `np.array` does not.

```py
@jax.jit
def stretch(knots):
    return knots.repeat(jnp.array([1, 3, 1]))  # error

stretch(jnp.array([0.0, 0.5, 1.0]))
```

## Fine as it is

A NumPy array of counts is static, and so is a number from a shape.

```py
@jax.jit
def stretch(knots):
    ends = jnp.repeat(knots, np.array([1, 3, 1]))
    return ends, knots.repeat(knots.shape[0] - 1)

stretch(jnp.array([0.0, 0.5, 1.0]))
```

Counts that were computed before tracing started have values, JAX array or not.

```py
COPIES = jnp.array([2, 1, 2])

@jax.jit
def duplicate(rows):
    return jnp.repeat(rows, COPIES)

duplicate(jnp.array([5.0, 6.0, 7.0]))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX406",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ConcretizationTypeError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "repeat":
        yield rule.finding(
            fact,
            f"the length of `{fact.callee}` is the sum of `{fact.text}`, unknown during tracing; "
            f"{fact.why()}",
            help="give the static sum as `total_repeat_length=`, or make the counts a Python "
            "number or a NumPy array",
        )
