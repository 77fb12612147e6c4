"""
File, network or process I/O in traced code happens only while JAX traces.

The Python of a traced function runs once for each new signature. A file is then written once for
any number of compiled calls, and what is read from one becomes a constant of the compiled
program. A traced operand has no data yet, so writing it raises or stores a tracer's description.

Source: JAX documentation, "External callbacks"; `jax.experimental.io_callback`.

## Example

```py
import pathlib, tempfile

@jax.jit
def step(state):
    with open(journal, "a") as file:  # error
        file.write("step;")
    return state + 1

with tempfile.TemporaryDirectory() as folder:
    journal = pathlib.Path(folder, "journal.txt")
    state = jnp.zeros(2)
    for _ in range(3):
        state = step(state)
    entries = journal.read_text()
entries
```

## Use instead

```py fixed
import pathlib, tempfile

@jax.jit
def step(state):
    return state + 1

with tempfile.TemporaryDirectory() as folder:
    journal = pathlib.Path(folder, "journal.txt")
    state = jnp.zeros(2)
    for _ in range(3):
        state = step(state)
        with open(journal, "a") as file:
            file.write("step;")
    entries = journal.read_text()
entries
```

## A traced operand cannot be saved

```py
import io, pickle

checkpoint = io.BytesIO()

@jax.jit
def train(weights):
    weights = weights * 0.5
    pickle.dump(weights, checkpoint)  # error: [host-api-on-traced]
    return weights

train(jnp.ones(3))
```

## Fine as it is

`io_callback` runs its function on the host, once per call.

```py
import io
from jax.experimental import io_callback

journal = io.StringIO()

def record(loss):
    journal.write(f"{float(loss)};")

@jax.jit
def step(state):
    io_callback(record, None, jnp.sum(state), ordered=True)
    return state + 1

step(step(jnp.zeros(2)))
jax.effects_barrier()
journal.getvalue()
```

A method called `open` is not the built-in.

```py
from typing import NamedTuple

class Valve(NamedTuple):
    area: float

    def open(self, pressure):
        return self.area * jnp.sqrt(pressure)

flow = jax.jit(lambda pressure: Valve(0.5).open(pressure))
flow(jnp.float32(16.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX104", severity=Severity.ERROR, since="0.1", witness=Effects())


# A traced operand cannot be written; other I/O at trace time may be meant (a directory made).
@rule.on(facts.Effect)
def check(fact: facts.Effect) -> Iterator[Finding]:
    if fact.kind != "io":
        return
    if fact.traced is None:
        outcome = "so compiled calls skip it"
    else:
        operand = " ".join(fact.module.text_of(fact.traced).split())
        outcome = f"when `{operand}` has no data yet"
    yield rule.finding(
        fact,
        f"`{fact.callee}` runs only while `{fact.function}` is traced, {outcome}; {fact.where()}",
        help="move it to the caller, or into a function given to `jax.experimental.io_callback`",
        severity=Severity.WARNING if fact.traced is None else None,
    )
