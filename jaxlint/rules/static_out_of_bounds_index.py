"""
An index is beyond the end of an array, so that another element is read or nothing is written.

Compiled code cannot raise for an index, so JAX does not do so at all: an index that is read beyond
the end becomes the last element, an update there is dropped, and `jnp.take` gives NaN. Source: JAX
documentation, "Out-of-bounds indexing"; jax-ml/jax#278.

## Example

```py
table = jnp.array([2.0, 3.0, 5.0])
picked = table[3]  # error
bool(picked != table[2])
```

## Use instead

```py fixed
table = jnp.array([2.0, 3.0, 5.0])
picked = table[0]
bool(picked != table[2])
```

## The length as an index

```py
@jax.jit
def extend(queue):
    return queue.at[len(queue)].set(1.0)  # error

bool(extend(jnp.zeros(3)).sum() == 1.0)
```

## Taken

```py
weights = jnp.zeros((4, 2))
column = jnp.take(weights, 2, axis=1)  # error
bool(jnp.all(jnp.isfinite(column)))
```

## Fine as it is

The last element from both ends, and bounds of slices, which end where the array does.

```py
table = jnp.arange(4.0)
bool(table[3] == table[-1]) and bool(table[-4] == table[0]) and table[2:10].size == 2
```

An index whose fate is said.

```py
table = jnp.arange(4.0)
kept = table.at[4].set(9.0, mode="drop")
bool(table.at[7].get(mode="fill", fill_value=-1.0) == -1.0) and bool(jnp.all(kept == table))
```

An axis of length one in front, and an axis that is as long as the other.

```py
table = jnp.zeros((2, 5))
(table[1, 4], table[..., 4], table[None, 1], table[:, -5]) and True
```

What is read only if the array is that long.

```py
def spacing(times, least=0.1):
    if len(times) > 1 and times.ndim == 1 and times.size > 1:
        return times[1] - times[0]
    return times[1] if times.shape[0] > 1 else least

spacing(jnp.array([2.0])) == 0.1 and bool(spacing(jnp.array([2.0, 2.5])) == 0.5)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX915",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "index-out-of-bounds":
        said = f"index {fact.subject} is out of bounds for an axis of length {fact.detail}"
    elif fact.kind == "index-past-length":
        said = f"the length of `{fact.detail}` is one more than its last index"
    else:
        return
    yield rule.finding(
        fact,
        f"{said}: JAX raises nothing, and reads another element or drops the update",
        help="correct the index, or say with `mode=` what is to happen",
    )
