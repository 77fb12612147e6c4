"""
An optax transformation is used against its contract, so it raises or does nothing.

The functions of optax are pure: `tx.update(...)` and `optax.apply_updates(...)` change nothing,
they return the updates, the new state and the new parameters. Thrown away, they did nothing. A
transformation is a pair of Python functions, not an array, so that `jax.jit` refuses it as an
argument. And those that decay or clip by the parameters have to be given these.

Source: optax documentation, "Getting started"; patrick-kidger/equinox#686.

## Example

```py
import optax

tx = optax.sgd(0.1)

@jax.jit
def step(params, state, grads):
    updates, state = tx.update(grads, state, params)
    optax.apply_updates(params, updates)  # error
    return params, state

params = {"w": jnp.ones(3)}
step(params, tx.init(params), params)[0]
```

## Use instead

```py fixed
import optax

tx = optax.sgd(0.1)

@jax.jit
def step(params, state, grads):
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state

params = {"w": jnp.ones(3)}
step(params, tx.init(params), params)[0]
```

## An update that nobody takes

```py
import optax

tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))

@jax.jit
def step(params, state, grads):
    tx.update(grads, state, params)  # error
    return params, state

params = {"w": jnp.ones(3)}
step(params, tx.init(params), params)[0]
```

## An optimizer as an argument

```py
import optax

@jax.jit
def step(params, state, tx):  # error
    updates, state = tx.update(params, state, params)
    return optax.apply_updates(params, updates), state

params = {"w": jnp.ones(3)}
tx = optax.adam(1e-3)
step(params, tx.init(params), tx)[0]
```

```py fixed
import optax

@partial(jax.jit, static_argnames="tx")
def step(params, state, tx):
    updates, state = tx.update(params, state, params)
    return optax.apply_updates(params, updates), state

params = {"w": jnp.ones(3)}
tx = optax.adam(1e-3)
step(params, tx.init(params), tx)[0]
```

## Weight decay without the weights

```py
import optax

tx = optax.adamw(1e-3)

def step(params, state, grads):
    updates, state = tx.update(grads, state)  # error
    return optax.apply_updates(params, updates), state

params = {"w": jnp.ones(3)}
step(params, tx.init(params), params)
```

## Fine as it is

Dictionaries and sets have an `update` too, which changes them.

```py
import optax

history = {}
schedule = optax.cosine_decay_schedule(0.1, 100)

@jax.jit
def rate(step):
    return schedule(step)

for step in range(3):
    history.update({step: rate(step)})
history
```

A state of its own for each group of parameters; plain `adam` does not need the parameters.

```py
import optax

tx = optax.multi_transform({"a": optax.adam(0.1), "b": optax.sgd(0.1)}, {"x": "a", "y": "b"})
params = {"x": jnp.ones(2), "y": jnp.ones(2)}

@jax.jit
def step(params, state):
    updates, state = tx.update(params, state)
    return optax.apply_updates(params, updates), state

step(params, tx.init(params))[0]
```

The transformation is captured by the function, and so part of the program.

```py
import optax

def make_step(tx):
    @jax.jit
    def step(params, state, grads):
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state
    return step

params = {"w": jnp.ones(3)}
tx = optax.adamw(1e-3)
make_step(tx)(params, tx.init(params), params)[0]
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fruitless, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX959",
    severity=Severity.ERROR,
    since="0.1",
    witness=Fruitless("TypeError", "ValueError"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    subject = fact.subject
    if fact.kind == "optax-discarded":
        yield rule.finding(
            fact,
            f"`{subject}(...)` changes nothing: it returns what is new, which is thrown away here",
            help="bind the result, and go on with it",
        )
    elif fact.kind == "optax-argument":
        yield rule.finding(
            fact,
            f"`{subject}` gets an optax transformation, which is no array: {fact.where()}",
            help="mark the argument static with `static_argnames`, or let the function capture it",
        )
    elif fact.kind == "optax-parameters":
        yield rule.finding(
            fact,
            f"`{subject}` raises without the parameters: `{fact.detail}` computes with them",
            help=f"pass them: `{subject}(grads, state, params)`",
        )
