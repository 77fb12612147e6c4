"""Passes a traced value for an axis, a flag or another option, which must be a Python value.

The options of JAX functions decide which program is compiled: `axis`, `keepdims`, `dtype`, the `k`
of `jnp.tril` and `lax.top_k`, modes and methods, the `length` of `lax.scan`. While JAX traces, a
traced value has no value, so it cannot decide anything. Depending on the function this raises
`ConcretizationTypeError`, `TracerBoolConversionError`, `TracerIntegerConversionError`, a plain
`TypeError`, or a `ValueError` ("Non-hashable static arguments"), since many functions of
`jax.numpy` are jitted with static arguments themselves.

Source: JAX documentation, "Errors", first example of `ConcretizationTypeError`.

## Example

```py
def spreads(table):
    return lax.map(lambda axis: table.std(axis).max(), jnp.arange(2))  # error

spreads(jnp.ones((2, 3)))
```

## Use instead

A Python loop over Python numbers, or for an argument of `jit` a static one (`static_argnames`).

```py fixed
def spreads(table):
    return jnp.stack([table.std(axis).max() for axis in range(2)])

spreads(jnp.ones((2, 3)))
```

## As many as the data say

```py
@jax.jit
def best(scores, valid):
    values, places = lax.top_k(scores, valid.sum())  # error
    return values

best(jnp.arange(4.0), jnp.array([True, True, False, False]))
```

## A flag in a helper

Values that go through a function of yours stay traced.

```py
def normalise(x, exact):
    return jax.nn.gelu(x, approximate=exact)  # error

@jax.jit
def layer(x, exact):
    return normalise(x, exact=exact)

layer(jnp.ones(3), True)
```

```py fixed
def normalise(x, exact):
    return jax.nn.gelu(x, approximate=exact)

layer = jax.jit(lambda x: normalise(x, exact=True))
layer(jnp.ones(3))
```

## Steps of a scan

```py
def simulate(state, steps):
    def step(state, _):
        return state * 0.5, state

    return lax.scan(step, state, None, length=steps)  # error

jax.jit(simulate)(1.0, 4)
```

## Fine as it is

Not everything that is an integer is an option: indices, shifts, exponents and limits may be
traced.

```py
@jax.jit
def picked(x, at, low):
    return jnp.take(x, at), jnp.roll(x, at), jnp.clip(x, low, at), x**at, jnp.trace(jnp.eye(3), at)

picked(jnp.arange(3.0), 1, 0)
```

An option that stays with its default, or comes from a shape, is a Python value.

```py
@jax.jit
def spread(x, axis=-1):
    return x.std(axis, keepdims=x.ndim > 1), jnp.concatenate([x, x], axis=x.ndim - 1)

spread(jnp.ones((2, 2)))
```

What `vmap` does not map keeps its value.

```py
mean = jax.vmap(lambda row, axis: row.mean(axis), in_axes=(0, None))
mean(jnp.ones((2, 3)), 0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX411",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises(
        "TypeError",
        "ValueError",
        "ConcretizationTypeError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
    ),
)


@rule.on(facts.StaticNeeded)
def check(fact: facts.StaticNeeded) -> Iterator[Finding]:
    if fact.need == "option":
        yield rule.finding(
            fact,
            f"`{fact.callee}` needs a Python value for `{fact.parameter}`, and `{fact.text}` has "
            f"none during tracing; {fact.why()}",
            help="make it a static argument (`static_argnames`), or decide it outside",
        )
