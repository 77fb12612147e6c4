"""A traced function returns something that is no array: a string, a set, a function, a dtype.

What a traced function returns are the results of the compiled program: arrays, numbers, and
tuples, lists, dicts and other pytrees of them. For anything else JAX raises `TypeError` ("returned
a value of type <class 'str'>, which is not a valid JAX type"). Under plain `grad`, what stands
beside the value (`has_aux=True`) may be anything.

Source: JAX documentation, "Pytrees".

## Example

```py
@jax.jit
def classify(logits):
    return jnp.argmax(logits), "argmax"  # error

classify(jnp.arange(3.0))
```

## Use instead

Return the arrays, and keep the rest outside.

```py fixed
@jax.jit
def best(logits):
    return jnp.argmax(logits)

def classify(logits):
    return best(logits), "argmax"

classify(jnp.arange(3.0))
```

## A generator

```py
@jax.jit
def halves(x):
    return (part / 2 for part in x)  # error

halves(jnp.arange(3.0))
```

```py
@jax.jit
def halves(x):
    return [part / 2 for part in x]

halves(jnp.arange(3.0))
```

## A function that a body makes

```py
def layer(weight):
    return weight.sum(), lambda x: x * weight  # error

jax.vmap(layer)(jnp.ones((2, 3)))
```

## What describes an array

```py
@jax.jit
def describe(x):
    return {"mean": x.mean(), "dtype": x.dtype}  # error

describe(jnp.ones(3))
```

```py fixed
@jax.jit
def mean(x):
    return x.mean()

def describe(x):
    return {"mean": mean(x), "dtype": x.dtype}

describe(jnp.ones(3))
```

## Fine as it is

Python numbers become arrays, `None` is an empty pytree.

```py
@jax.jit
def shape_of(x):
    return x.shape, x.ndim, True, None, {"parts": [x, 1.0]}

shape_of(jnp.ones((2, 3)))
```

Beside the value that `grad` differentiates, anything may be returned.

```py
def loss(w):
    return (w**2).sum(), {"name": "square", "function": jnp.square}

jax.value_and_grad(loss, has_aux=True)(jnp.ones(2))[0][1]["name"]
```

A string that is not reached, or used inside.

```py
@jax.jit
def activate(x, kind="tanh"):
    return getattr(jnp, kind)(x) if kind in ("tanh", "sin") else f"no {kind}"

activate(jnp.ones(2))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX618",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", anywhere=True),
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind == "no-array":
        yield rule.finding(
            fact,
            f"`{fact.function}` returns {fact.subject}, which is no array and no number; "
            f"{fact.where()}",
            help="return arrays, and add the rest outside of the traced function",
        )
