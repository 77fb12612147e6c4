"""
Traced code sets an attribute of an object that lives outside, only while JAX traces.

A static `self` or a captured object is not part of the compiled program. Setting one of its
attributes is Python, and the Python of a traced function runs once for each new signature: the
first call changes the object, the compiled calls that follow leave it alone.

Source: JAX documentation, "The Sharp Bits", section "Using `jax.jit` with class methods";
jax-ml/jax#12773.

## Example

```py
class Trainer:
    def __init__(self):
        self.steps_done = 0

    @partial(jax.jit, static_argnums=0)
    def step(self, weights):
        self.steps_done += 1  # error
        return weights / 2

trainer = Trainer()
weights = jnp.float32(8.0)
for _ in range(3):
    weights = trainer.step(weights)
trainer.steps_done
```

## Use instead

```py fixed
@jax.jit
def halve(weights):
    return weights / 2

class Trainer:
    def __init__(self):
        self.steps_done = 0

    def step(self, weights):
        self.steps_done += 1
        return halve(weights)

trainer = Trainer()
weights = jnp.float32(8.0)
for _ in range(3):
    weights = trainer.step(weights)
trainer.steps_done
```

## A captured object

The rate decays once; the compiled program keeps that value.

```py
class Schedule:
    rate = 1.0

schedule = Schedule()

@jax.jit
def descend(weights):
    schedule.rate *= 0.5  # error
    return weights - schedule.rate * weights

descend(descend(jnp.float32(8.0)))
```

## Fine as it is

The object is born in the trace.

```py
class Accumulator:
    count = 0

@jax.jit
def mean(samples):
    seen = Accumulator()
    seen.count += samples.shape[0]
    return samples.sum() / seen.count

mean(jnp.arange(4.0))
```

A registered pytree is rebuilt for the trace; the changed copy is returned.

```py jax>=0.5
import dataclasses

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Body:
    position: jax.Array
    velocity: jax.Array

@jax.jit
def brake(body):
    body.velocity = 0.0
    return body

brake(Body(jnp.float32(1.0), jnp.float32(2.0))).velocity
```

The constructor runs on the host; only the method that it wraps is traced.

```py
class Trainer:
    def __init__(self):
        self.step = jax.jit(self._step)

    def _step(self, weights):
        return weights / 2

Trainer().step(jnp.float32(8.0))
```
"""

import re
from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX107", severity=Severity.ERROR, since="0.1", witness=Effects())

COUNTS_TRACES = re.compile(r"trace(?!r)|tracing|compil", re.IGNORECASE)


@rule.on(facts.Stored)
def check(fact: facts.Stored) -> Iterator[Finding]:
    if fact.place != "attribute" or fact.is_traced or COUNTS_TRACES.search(fact.target):
        return
    yield rule.finding(
        fact,
        f"`{fact.target}` changes only while `{fact.function}` is traced, so compiled calls leave "
        f"it alone; {fact.where()}",
        help="return the new value and set the attribute in the caller",
    )
