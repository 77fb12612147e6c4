"""
Passes a string, a function, a dtype or another object that is no array to a traced parameter.

Arguments that are not static are traced, and JAX traces arrays, numbers, and pytrees of those.
Anything else raises `TypeError: Error interpreting argument ... as an abstract array`, or `...
is not a valid JAX type` where it is mapped, differentiated, or handed to control flow.

Source: JAX documentation, `jax.jit` ("Arguments ... should be arrays, scalars, or (nested) standard
Python containers (tuple/list/dict) thereof").

## Example

```py
@jax.jit
def normalise(x, kind):
    return x / x.sum() if kind is None else x / x.max()

normalise(jnp.arange(4.0), "max")  # error
```

## Use instead

```py fixed
@partial(jax.jit, static_argnames="kind")
def normalise(x, kind):
    return x / x.sum() if kind is None else x / x.max()

normalise(jnp.arange(4.0), "max")
```

## A function, inside a container

```py
@jax.jit
def apply(layer, x):
    return layer["activation"](layer["weights"] * x)

apply({"weights": 2.0, "activation": jnp.tanh}, jnp.ones(3))  # error
```

## An object that is no pytree

```py
class Batch:
    def __init__(self, x, y):
        self.x, self.y = x, y

@jax.jit
def error(batch):
    return jnp.mean((batch.x - batch.y) ** 2)

error(Batch(jnp.ones(3), jnp.zeros(3)))  # error
```

## A record that is differentiated

Other transforms take arrays alone for what they map, differentiate, carry or scan over.

```py
from typing import NamedTuple

class Model(NamedTuple):
    weights: jax.Array
    activation: str

def loss(model, x):
    return jnp.mean((x @ model.weights) ** 2)

jax.grad(loss)(Model(jnp.ones(2), "tanh"), jnp.ones((3, 2)))  # error
lax.fori_loop(0, 3, lambda _, model: model, Model(jnp.ones(2), "tanh"))  # error
```

## Fine as it is

None is a pytree without leaves, and containers may be empty.

```py
@jax.jit
def shift(x, offsets, mask=None):
    x = x + sum(offsets)
    return x if mask is None else jnp.where(mask, x, 0.0)

shift(jnp.ones(2), [1.0, 2.0])
shift(jnp.ones(2), [], None)
```

Fields that are declared static are not traced.

```py jax>=0.5
import dataclasses

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Batch:
    x: jax.Array
    name: str = dataclasses.field(metadata={"static": True})

@jax.jit
def total(batch):
    return batch.x.sum()

total(Batch(jnp.ones(3), "train"))
```

`jax.tree_util.Partial` makes a pytree of a function.

```py
@jax.jit
def apply(function, x):
    return function(x)

apply(jax.tree_util.Partial(jnp.power, 2.0), jnp.ones(3))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX607",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "InvalidInputException", "AttributeError"),
)

# What is hashable and holds the same.
HASHABLE = {
    "a list": "a tuple",
    "a set": "a frozen set",
    "a dict": "a tuple of pairs",
    "a deque": "a tuple",
}


DERIVATIVES = (
    "jax.grad",
    "jax.value_and_grad",
    "jax.jacfwd",
    "jax.jacrev",
    "jax.jacobian",
    "jax.hessian",
)
# What a transform does with its argument.
HOW = {
    "jax.vmap": "mapped",
    **dict.fromkeys(DERIVATIVES, "differentiated"),
}
# What gives its elements one after the other.
GIVES = ("an iterator", "a generator")
# What keeps a value out of what a transform takes.
ADVICE = {
    "jax.vmap": "pass it with `None` in `in_axes`, or fix it with `functools.partial`",
    **dict.fromkeys(
        DERIVATIVES,
        "leave the argument out of `argnums`, or what is no array out of the argument",
    ),
}


@rule.on(facts.Refusal)
def check(fact: facts.Refusal) -> Iterator[Finding]:
    if fact.kind != "no-array":
        return
    parameter = f"`{fact.subject}`" if fact.subject else "an argument"
    if "pytree" in fact.detail:
        advice = "register the class as a pytree, or pass its arrays"
    elif fact.by and fact.detail in GIVES:
        advice = "stack what it gives, or go through it in a loop of Python"
    elif fact.by:
        advice = ADVICE.get(fact.by, "let the function capture it")
    else:
        advice = "mark the parameter static with `static_argnames`"
        instead = HASHABLE.get(fact.unhashable)
        if instead:
            advice += f", and pass {instead}: {fact.unhashable} is not hashable"
        elif fact.unhashable:
            advice += f", and pass something hashable, which {fact.unhashable} is not"
    yield rule.finding(
        fact,
        f"{parameter} of `{fact.callee}` is {HOW.get(fact.by, 'traced')}, but `{fact.text}` is "
        f"{fact.detail}: JAX takes arrays, numbers and pytrees of those",
        help=advice,
    )
