"""
A local variable that a jitted inner function captures is rebound later.

A captured variable is not an argument. Its value is read while JAX traces and becomes a constant
of the compiled program, so a training loop that rebinds its parameters around a jitted closure
computes every step with the first ones.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function" and "The Sharp
Bits", section "Pure functions".

## Example

```py
def fit(target, steps):
    weight = jnp.float32(0.0)

    @jax.jit
    def residual(inputs):
        return target - weight * inputs  # error

    for _ in range(steps):
        weight = weight + 0.5 * residual(1.0)
    return weight

fit(8.0, 3)
```

## Use instead

```py fixed
def fit(target, steps):
    weight = jnp.float32(0.0)

    @jax.jit
    def residual(weight, inputs):
        return target - weight * inputs

    for _ in range(steps):
        weight = weight + 0.5 * residual(weight, 1.0)
    return weight

fit(8.0, 3)
```

## Between two calls

```py
def compare(x):
    slope = 0.25
    leaky = jax.jit(lambda x: jnp.where(x > 0, x, slope * x))  # error
    mild = leaky(x)
    slope = 0.5
    steep = leaky(x)
    return mild, steep

compare(jnp.array([-8.0, 8.0]))
```

## Fine as it is

Every rebinding comes before the first call.

```py
def fit(target, boost):
    gain = 1.0
    if boost:
        gain = gain * 2

    @jax.jit
    def residual(weight):
        return gain * (target - weight)

    return residual(jnp.float32(1.0)) + residual(jnp.float32(2.0))

fit(8.0, True)
```

A closure that is made anew captures anew.

```py
def scaled_norm(scale, vector):
    @jax.jit
    def norm(vector):
        return scale * jnp.abs(vector).max()

    return norm(vector)

vector = jnp.array([-2.0, 1.0])
[scaled_norm(scale, vector) for scale in (1.0, 2.0)]
```

The inner function has a parameter of that name.

```py
def compare(x):
    slope = 0.25
    leaky = jax.jit(lambda x, slope: jnp.where(x > 0, x, slope * x))
    mild = leaky(x, slope)
    slope = 0.5
    return mild, leaky(x, slope)

compare(jnp.array([-8.0, 8.0]))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(__name__, code="JAX209", severity=Severity.ERROR, since="0.1", witness=Freezes())


@rule.on(facts.StaleCapture)
def check(fact: facts.StaleCapture) -> Iterator[Finding]:
    if fact.kind != "closure":
        return
    change = "later changes"
    if fact.changed:
        change = f"its change at {fact.line_of(fact.changed[0])}"
    yield rule.finding(
        fact,
        f"`{fact.name}` is read only while `{fact.function}` is traced, so compiled calls miss "
        f"{change}; {fact.where()}",
        help=f"pass `{fact.name}` as an argument",
    )
