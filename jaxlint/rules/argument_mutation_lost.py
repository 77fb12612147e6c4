"""
Traced code changes a container it was given without returning it: the caller never sees that.

Transforms take pytrees apart. The dict, list or object that the function gets is a new one, which
JAX built around the tracers; the caller's stays what it was. A change of the copy matters if the
function uses or returns it. Where it does neither, the change is lost, without a word.

Source: JAX documentation, "Pytrees", and "The Sharp Bits", section "Pure functions".

## Example

```py
@jax.jit
def step(metrics, weights):
    metrics["norm"] = jnp.sum(weights**2)  # error
    return weights / 2

metrics = {"norm": jnp.float32(0.0)}
weights = step(metrics, jnp.ones(3))
float(metrics["norm"])
```

## Use instead

```py fixed
@jax.jit
def step(metrics, weights):
    metrics["norm"] = jnp.sum(weights**2)
    return metrics, weights / 2

metrics = {"norm": jnp.float32(0.0)}
metrics, weights = step(metrics, jnp.ones(3))
float(metrics["norm"])
```

## A list that grows in the copy

```py
@jax.jit
def remember(history, loss):
    history.append(loss)  # error
    return loss * 0.5

history = [jnp.float32(1.0)]
remember(history, jnp.float32(3.0))
len(history)
```

## An object

```py
import dataclasses

@partial(jax.tree_util.register_dataclass, data_fields=["steps"], meta_fields=[])
@dataclasses.dataclass
class Counter:
    steps: jax.Array

@jax.jit
def advance(counter, x):
    counter.steps = counter.steps + 1  # error
    return x + 1

counter = Counter(jnp.int32(0))
advance(counter, jnp.float32(0.0))
int(counter.steps)
```

## Fine as it is

The changed copy is used, or returned.

```py
@jax.jit
def loss(batch):
    batch["image"] = batch["image"] / 255
    return jnp.mean(batch["image"] * batch["weight"])

loss({"image": jnp.full(3, 51.0), "weight": jnp.ones(3)})
```

```py
@jax.jit
def tick(state):
    alias = state
    state["step"] += 1
    return alias

tick({"step": jnp.int32(1)})["step"]
```

A helper that is called in the trace changes the very object it is given.

```py
def fill(target, x):
    target["twice"] = x * 2

@jax.jit
def double(x):
    made = {}
    fill(made, x)
    return made["twice"]

double(jnp.float32(2.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Differs, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX108", severity=Severity.ERROR, since="0.1", witness=Differs())


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "mutation-lost":
        return
    what = "" if fact.subject == fact.detail else f"part of `{fact.detail}`, "
    yield rule.finding(
        fact,
        f"`{fact.subject}` is {what}a copy that JAX made for `{fact.function}`: the caller's does "
        f"not change; {fact.where()}",
        help=f"return `{fact.detail}`, and bind it again in the caller",
    )
