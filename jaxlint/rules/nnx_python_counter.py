"""
A Python number of a `flax.nnx` object changes under `nnx.jit`, so each call compiles again.

Attributes that are no `Variable` are part of the structure of an nnx object, and `nnx.jit` compiles
for each structure. A counter that the compiled function increases is brought back to the object
after the call: the next call finds another structure, and traces and compiles once more.

Source: flax documentation, "NNX Basics" (static attributes), and `tests/test_ecosystems_flax.py`.

## Example

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((2, 2)))
        self.calls = 0

    def __call__(self, x):
        self.calls += 1  # error
        return x @ self.weight

model = Model()
forward = nnx.jit(lambda model, x: model(x))
forward(model, jnp.ones((1, 2)))
```

## Use instead

```py fixed
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((2, 2)))
        self.calls = nnx.Variable(jnp.zeros((), int))

    def __call__(self, x):
        self.calls[...] += 1
        return x @ self.weight

model = Model()
forward = nnx.jit(lambda model, x: model(x))
forward(model, jnp.ones((1, 2)))
```

## A schedule in the object

```py
from flax import nnx

class Annealed(nnx.Module):
    def __init__(self):
        self.temperature = 1.0

@nnx.jit
def soften(model, logits):
    model.temperature = model.temperature * 0.9  # error
    return logits / model.temperature

model = Annealed()
soften(model, jnp.ones(3))
```

## Fine as it is

Eager code counts as it likes.

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((2, 2)))
        self.epoch = 0

@nnx.jit
def forward(model, x):
    return x @ model.weight

model = Model()
model.epoch += 1
forward(model, jnp.ones((1, 2)))
forward(model, jnp.ones((1, 2)))
```

What is set to the same value each time settles.

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.scale = 2
        self.seen = None

    def __call__(self, x):
        self.seen = x.shape[0]
        return self.scale * x

model = Model()
forward = nnx.jit(lambda model, x: model(x))
forward(model, jnp.ones(4))
forward(model, jnp.ones(4))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Recompiles, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX953",
    severity=Severity.PERF,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.Misused)
def check(fact: facts.Misused) -> Iterator[Finding]:
    if fact.kind != "nnx-counter":
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}` is a Python number that changes on every call, and each value compiles "
        f"again: {fact.where()}",
        help="hold it as an array: `nnx.Variable(jnp.zeros((), int))`, changed by `[...] += 1`",
    )
