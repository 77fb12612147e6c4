"""
Traced code changes a `flax.nnx` object that it captures instead of taking it as an argument.

An nnx object belongs to the trace that it was made in. Reading a captured one is fine; changing it
in a transformed function raises `flax.errors.TraceContextError`. Changes hide in calls: dropout and
`Rngs` count the keys that they draw, `BatchNorm` updates its averages, an optimizer its weights.
What `nnx.merge` gives has the variables of its states (since flax 0.11; before, changes were lost).

Source: flax documentation, `flax.errors.TraceContextError`; google/flax#3997, google/flax#5050.

## Example

```py
from flax import nnx

dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

@nnx.jit
def noisy(x):
    return dropout(x)  # error

noisy(jnp.ones(4))
```

## Use instead

```py fixed
from flax import nnx

dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

@nnx.jit
def noisy(dropout, x):
    return dropout(x)

noisy(dropout, jnp.ones(4))
```

## Random keys

```py
from flax import nnx

rngs = nnx.Rngs(0)

@jax.jit
def perturbed(x):
    return x + jax.random.normal(rngs.noise(), x.shape)  # error

perturbed(jnp.ones(4))
```

## Handed on to a transform of nnx

These bring changes back to what they are given, so they refuse what belongs to another trace.

```py
from flax import nnx

model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))

@nnx.jit
def step(x):
    return nnx.value_and_grad(lambda model: model(x).sum())(model)  # error

step(jnp.ones((4, 2)))
```

## An attribute of a captured module

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.last = None

    def __call__(self, x):
        self.last = x.shape
        return self.linear(x)

model = Model(nnx.Rngs(0))
jax.vmap(lambda x: model(x))(jnp.ones((4, 2)))  # error
```

## A state from outside

```py
from flax import nnx

def noisy(dropout, rows):
    graph, state = nnx.split(dropout)

    def body(carry, row):
        return carry, nnx.merge(graph, state)(row)  # error

    return lax.scan(body, 0, rows)[1]

noisy(nnx.Dropout(0.5, rngs=nnx.Rngs(0)), jnp.ones((3, 4)))
```

## Fine as it is

Reading a captured module, and eager code.

```py
from flax import nnx

linear = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

@nnx.jit
def forward(x):
    return linear(dropout(x, deterministic=True))

forward(dropout(jnp.ones((4, 2))))
```

In evaluation mode nothing changes.

```py
from flax import nnx

norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))
norm.eval()
jax.jit(lambda x: norm(x))(jnp.ones((4, 2)))
```

An object that is made in the trace.

```py
from flax import nnx

@jax.jit
def noisy(key, x):
    return nnx.Dropout(0.5, rngs=nnx.Rngs(key))(x)

noisy(jax.random.key(0), jnp.ones(4))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX952",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TraceContextError", "ValueError", anywhere=True),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "nnx-passed":
        yield rule.finding(
            fact,
            f"`{fact.subject}` was made outside the trace, so `{fact.detail}` cannot take it: "
            f"{fact.where()}",
            help="pass the object to the outer function, too, under a transform of nnx",
        )
    if fact.kind != "nnx-captured":
        return
    changed = "" if fact.place is None else f" (`{fact.detail}`, {fact.line_of(fact.place)})"
    yield rule.finding(
        fact,
        f"`{fact.subject}` changes an nnx object that was made outside the trace{changed}: "
        f"{fact.where()}",
        help="pass the object to the transformed function as an argument, under a transform of nnx",
    )
