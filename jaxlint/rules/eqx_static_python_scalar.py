"""
Passes a Python number that each iteration changes to `eqx.filter_jit`, which compiles anew for it.

What is no array is static under `eqx.filter_jit`, Python numbers included. Each value of a step
counter, a learning rate or a `float(loss)` is a program of its own. That is the reverse of
`jax.jit`, which traces numbers.

Source: Equinox documentation, `equinox.filter_jit` ("all JAX and NumPy arrays are traced, and all
other types are held static"); patrick-kidger/equinox#1062, patrick-kidger/equinox#640.

## Example

```py
import equinox as eqx

class Training:
    rate = 0.1
    weights = jnp.ones(2)

@eqx.filter_jit
def descend(weights, rate):
    return weights - rate * weights

def epoch(training):
    rate, weights = training.rate, training.weights
    for _ in range(3):
        weights = descend(weights, rate)  # error
        rate *= 0.5
    training.rate, training.weights = rate, weights
    return weights

epoch(Training)
```

## Use instead

An array is traced: one program serves all its values.

```py fixed
import equinox as eqx

class Training:
    rate = 0.1
    weights = jnp.ones(2)

@eqx.filter_jit
def descend(weights, rate):
    return weights - rate * weights

def epoch(training):
    rate, weights = jnp.asarray(training.rate), training.weights
    for _ in range(3):
        weights = descend(weights, rate)
        rate *= 0.5
    training.rate, training.weights = rate, weights
    return weights

epoch(Training)
```

`--fix --unsafe-fixes` writes `jnp.asarray(...)` around the number in the call. It is unsafe since
the function then gets an array, whose type may be another one.

## A step counter

```py
import equinox as eqx

steps = iter(range(100))

@eqx.filter_jit
def noise(x, step):
    return x + jnp.sin(step)

[noise(jnp.ones(2), step) for step in itertools.islice(steps, 3)]  # error
```

## Fine as it is

A flag has two values, and code branches on it.

```py
import equinox as eqx

@eqx.filter_jit
def apply(x, training):
    return x * 2 if training else x

[apply(jnp.ones(2), training) for training in (True, False)]
```

The number has to be static: it decides the shape.

```py
import equinox as eqx

sizes = itertools.cycle([2, 3])

@eqx.filter_jit
def padded(x, size):
    return jnp.zeros(size).at[0].set(x)

[padded(1.0, size) for size in itertools.islice(sizes, 2)]
```

`jax.jit` traces numbers.

```py
@jax.jit
def noise(x, step):
    return x + jnp.sin(step)

[noise(jnp.ones(2), step) for step in range(3)]
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Recompiles, Rule, Severity, facts, ir

rule = Rule(
    __name__,
    code="JAX956",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "eqx-static-scalar":
        return
    what = f"`{fact.detail}` of `{fact.text}`" if fact.detail else f"`{fact.text}`"
    yield rule.finding(
        fact,
        f"`{fact.subject}` compiles in each iteration: {what} is a Python number, which "
        "`eqx.filter_jit` holds static",
        help=f"pass an array: `jnp.asarray({fact.text})`" if not fact.detail else "hold an array",
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    node = fact.node
    reached = code.reach("jax.numpy.asarray", node)
    if fact.kind != "eqx-static-scalar" or fact.detail or reached is None:
        return None
    function, edits = reached
    given = code.text(node)
    is_plain = isinstance(node, ir.Expr) and not isinstance(node, ir.Sequence)
    if not is_plain or "\n" in given:
        return None
    edit = code.replace(node, f"{function}({given})")
    return code.fix(f"Replace with `{edit.replacement}`", edit, *edits)
