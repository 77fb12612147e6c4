"""
A traced value is stored in a `global` or `nonlocal` name, which is left holding a dead tracer.

A tracer stands for a value of the program that is being traced and has no meaning after it. The
name is bound while JAX traces, so it does not hold the numbers of any call: it holds that tracer,
and the next use of it raises `UnexpectedTracerError`, often far from the cause. Under `jax.jit`
every JAX operation gives a tracer, even one on constants, so lazy initialisation leaks as well.

Source: JAX documentation, `jax.errors.UnexpectedTracerError`; jax-ml/jax#4312.

## Example

```py
last_loss = None

@jax.jit
def descend(weights):
    global last_loss
    last_loss = jnp.sum(weights**2)  # error
    return weights / 2

descend(jnp.array([2.0, 4.0]))
last_loss + 1
```

## Use instead

```py fixed
@jax.jit
def descend(weights):
    return weights / 2, jnp.sum(weights**2)

weights, last_loss = descend(jnp.array([2.0, 4.0]))
last_loss + 1
```

## A table that is built on first use

When the first use is in traced code, the table for everybody else is a tracer.

```py
_window = None

def window():
    global _window
    if _window is None:
        _window = jnp.linspace(0.0, 1.0, 5)  # error
    return _window

fade = jax.jit(lambda signal: signal * window())
fade(jnp.ones(5))
window() * 2
```

## Fine as it is

NumPy is not traced, so a table that it builds is an ordinary array.

```py
_window = None

def window():
    global _window
    if _window is None:
        _window = np.linspace(0.0, 1.0, 5)
    return _window

fade = jax.jit(lambda signal: signal * window())
(fade(jnp.ones(5)), window() * 2)
```

The owner of the name and every reader of it belong to the same trace.

```py
@jax.jit
def energy(velocities, masses):
    total = jnp.float32(0.0)

    def add(velocity, mass):
        nonlocal total
        total = total + 0.5 * mass * velocity**2

    for index in range(2):
        add(velocities[index], masses[index])
    return total

energy(jnp.array([2.0, 4.0]), jnp.array([1.0, 3.0]))
```

The host stores what a compiled function returned.

```py
last_loss = None
loss = jax.jit(lambda weights: jnp.sum(weights**2))

def train(weights):
    global last_loss
    last_loss = loss(weights)
    return weights / 2

train(jnp.array([2.0, 4.0]))
last_loss + 1
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Leaks, Rule, Severity, facts

rule = Rule(
    __name__, code="JAX201", severity=Severity.ERROR, since="0.1", over=("JAX204",), witness=Leaks()
)


@rule.on(facts.Stored)
def check(fact: facts.Stored) -> Iterator[Finding]:
    if fact.place not in ("global", "nonlocal") or not fact.is_traced:
        return
    yield rule.finding(
        fact,
        f"`{fact.target}` holds a dead tracer once the trace of `{fact.function}` is over; "
        f"{fact.where()}",
        help=f"return the value and let the caller bind `{fact.target}`",
    )
