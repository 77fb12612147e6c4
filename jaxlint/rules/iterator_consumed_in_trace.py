"""
Traced code advances an iterator from outside only while JAX traces.

`next`, a `for` loop or unpacking takes items from an iterator in Python, and the Python of a
traced function runs once for each new signature. The items of that run become constants of the
compiled program: later calls, and later iterations of a `lax` loop, use them again while the
iterator stands still.

Source: JAX documentation, "The Sharp Bits", section "Pure functions" (iterators).

## Example

```py
batches = (np.full(2, value) for value in (1.0, 2.0, 3.0))

@jax.jit
def accumulate(total):
    return total + jnp.sum(next(batches))  # error

total = jnp.float32(0.0)
for _ in range(3):
    total = accumulate(total)
total
```

## Use instead

```py fixed
batches = (np.full(2, value) for value in (1.0, 2.0, 3.0))

@jax.jit
def accumulate(total, batch):
    return total + jnp.sum(batch)

total = jnp.float32(0.0)
for batch in batches:
    total = accumulate(total, batch)
total
```

## A loop body is traced once

Every iteration climbs by the first item.

```py
boosts = itertools.count(1)

def climb(height, _):
    return height + next(boosts), None  # error

int(lax.scan(climb, 0, None, length=4)[0])
```

## Fine as it is

The iterator is made in the trace, so each trace starts at its beginning.

```py
COEFFICIENTS = [1.0, 2.0, 4.0]

@jax.jit
def horner(x):
    items = iter(COEFFICIENTS)
    value = next(items)
    for coefficient in items:
        value = value * x + coefficient
    return value

horner(jnp.float32(2.0)) + horner(jnp.float32(4.0))
```

A range and a list are not iterators: a loop over one starts anew in each trace.

```py
LAYERS = range(1, 4)

@jax.jit
def deep(x):
    for layer in LAYERS:
        x = x + layer * x
    return x

deep(deep(jnp.float32(1.0)))
```

The host takes the items and passes them on.

```py
rates = iter([0.5, 0.25])
descend = jax.jit(lambda weights, rate: weights - rate * weights)
descend(descend(jnp.float32(8.0), next(rates)), next(rates))
```
"""

from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX109", severity=Severity.ERROR, since="0.1", witness=Effects())


@rule.on(facts.Advanced)
def check(fact: facts.Advanced) -> Iterator[Finding]:
    yield rule.finding(
        fact,
        f"`{fact.name}` advances only while `{fact.function}` is traced, so compiled calls use "
        f"the same items again; {fact.where()}",
        help="take the item outside and pass it as an argument, or scan over an array of items",
    )
