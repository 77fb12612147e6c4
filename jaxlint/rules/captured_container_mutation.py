"""
Traced code changes a list, dict or set that lives outside, only while JAX traces.

`append`, `pop`, `update` or a subscript store on a captured container is Python, and the Python
of a traced function runs once for each new signature. The container sees the first call and no
other, and what the function takes out of it becomes a constant of the compiled program.

Source: JAX documentation, "Just-in-time compilation" (the example that appends to a global list)
and "The Sharp Bits", section "Pure functions"; jax-ml/jax#12773.

## Example

```py
rates = [0.5, 0.25, 0.125]

@jax.jit
def descend(weights):
    return weights - rates.pop(0) * weights  # error

weights = jnp.float32(8.0)
for _ in range(3):
    weights = descend(weights)
weights
```

## Use instead

```py fixed
@jax.jit
def descend(weights, rate):
    return weights - rate * weights

weights = jnp.float32(8.0)
for rate in [0.5, 0.25, 0.125]:
    weights = descend(weights, rate)
weights
```

## A dict in a closure

The count is 1 in the compiled program for ever.

```py
def make_meter():
    seen = {"batches": 0}

    @jax.jit
    def mean_so_far(total):
        seen["batches"] += 1  # error
        return total / seen["batches"]

    return mean_so_far

mean_so_far = make_meter()
[float(mean_so_far(total)) for total in jnp.array([2.0, 4.0])]
```

## A list that becomes longer

What is appended is always the same, so the list counts something: calls, which it does not, or
traces. This is a warning.

```py
calls = []

@jax.jit
def halve(x):
    calls.append(1)  # error
    return x / 2

halve(1.0), halve(2.0)
len(calls)
```

## Fine as it is

A list that is born in the trace collects the results of a Python loop.

```py
@jax.jit
def powers(x):
    columns = []
    for exponent in range(3):
        columns.append(x**exponent)
    return jnp.stack(columns)

powers(jnp.float32(2.0))
```

The dict that a traced function receives is a fresh copy: change it and return it.

```py
@jax.jit
def advance(body):
    body["position"] = body["position"] + body["velocity"]
    return body

advance({"position": jnp.float32(1.0), "velocity": jnp.float32(0.5)})
```

A host callback may change what it likes: it runs at every call.

```py
history = []

@jax.jit
def descend(weights):
    jax.debug.callback(lambda loss: history.append(float(loss)), weights**2, ordered=True)
    return weights / 2

descend(descend(jnp.float32(8.0)))
jax.effects_barrier()
history
```
"""

import re
from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts, ir

rule = Rule(__name__, code="JAX106", severity=Severity.ERROR, since="0.1", witness=Effects())

COUNTS_TRACES = re.compile(r"trace(?!r)|tracing|compil", re.IGNORECASE)


@rule.on(facts.Stored)
def check(fact: facts.Stored) -> Iterator[Finding]:
    if fact.place != "container" or fact.is_traced or COUNTS_TRACES.search(fact.target):
        return
    yield rule.finding(
        fact,
        f"`{fact.target}` changes only while `{fact.function}` is traced, so compiled calls leave "
        f"it alone; {fact.where()}",
        help="return the new value and change the container in the caller",
        severity=Severity.WARNING if _counts(fact.node) else None,
    )


def _counts(node: ir.Node) -> bool:
    """Whether a list only becomes longer: it may be there to count traces."""
    given = node.args if isinstance(node, ir.Call) else ()
    return len(given) == 1 and isinstance(given[0].value, ir.Const)
