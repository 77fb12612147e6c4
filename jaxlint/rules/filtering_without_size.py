"""Removes a number of elements that depends on traced values.

`jnp.extract`, `jnp.compress`, `jnp.delete`, `jnp.trim_zeros` and `jnp.roots` return what is left
of an array. How much that is depends on values, which a traced array does not have, so tracing
stops with an error. Each of them that can work with a static bound has a parameter for it: see
their pages in the documentation of `jax.numpy`.

## Example

```py
@jax.jit
def spend(prices, limit):
    return jnp.extract(prices > limit, prices).sum()  # error

spend(jnp.array([4.0, 7.0, 9.0]), 5.0)
```

## Use instead

`size=` fixes the length, `fill_value=` says what follows the selected elements.

```py fixed
@jax.jit
def spend(prices, limit):
    return jnp.extract(prices > limit, prices, size=prices.size, fill_value=0.0).sum()

spend(jnp.array([4.0, 7.0, 9.0]), 5.0)
```

## Deleting at a traced place

`jnp.delete` looks for equal indices first, even if there is only one.

```py
@jax.jit
def without_worst(losses):
    return jnp.delete(losses, jnp.argmax(losses))  # error

without_worst(jnp.array([0.2, 0.9, 0.4]))
```

## Fine as it is

Unique indices remove as many elements as there are indices, which is static. Here there is one.

```py
@jax.jit
def without_worst(losses):
    worst = jnp.argmax(losses)[None]
    return jnp.delete(losses, worst, assume_unique_indices=True)

without_worst(jnp.array([0.2, 0.9, 0.4]))
```

A static index needs no promise.

```py
@jax.jit
def without_bias(weights):
    return jnp.delete(weights, -1)

without_bias(jnp.array([0.2, 0.9, 0.4]))
```

Outside of traced code every array has values.

```py
@jax.jit
def scores(x):
    return jnp.sin(x)

found = scores(jnp.arange(5.0))
jnp.extract(found > 0, found)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX405",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises(
        "TracerBoolConversionError", "ConcretizationTypeError", "NonConcreteBooleanIndexError"
    ),
)

ADVICE = {
    "size": "give a static `size=` (and `fill_value=`), or keep the shape with `jnp.where`",
    "assume_unique_indices": "if the indices are distinct, pass them as an array with "
    "`assume_unique_indices=True`; or keep the shape with `jnp.where`",
    "strip_zeros": "pass `strip_zeros=False`: the number of roots is then static",
}


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "filter":
        yield rule.finding(
            fact,
            f"how many elements `{fact.callee}` keeps depends on the values of `{fact.text}`, "
            f"unknown during tracing; {fact.why()}",
            help=ADVICE.get(fact.parameter, "keep the shape and mark elements with `jnp.where`"),
        )
