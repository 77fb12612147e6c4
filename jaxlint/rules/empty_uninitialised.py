"""
An array from `jnp.empty` is read before anything was written into it.

`jnp.empty` and `jnp.empty_like` promise a shape and a dtype and no values. JAX filled them with
zeros up to version 0.10, so that code that adds to such an array worked; from 0.11 on they hold
whatever was in memory. Source: JAX change log, 0.11.0; documentation of `jax.numpy.empty`.

## Example

```py no-jax="the values that are read are not defined"
total = jnp.empty(3)
total = total + jnp.arange(3.0)  # error
total
```

## Use instead

```py fixed
total = jnp.zeros(3)
total = total + jnp.arange(3.0)
float(total[2]) == 2.0
```

`--fix` writes `zeros` where the array is made. That is safe: JAX did so itself up to version 0.10.

## Adding to elements

```py no-jax="the values that are read are not defined"
@jax.jit
def histogram(bins):
    counts = jnp.empty((4,), jnp.int32)
    return counts.at[bins].add(1)  # error

histogram(jnp.array([0, 1, 1]))
```

## Fine as it is

Every element is written before one is read.

```py
squares = jnp.empty(4)
for i in range(4):
    squares = squares.at[i].set(i**2)

float(squares.sum()) == 14.0
```

Shape and dtype are what it promises.

```py
template = jnp.empty((2, 3), dtype=jnp.bfloat16)
template.shape == jnp.zeros_like(template).shape
```

An array without elements has none to read, and NumPy's is another function.

```py
rows = jnp.concatenate([jnp.empty((0, 2)), jnp.ones((3, 2))])
buffer = np.empty(3)
buffer[:] = 1.0
float(rows.sum()) == 6.0 and bool((buffer + 1.0 == 2.0).all())
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX912",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "blank-read":
        return
    zeros = fact.subject.replace("empty", "zeros")
    yield rule.finding(
        fact,
        f"this reads what `{fact.subject}` made, and nothing was written there",
        help=f"start from `{zeros}`, or write every element first",
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    call = fact.place
    if fact.kind != "blank-read" or not isinstance(call, ir.Call):
        return None
    dotted = code.meaning(call.func)
    if dotted not in ("jax.numpy.empty", "jax.numpy.empty_like"):
        return None
    edits = fixes.calls.recalled(code, call, dotted.replace("empty", "zeros"))
    if edits is None:
        return None
    return code.fix(f"Start from `{edits[0].replacement}`", *edits)
