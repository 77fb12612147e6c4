"""Slices an array with traced bounds.

The length of `x[start:stop]` is the difference of its bounds. If one of them is traced JAX does
not know that length, not even in `x[i : i + 3]`, where it only sees two traced numbers. Tracing
stops with a plain `IndexError` ("Slice entries must be static integers"; see issues 1007 and 7222
of jax-ml/jax).

## Example

```py
@jax.jit
def window_mean(series, start):
    return series[start : start + 3].mean()  # error

window_mean(jnp.arange(8.0), 2)
```

## Use instead

A dynamic slice has a traced start and a static size. Unlike Python's slices it moves a window
that would stick out back into the array. `series[jax.ds(start, 3)]` is the same.

```py fixed
@jax.jit
def window_mean(series, start):
    return lax.dynamic_slice_in_dim(series, start, 3).mean()

window_mean(jnp.arange(8.0), 2)
```

## A varying length

The counter of `fori_loop` is traced, with or without `jit`. A prefix has no fixed size; select
it with a mask: `jnp.where(jnp.arange(x.size) < i, x, 0)`.

```py
def prefix_sums(x):
    def body(i, total):
        return total + x[:i].sum()  # error
    return lax.fori_loop(0, x.size, body, 0.0)

prefix_sums(jnp.arange(4.0))
```

## Fine as it is

A traced index is not a slice: the shape of the result is that of the index.

```py
@jax.jit
def around(series, i):
    return series[i], series[-i], series[i + jnp.arange(2)], series[i, None]

around(jnp.arange(8.0), 2)
```

Bounds from shapes, static arguments and Python loops are numbers.

```py
@partial(jax.jit, static_argnames="width")
def pooled(series, width):
    half = series[: series.shape[0] // 2]
    return [half[k : k + width].max() for k in range(0, half.size, width)]

pooled(jnp.arange(8.0), width=2)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX410",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Raises("IndexError", "TypeError", "TracerArrayConversionError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "slice":
        yield rule.finding(
            fact,
            f"the slice bound `{fact.text}` must be static, so that the length is known during "
            f"tracing; {fact.why()}",
            help="for a fixed length `lax.dynamic_slice_in_dim(x, start, size)` or "
            "`x[jax.ds(start, size)]`, for a varying one a mask with `jnp.where`",
        )
