"""
A function that is jitted in a loop captures the loop variable and outlives the iteration.

Python looks the variable up when the function runs, not when it is made, and JAX runs the
function only to trace it. So the value that gets compiled is the one of the moment of the first
call: the iteration's own value when the call happens at once, the last one when it happens after
the loop, and again the last one when a new shape or dtype traces the function once more.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function"; Python
documentation, "Programming FAQ", on lambdas defined in a loop.

## Example

```py
compiled = {}
weights = jnp.array([8.0, 4.0])
for rate in (0.5, 0.25):
    if weights.shape not in compiled:
        compiled[weights.shape] = jax.jit(lambda weights: weights - rate * weights)  # error
    weights = compiled[weights.shape](weights)
weights
```

## Use instead

```py fixed
descend = jax.jit(lambda weights, rate: weights - rate * weights)

weights = jnp.array([8.0, 4.0])
for rate in (0.5, 0.25):
    weights = descend(weights, rate)
weights
```

## The first call decides

Each head is warmed up with a scalar, and then used with a vector: the vector gets the last power.

```py
heads = []
for power in (1, 2, 3):

    def head(x):
        return x**power  # error

    heads.append(jax.jit(head))
    heads[-1](jnp.float32(2.0))

[float(head(jnp.float32(2.0))) for head in heads], heads[0](jnp.array([2.0, 4.0]))
```

## Fine as it is

A default argument is evaluated when the function is made.

```py
heads = [jax.jit(lambda x, power=power: x**power) for power in (1, 2, 3)]
[head(jnp.float32(2.0)) for head in heads]
```

A factory gives each function a variable of its own.

```py
def make_head(power):
    return jax.jit(lambda x: x**power)

heads = [make_head(power) for power in (1, 2, 3)]
[head(jnp.float32(2.0)) for head in heads]
```

The function is used up in its own iteration.

```py
columns = jnp.arange(3.0)
[jax.vmap(lambda x: x * weight)(columns).sum() for weight in (1, 2, 3)]
```

## Fix

The fix gives the function a parameter with the loop variable as its default, `power=power`, which
is evaluated when the function is made. It is unsafe: the value of the moment of the first call may
have been meant. There is none where not every iteration makes the function.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Freezes, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX208",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Freezes(is_meant_eagerly=False),
)


@rule.on(facts.StaleCapture)
def check(fact: facts.StaleCapture) -> Iterator[Finding]:
    if fact.kind != "loop":
        return
    yield rule.finding(
        fact,
        f"`{fact.name}` is whatever the loop has reached when `{fact.function}` is first called, "
        f"and stays so; {fact.where()}",
        help=f"make `{fact.name}` a parameter, or build the function in a factory that takes it",
    )


@rule.fix(facts.StaleCapture)
def fix(fact: facts.StaleCapture, code: Code) -> Fix | None:
    if fact.kind != "loop" or not isinstance(fact.node, ir.Name):
        return None
    name = fact.node.id
    return code.fix(
        f"Keep `{name}` by a default", *fixes.callback_operands.bound_early(code, fact.node)
    )
