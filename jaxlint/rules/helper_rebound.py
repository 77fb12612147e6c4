"""
A function that traced code calls is rebound later: what is compiled keeps the old one.

Which function a name stands for is looked up while JAX traces. Rebinding the name, as a mock does,
a cell of a notebook that is run again or an assignment to an attribute, reaches the programs that
are compiled from then on, and none that is compiled already.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function".

## Example

```py
def loss(x):
    return x * 2

@jax.jit
def step(x):
    return loss(x) + 1  # error

first = step(jnp.float32(1.0))

def loss(x):
    return x * 100

step(jnp.float32(1.0))
```

## Use instead

```py fixed
def loss(x):
    return x * 2

@partial(jax.jit, static_argnums=0)
def step(loss, x):
    return loss(x) + 1

first = step(loss, jnp.float32(1.0))

def loss(x):
    return x * 100

step(loss, jnp.float32(1.0))
```

## An attribute

```py
import types

model = types.SimpleNamespace(apply=lambda x: x * 2)

@jax.jit
def predict(x):
    return model.apply(x)  # error

first = predict(jnp.float32(1.0))
model.apply = lambda x: x * 100
predict(jnp.float32(1.0))
```

## Fine as it is

The name is rebound before anything is compiled.

```py
def loss(x):
    return x * 2

loss = jax.jit(loss)

@jax.jit
def step(x):
    return loss(x) + 1

step(jnp.float32(1.0))
```

The caller is made again, too.

```py
def loss(x):
    return x * 2

step = jax.jit(loss)
first = step(jnp.float32(1.0))

def loss(x):
    return x * 100

step = jax.jit(loss)
step(jnp.float32(1.0))
```

## Notes

The rule is off unless it is selected: tests rebind functions on purpose, and clear the caches.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX211",
    severity=Severity.INFO,
    since="0.1",
    witness=Freezes(),
    default=False,
)


@rule.on(facts.StaleCapture)
def check(fact: facts.StaleCapture) -> Iterator[Finding]:
    if fact.kind != "helper":
        return
    change = "later changes"
    if fact.changed:
        change = f"the new one at {fact.line_of(fact.changed[0])}"
    yield rule.finding(
        fact,
        f"`{fact.name}` is looked up only while `{fact.function}` is traced, so compiled calls "
        f"miss {change}; {fact.where()}",
        help=f"pass `{fact.name}` as a static argument, or jit again",
    )
