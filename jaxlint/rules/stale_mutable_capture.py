"""
Traced code reads a captured object that is changed in place later.

A dict, a list, a NumPy array or a settings object that traced code reaches by name is read while
JAX traces. What it contains at that moment becomes a constant of the compiled program; a later
change of its contents is invisible to compiled calls, until a new shape or dtype traces again.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function" and "The Sharp
Bits", section "Pure functions"; jax-ml/jax#12773.

## Example

```py
settings = {"rate": 0.5}

@jax.jit
def descend(weights):
    return weights - settings["rate"] * weights  # error

weights = descend(jnp.float32(8.0))
settings["rate"] = 0.25
descend(weights)
```

## Use instead

```py fixed
settings = {"rate": 0.5}

@jax.jit
def descend(weights, settings):
    return weights - settings["rate"] * weights

weights = descend(jnp.float32(8.0), settings)
settings["rate"] = 0.25
descend(weights, settings)
```

## A NumPy buffer

The compiled program holds a copy of the buffer.

```py
target = np.zeros(2, np.float32)

@jax.jit
def distance(point):
    return jnp.sum((point - target) ** 2)  # error

point = jnp.array([1.0, 2.0])
before = distance(point)
target[:] = 1.0
distance(point)
```

## Fine as it is

Nobody changes the table.

```py
WIDTHS = {"small": 2, "large": 4}

@jax.jit
def widen(x):
    return jnp.tile(x, WIDTHS["small"]) * WIDTHS["large"]

widen(jnp.ones(2))
```

Every change comes before the first call.

```py
settings = {"rate": 0.5}
settings["rate"] = 0.25

@jax.jit
def descend(weights):
    return weights - settings["rate"] * weights

descend(descend(jnp.float32(8.0)))
```

A local of the traced function has the same name as the object that changes.

```py
buffer = np.zeros(2, np.float32)

@jax.jit
def smooth(signal):
    buffer = jnp.roll(signal, 1)
    return 0.5 * (signal + buffer)

signal = smooth(jnp.array([2.0, 4.0]))
buffer[:] = signal
smooth(signal)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(__name__, code="JAX206", severity=Severity.WARNING, since="0.1", witness=Freezes())


@rule.on(facts.StaleCapture)
def check(fact: facts.StaleCapture) -> Iterator[Finding]:
    if fact.kind != "mutable":
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
