"""
Traced code rebinds a `global` or `nonlocal` name only while JAX traces.

Rebinding a name is Python, and the Python of a traced function runs once for each new signature.
Counters stop at one and flags are set by the first call alone; the compiled program knows neither
the name nor its value. State that the program needs is an argument and a result of the function.

Source: JAX documentation, "The Sharp Bits", section "Pure functions", and "Stateful computations".

## Example

```py
steps_done = 0

@jax.jit
def descend(weights):
    global steps_done
    steps_done += 1  # error
    return weights / 2

weights = jnp.float32(8.0)
for _ in range(3):
    weights = descend(weights)
steps_done
```

## Use instead

```py fixed
@jax.jit
def descend(weights, steps_done):
    return weights / 2, steps_done + 1

weights, steps_done = jnp.float32(8.0), 0
for _ in range(3):
    weights, steps_done = descend(weights, steps_done)
int(steps_done)
```

## A flag for the first call

`primed` is False during the only trace, so every call takes the path of the first one.

```py
def make_smoother():
    primed = False

    @jax.jit
    def smooth(level, sample):
        nonlocal primed
        if primed:
            return 0.75 * level + 0.25 * sample
        primed = True  # error
        return sample

    return smooth

smooth = make_smoother()
level = smooth(jnp.float32(0.0), jnp.float32(8.0))
float(smooth(level, jnp.float32(4.0)))
```

## A message that is shown once

A function without a result asks the flag, sets it and shows a message. Compiled calls do not set
it again after a reset, which matters only where more than the message depends on it. This is a
warning.

```py
import warnings

warned = False

def warn_of_padding(size):
    global warned
    if warned:
        return
    warned = True  # error
    warnings.warn(f"{size} is padded to a multiple of 8")

@jax.jit
def pad(x):
    if x.size % 8:
        warn_of_padding(x.size)
    return jnp.pad(x, (0, -x.size % 8))

pad(jnp.ones(5))
warned = False
pad(jnp.ones(5))
warned
```

## Fine as it is

The owner of the name is born in the same trace, and so is every change of it.

```py
@jax.jit
def ladder(x):
    rung = 0

    def climb(height):
        nonlocal rung
        rung += 1
        return height + rung * x

    return climb(climb(x))

ladder(jnp.float32(2.0))
```

A function of the host may keep a global and call compiled code.

```py
steps_done = 0
halve = jax.jit(lambda weights: weights / 2)

def train(weights):
    global steps_done
    steps_done += 1
    return halve(weights)

train(train(jnp.float32(8.0)))
steps_done
```

A counter whose name says that it counts traces counts them rightly.

```py
trace_count = 0

@jax.jit
def halve(weights):
    global trace_count
    trace_count += 1  # at trace time
    return weights / 2

halve(halve(jnp.float32(8.0)))
```
"""

import re
from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX105", severity=Severity.ERROR, since="0.1", witness=Effects())

COUNTS_TRACES = re.compile(r"trace(?!r)|tracing|compil", re.IGNORECASE)


@rule.on(facts.Stored)
def check(fact: facts.Stored) -> Iterator[Finding]:
    if fact.place not in ("global", "nonlocal") or fact.is_traced:
        return
    if COUNTS_TRACES.search(fact.target):
        return
    yield rule.finding(
        fact,
        f"`{fact.target}` changes only while `{fact.function}` is traced, so compiled calls leave "
        f"it alone; {fact.where()}",
        help=f"make `{fact.target}` an argument and return its new value",
        severity=Severity.WARNING if fact.once else None,
    )
