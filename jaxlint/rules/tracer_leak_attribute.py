"""
A traced value is stored in an attribute of an object that outlives the trace.

A static `self`, a class, a module or any captured object stays behind when tracing ends, and with
it the tracer that was stored: an object that stood for a value of the traced program and has no
numbers. The next use of the attribute raises `UnexpectedTracerError`. Compiled calls do not store
anything, so the attribute never follows the computation.

Source: JAX documentation, `jax.errors.UnexpectedTracerError` and "The Sharp Bits", section "Using
`jax.jit` with class methods"; jax-ml/jax#12773.

## Example

```py
class Cell:
    def __init__(self):
        self.hidden = jnp.zeros(2)

    @partial(jax.jit, static_argnums=0)
    def step(self, inputs):
        self.hidden = 0.5 * self.hidden + inputs  # error
        return self.hidden.sum()

cell = Cell()
cell.step(jnp.array([2.0, 4.0]))
cell.hidden * 2
```

## Use instead

```py fixed
@jax.jit
def step(hidden, inputs):
    hidden = 0.5 * hidden + inputs
    return hidden, hidden.sum()

hidden = jnp.zeros(2)
hidden, total = step(hidden, jnp.array([2.0, 4.0]))
hidden * 2
```

## A list in an attribute

```py
class Trainer:
    def __init__(self):
        self.losses = []
        self.step = jax.jit(self._step)

    def _step(self, weights):
        self.losses.append(jnp.sum(weights**2))  # error
        return weights / 2

trainer = Trainer()
trainer.step(jnp.array([2.0, 4.0]))
sum(trainer.losses)
```

## Fine as it is

The method runs on the host and stores what a compiled function returned.

```py
class Cell:
    def __init__(self):
        self.hidden = jnp.zeros(2)

    def step(self, inputs):
        self.hidden = jax.jit(jnp.add)(self.hidden, inputs)
        return self.hidden.sum()

cell = Cell()
cell.step(jnp.array([2.0, 4.0]))
cell.hidden * 2
```

A registered pytree is rebuilt for the trace; the changed copy is returned.

```py jax>=0.5
import dataclasses

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Cell:
    hidden: jax.Array

    @jax.jit
    def step(self, inputs):
        self.hidden = 0.5 * self.hidden + inputs
        return self

Cell(jnp.zeros(2)).step(jnp.array([2.0, 4.0])).hidden
```

The object is born in the trace and dies with it.

```py
class Cell:
    def __init__(self, size):
        self.hidden = jnp.zeros(size)

@jax.jit
def run(inputs):
    cell = Cell(inputs.shape[1])
    for row in range(inputs.shape[0]):
        cell.hidden = 0.5 * cell.hidden + inputs[row]
    return cell.hidden

run(jnp.ones((2, 3)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Leaks, Rule, Severity, facts

rule = Rule(
    __name__, code="JAX202", severity=Severity.ERROR, since="0.1", over=("JAX204",), witness=Leaks()
)


@rule.on(facts.Stored)
def check(fact: facts.Stored) -> Iterator[Finding]:
    if fact.place != "attribute" or not fact.is_traced:
        return
    yield rule.finding(
        fact,
        f"`{fact.target}` holds a dead tracer once the trace of `{fact.function}` is over; "
        f"{fact.where()}",
        help="return the value and set the attribute in the caller, or register the class as a "
        "pytree and return the changed object",
    )
