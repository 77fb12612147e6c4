"""
The next state of an optimizer is thrown away, so every step starts from the first one.

`tx.update(...)` of optax returns the updates and the next state: moments, and the count of steps
that schedules go by. If that state goes nowhere, moments stay at zero, and the learning rate stays
at the value of the first step. Nothing raises.

Source: optax documentation, "Getting started"; google-deepmind/optax#424.

## Example

```py
import optax

tx = optax.inject_hyperparams(optax.sgd)(optax.linear_schedule(0.0, 1.0, 10))

@jax.jit
def step(params, state, grads):
    updates, _ = tx.update(grads, state, params)  # error
    return optax.apply_updates(params, updates), state

params = {"w": jnp.ones(3)}
state = tx.init(params)
for _ in range(3):
    params, state = step(params, state, params)
int(state.count) == 3
```

## Use instead

```py fixed
import optax

tx = optax.inject_hyperparams(optax.sgd)(optax.linear_schedule(0.0, 1.0, 10))

@jax.jit
def step(params, state, grads):
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state

params = {"w": jnp.ones(3)}
state = tx.init(params)
for _ in range(3):
    params, state = step(params, state, params)
int(state.count) == 3
```

## A state with another name

```py
import optax

optimizer = optax.adam(0.1)

def train(params, steps):
    state = optimizer.init(params)
    for _ in range(steps):
        updates, new_state = optimizer.update(params, state)  # error
        params = optax.apply_updates(params, updates)
    return params, state

int(train(jnp.ones(2), 3)[1][0].count) == 3
```

## Fine as it is

A state that is made for one step, and an optimizer that keeps none.

```py
import optax

tx, plain = optax.adam(0.1), optax.chain(optax.clip(1.0), optax.sgd(0.1))

@jax.jit
def direction(params, grads):
    updates, _ = tx.update(grads, tx.init(params))
    return updates

@jax.jit
def descended(params, state, grads):
    updates, _ = plain.update(grads, state)
    return optax.apply_updates(params, updates)

params = {"w": jnp.ones(3)}
moved = descended(params, plain.init(params), params)
bool(jnp.all(moved["w"] < 1.0)) and bool(jnp.all(direction(params, params)["w"] < 0.0))
```

What is not read is the updates, which a line search may do without.

```py
import optax

tx = optax.adam(0.1)

@jax.jit
def warmed(params, state, grads):
    _, state = tx.update(grads, state, params)
    return state

params = {"w": jnp.ones(3)}
int(warmed(params, tx.init(params), params)[0].count) == 1
```

## Notes

A warning: one step may be all that is wanted.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX963",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "optax-state":
        yield rule.finding(
            fact,
            f"the next state that `{fact.subject}` returns is thrown away: each step starts from "
            "the same moments and the same count of steps",
            help="return the new state, and pass it to the next update",
        )
