"""
Traced code reads a module global that is rebound later: compiled calls keep its first value.

A global is not an argument. Its value is read while JAX traces, becomes a constant of the
compiled program and takes no part in the decision whether to trace again. Rebinding the name
changes nothing until a call with a new shape or dtype happens to trace once more; then it does.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function" and "The Sharp
Bits", section "Pure functions".

## Example

```py
rate = 0.5

@jax.jit
def descend(weights):
    return weights - rate * weights  # error

weights = descend(jnp.float32(8.0))
rate = 0.25
descend(weights)
```

## Use instead

```py fixed
@jax.jit
def descend(weights, rate):
    return weights - rate * weights

weights = descend(jnp.float32(8.0), 0.5)
descend(weights, 0.25)
```

## Rebound by another function

```py
gravity = 8.0

def visit(planet_gravity):
    global gravity
    gravity = planet_gravity

@jax.jit
def fall(speed, seconds):
    return speed + gravity * seconds  # error

on_earth = fall(0.0, 2.0)
visit(1.5)
float(fall(0.0, 2.0))
```

## Fine as it is

A constant is bound once.

```py
EPSILON = 0.25

@jax.jit
def invert(x):
    return 1 / (x + EPSILON)

invert(jnp.float32(1.75))
```

Every rebinding comes before the first call.

```py
scale = 2.0
if jnp.finfo(jnp.float32).bits == 32:
    scale = scale * 2

@jax.jit
def rescale(x):
    return x * scale

rescale(rescale(jnp.float32(1.0)))
```

A parameter or a local of the same name hides the global.

```py
rate = 0.5

@jax.jit
def descend(weights, rate):
    return weights - rate * weights

weights = descend(jnp.float32(8.0), rate)
rate = 0.25
descend(weights, rate)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(__name__, code="JAX205", severity=Severity.ERROR, since="0.1", witness=Freezes())


@rule.on(facts.StaleCapture)
def check(fact: facts.StaleCapture) -> Iterator[Finding]:
    if fact.kind != "global":
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
