"""Rearranges an array by a traced number: `reshape`, `tile`, `split`, `pad`.

How an array is laid out is part of the program that JAX compiles. The dimensions of `reshape` and
`broadcast_to`, the repetitions of `tile`, the sections of `split`, the widths of `pad` and the
sizes of `lax.dynamic_slice` have to be Python integers. A traced one raises `TypeError` or one of
its classes in `jax.errors`.

Source: JAX documentation, "Control flow and logical operators with JIT", on static and traced
operations; "Errors", `ConcretizationTypeError`.

## Example

```py
def folded(row, width):
    return row.reshape(-1, width)  # error

jax.vmap(folded)(jnp.ones((2, 6)), jnp.array([2, 2]))
```

## Use instead

Leave the number as it is: what `vmap` does not map keeps its value, and so does an argument of
`jit` that is static.

```py fixed
def folded(row, width):
    return row.reshape(-1, width)

jax.vmap(folded, in_axes=(0, None))(jnp.ones((2, 6)), 2)
```

## A width from data

```py
@jax.jit
def padded(line, lengths):
    missing = 4 - lengths.max()
    return jnp.pad(line, (0, missing))  # error

padded(jnp.ones(3), jnp.array([3]))
```

## A window whose size is not known

Where a slice starts may be traced. Its size may not.

```py
@jax.jit
def window(signal, start, width):
    return lax.dynamic_slice_in_dim(signal, start, width)  # error

window(jnp.arange(8.0), 2, 3)
```

```py fixed
@partial(jax.jit, static_argnums=2)
def window(signal, start, width):
    return lax.dynamic_slice_in_dim(signal, start, width)

window(jnp.arange(8.0), 2, 3)
```

## Fine as it is

Numbers that come from shapes are static.

```py
@jax.jit
def halves(x):
    half = x.shape[0] // 2
    return x.reshape(2, half), jnp.split(x, [half]), jnp.tile(x, x.ndim), x.reshape(2, -1)

halves(jnp.arange(4.0))
```

How far to shift, what to fill in and where to start may be traced.

```py
@jax.jit
def moved(x, by):
    filled = jnp.pad(x, 1, constant_values=by)
    return jnp.roll(x, by), filled, lax.dynamic_slice(x, (by,), (2,))

moved(jnp.arange(4.0), 1)
```

A parameter with a default is traced only where it is passed.

```py
@jax.jit
def stacked(x, times=2):
    return jnp.tile(x, times)

stacked(jnp.ones(2))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX409",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ConcretizationTypeError", "TracerIntegerConversionError"),
)


@rule.on(facts.StaticNeeded)
def check(fact: facts.StaticNeeded) -> Iterator[Finding]:
    if fact.need == "layout":
        yield rule.finding(
            fact,
            f"`{fact.callee}` needs Python integers, and `{fact.text}` has no value during "
            f"tracing; {fact.why()}",
            help="make it a static argument (`static_argnames`), or take it from a `.shape`",
        )
