"""Updates the elements of an array that a traced boolean mask selects.

`x.at[mask].set(value)` first turns the mask into the list of selected indices. The length of
that list is the number of true values, which tracing cannot know, so it stops with
`jax.errors.NonConcreteBooleanIndexError`. That the result would have the shape of `x`, or that
`value` is a scalar, does not help. The page "Errors" of the JAX documentation shows the same
mistake in a hand-written clip.

## Example

```py
@jax.jit
def rectify(scores):
    return scores.at[scores < 0].set(0.0)  # error

rectify(jnp.array([1.0, -2.0, 3.0]))
```

## Use instead

`jnp.where` chooses per element and needs no list. For `add` or `multiply`, choose between the
changed and the old array: `jnp.where(mask, x + value, x)`.

```py fixed
@jax.jit
def rectify(scores):
    return jnp.where(scores < 0, 0.0, scores)

rectify(jnp.array([1.0, -2.0, 3.0]))
```

## One mask among several indices

```py
@jax.jit
def reward(table, labels):
    hit = labels == 1
    return table.at[hit, 0].add(1.0)  # error

reward(jnp.zeros((3, 2)), jnp.array([1, 0, 1]))
```

## Fine as it is

Traced integers are good indices: their number is in their shape.

```py
@jax.jit
def suppress_best(scores):
    return scores.at[jnp.argmax(scores)].set(-jnp.inf)

suppress_best(jnp.array([1.0, 5.0, 3.0]))
```

A comparison that was converted to integers is an index too, not a mask. This one counts.

```py
@jax.jit
def count_signs(scores):
    return jnp.zeros(2, int).at[(scores > 0).astype(int)].add(1)

count_signs(jnp.array([1.0, -5.0, 3.0]))
```

A NumPy mask has its values at trace time.

```py
@jax.jit
def clear_border(image):
    inside = np.zeros(image.shape, bool)
    inside[1:-1, 1:-1] = True
    return image.at[~inside].set(0.0)

clear_border(jnp.ones((3, 4)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX402",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Raises("NonConcreteBooleanIndexError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "mask-update":
        yield rule.finding(
            fact,
            f"how many elements the mask `{fact.text}` updates is unknown during tracing; "
            f"{fact.why()}",
            help=f"write `jnp.where({fact.text}, new, old)`: it keeps the shape",
        )
