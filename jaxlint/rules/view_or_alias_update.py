"""
An update of a row, view or second name of an array leaves the array as it was.

`row = a[0]` and `b = a` share memory with a NumPy array `a`, so that `row += 1` changes `a`. JAX
arrays never change: there, `row += 1` means `row = row + 1`, which binds a name to a new array. If
nobody reads that name afterwards, the statement has done nothing.

Source: JAX documentation, "The Sharp Bits", section "In-place updates"; jax-ml/jax#27973.

## Example

```py
@jax.jit
def lift(image):
    border = image[0]
    border += 100.0  # error
    return image

lift(jnp.zeros((2, 2))).sum()
```

## Use instead

```py fixed
@jax.jit
def lift(image):
    return image.at[0].add(100.0)

lift(jnp.zeros((2, 2))).sum()
```

## The elements of a loop

```py
weights = jnp.ones(3)
for weight in weights:
    weight *= 0.5  # error
weights.sum()
```

```py fixed
weights = jnp.ones(3)
weights = weights * 0.5
weights.sum()
```

## A parameter, of a function that returns nothing

```py
def normalise(vector):
    vector /= jnp.linalg.norm(vector)  # error

direction = jnp.array([3.0, 4.0])
normalise(direction)
direction.max()
```

## Fine as it is

The new array is what is used.

```py
@jax.jit
def shifted(image):
    rest = image[1:]
    rest += 100.0
    return rest

shifted(jnp.zeros((2, 2)))
```

A running total.

```py
@jax.jit
def total(vectors):
    result = vectors[0]
    for vector in vectors[1:]:
        result += vector
    return result

total(jnp.ones((3, 2)))
```

Arrays of NumPy do change.

```py
table = np.zeros((2, 2))
row = table[0]
row += 1.0
table.sum()
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fruitless, Rule, Severity, facts

rule = Rule(__name__, code="JAX154", severity=Severity.WARNING, since="0.1", witness=Fruitless())


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "view-updated":
        return
    name, original = fact.subject, fact.detail
    if name == original:
        yield rule.finding(
            fact,
            f"`{fact.text}` binds `{name}` to a new array: the caller's stays as it is",
            help=f"return the new array, and bind it where `{fact.function}` is called",
        )
        return
    yield rule.finding(
        fact,
        f"`{fact.text}` binds `{name}` to a new array, which nobody reads: `{original}` stays as "
        "it is",
        help=f"make a new array of `{original}`, with `{original}.at[...]` or as a whole",
    )
