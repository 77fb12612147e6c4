"""Asks for the distinct elements of a traced array.

`jnp.unique` and its kin, `jnp.union1d`, `jnp.intersect1d`, `jnp.setdiff1d` and `jnp.setxor1d` have
one entry per distinct element. How many those are depends on values that tracing does not have, so
it stops with `jax.errors.ConcretizationTypeError`. The documentation of `jax.numpy.unique` names
the fix: a static bound, `size=`.

## Example

```py
@jax.jit
def classes(labels):
    return jnp.unique(labels)  # error

classes(jnp.array([2, 0, 2, 1]))
```

## Use instead

`size=` cuts or pads the result to a fixed length; padding entries are `fill_value`.

```py fixed
@jax.jit
def classes(labels):
    return jnp.unique(labels, size=3)

classes(jnp.array([2, 0, 2, 1]))
```

## Two arrays

```py
@jax.jit
def unseen(tokens, vocabulary):
    return jnp.setdiff1d(tokens, vocabulary).sum()  # error

unseen(jnp.array([4, 7, 9]), jnp.array([7, 8]))
```

## What was concrete outside

Inside compiled code `jnp.unique` traces a NumPy array too.

```py
LABELS = np.array([2, 0, 2, 1])

@jax.jit
def spread(weights):
    return weights * jnp.unique(LABELS).size  # error

spread(1.0)
```

```py fixed
LABELS = np.array([2, 0, 2, 1])

@jax.jit
def spread(weights):
    return weights * np.unique(LABELS).size

spread(1.0)
```

## Fine as it is

Membership keeps the shape.

```py
@jax.jit
def known(tokens, vocabulary):
    return jnp.isin(tokens, vocabulary)

known(jnp.array([4, 7, 9]), jnp.array([7, 8]))
```

Sorting and comparing neighbours counts distinct elements without collecting them.

```py
@jax.jit
def distinct(labels):
    ordered = jnp.sort(labels)
    return 1 + jnp.sum(ordered[1:] != ordered[:-1])

distinct(jnp.array([2, 0, 2, 1]))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX404",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ConcretizationTypeError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "set":
        yield rule.finding(
            fact,
            f"how many distinct elements `{fact.callee}` finds in `{fact.text}` is unknown during "
            f"tracing; {fact.why()}",
            help="give a static `size=` (and `fill_value=`), use `np.unique` for what is static, "
            "or keep the shape with `jnp.isin`",
        )
