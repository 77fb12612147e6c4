"""Gives the same array away in every iteration of a loop.

The first iteration deletes the array; the second one passes a deleted buffer, which raises
`RuntimeError` or `ValueError` ("Buffer has been deleted or donated"). It is typical of benchmarks,
where the result is not needed. Source: "Buffer donation" in the JAX documentation.

## Example

```py
decay = jax.jit(lambda v, rate: v * rate, donate_argnums=0)
weights = jnp.ones(3)
for rate in (0.5, 0.25):
    weights_after = decay(weights, rate)  # error
weights_after
```

## Use instead

Pass a copy where the array is needed again; else bind the result to the name that is passed.

```py fixed
decay = jax.jit(lambda v, rate: v * rate, donate_argnums=0)
weights = jnp.ones(3)
for rate in (0.5, 0.25):
    weights_after = decay(weights.copy(), rate)
weights_after
```

## In a comprehension

```py
shift = jax.jit(lambda v, by: v + by, donate_argnames="v")
origin = jnp.zeros(2)
moved = [shift(origin, by) for by in range(3)]  # error
```

## Fine as it is

Each iteration has an array of its own.

```py
decay = jax.jit(lambda v: v / 2, donate_argnums=0)
for size in (2, 3):
    out = decay(jnp.ones(size))
rows = [decay(row) for row in jnp.eye(3)]
out, rows
```

NumPy keeps its buffers.

```py
decay = jax.jit(lambda v: v / 2, donate_argnums=0)
batch = np.ones(3)
for _ in range(2):
    out = decay(batch)
out
```

The loop ends with the call.

```py
decay = jax.jit(lambda v: v / 2, donate_argnums=0)
weights = jnp.ones(3)
for attempt in range(3):
    weights = decay(weights)
    if attempt == 1:
        last = decay(weights)
        break
last
```
"""

from collections.abc import Iterator

from jaxlint.api import Donates, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX613",
    severity=Severity.ERROR,
    since="0.1",
    witness=Donates(),
)


@rule.on(facts.Donated)
def check(fact: facts.Donated) -> Iterator[Finding]:
    if fact.kind != "loop":
        return
    what = f"`{fact.target}`" if fact.target else "the same array"
    yield rule.finding(
        fact,
        f"`{fact.callee}` deletes {what} in the first iteration, and gets it again in the next",
        help="bind the result to the name that is passed, or pass a copy",
    )
