"""
Chains comparisons of traced values, which hides an `and`.

Python reads `a < x < b` as `a < x and x < b`: the first comparison is turned into a `bool` to
decide whether the second is needed. If it is traced it has no value, and tracing stops with
`jax.errors.TracerBoolConversionError`, or, for more than one element, with the plain `ValueError`
that the same line raises for a NumPy array. Source: `jax.errors` in the JAX documentation.

## Example

```py
@jax.jit
def smoothstep(t):
    inside = 0.0 < t < 1.0  # error
    return jnp.where(inside, t * t * (3 - 2 * t), jnp.clip(t, 0.0, 1.0))

smoothstep(0.25)
```

## Use instead

```py fixed
@jax.jit
def smoothstep(t):
    inside = (0.0 < t) & (t < 1.0)
    return jnp.where(inside, t * t * (3 - 2 * t), jnp.clip(t, 0.0, 1.0))

smoothstep(0.25)
```

## With an array

```py
@jax.jit
def bump(x, centre):
    near = centre - 1 <= x <= centre + 1  # error
    return jnp.where(near, 1.0, 0.0)

bump(jnp.linspace(-3.0, 3.0, 7), 0.0)
```

## Fine as it is

A chain of static values decides while tracing.

```py
@jax.jit
def window(x, size=3):
    if 0 < size <= x.shape[0] == x.size:
        return jnp.convolve(x, jnp.ones(size) / size, mode="valid")
    return x

window(jnp.arange(5.0))
```

The last comparison of a chain is its value and is not turned into a `bool`.

```py
@jax.jit
def exceeds_rank(x, threshold):
    return 0 < x.ndim < threshold

exceeds_rank(jnp.ones(3), 2.5)
```

## Fix

The fix joins the comparisons with `&`. It is safe: the result is the same, for numbers of Python
too. There is none where an operand in the middle is a call, which would run twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX305",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TracerBoolConversionError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink == "chain":
        yield rule.finding(
            fact,
            f"a chained comparison hides an `and`, which needs a concrete bool, but {fact.why()}",
            help=f"join the comparisons of `{fact.text}` with `&`, as in `(a < x) & (x < b)`, "
            "or with `jnp.logical_and`",
        )


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    if not isinstance(fact.node, ir.Compare):
        return None
    mask = fixes.boolean_arrays.Mask(fact, code, is_test=False)
    text = mask.text(fact.node)
    if text is None:
        return None
    return code.fix("Join the comparisons with `&`", code.expression(fact.node, text))
