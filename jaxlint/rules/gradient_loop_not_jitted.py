"""Calls a gradient or a mapped function in a loop without compiling it.

What `jax.grad`, `jax.value_and_grad` or `jax.vmap` give back runs like any Python function: it is
traced in each call, and each operation is dispatched by itself. In a loop this is many times
slower than the same function compiled once with `jax.jit`. See "Quickstart" in the JAX
documentation.

## Example

```py
import sys

def energy(w):
    return jnp.sum((jnp.tanh(w) - 0.5) ** 2)

def calls(thunk):
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    thunk()
    sys.setprofile(None)
    return len(seen)

def compiled():
    for _ in range(30):
        fast(start)

def plain():
    for _ in range(30):
        slope(start)  # error

slope = jax.grad(energy)
fast = jax.jit(jax.grad(energy))
start = jnp.ones(3)
plain(), compiled()
calls(plain) < 2 * calls(compiled)
```

## Use instead

Compile the whole step: the gradient, and what is done with it.

```py fixed
def energy(w):
    return jnp.sum((jnp.tanh(w) - 0.5) ** 2)

@jax.jit
def step(w):
    return w - 0.1 * jax.grad(energy)(w)

w = jnp.ones(3)
for _ in range(30):
    w = step(w)
float(energy(w)) < 1.0
```

`--fix --unsafe-fixes` compiles what the transform makes, at module level or where it is made, if
its function computes with JAX alone; the step around it is left to you. It is unsafe since compiled
code may round otherwise, and a short loop does not earn what compiling costs.

## On the spot

```py
import sys

def mean_square(w, x):
    return jnp.mean((x * w) ** 2)

def gradients(w, batches):
    return [jax.grad(mean_square)(w, batch) for batch in batches]  # error

def compiled(w, batches):
    return [fast(w, batch) for batch in batches]

fast = jax.jit(jax.grad(mean_square))
batches = [jnp.ones(4) * i for i in range(20)]
compiled(2.0, batches), gradients(2.0, batches)

def calls(thunk):
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    thunk()
    sys.setprofile(None)
    return len(seen)

calls(lambda: gradients(2.0, batches)) < 2 * calls(lambda: compiled(2.0, batches))
```

## Fine as it is

Compiled around the transform.

```py
slope = jax.jit(jax.grad(lambda w: jnp.sum(w**2)))
w = jnp.ones(3)
for _ in range(5):
    w = w - 0.1 * slope(w)
float(w[0]) < 1.0
```

A single call.

```py
float(jax.grad(lambda w: w**3)(2.0)) == 12.0
```

## Notes

This rule is off by default: loops that run a few times, in examples and tests, are as well off
without compiling.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX712",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    applicability=Applicability.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.LoopCost)
def check(fact: facts.LoopCost) -> Iterator[Finding]:
    if fact.kind == "gradient":
        what = "what is called here" if fact.subject == "function" else f"`{fact.subject}`"
        yield rule.finding(
            fact,
            f"{what} is transformed but not compiled: each iteration traces it again and "
            "dispatches every operation by itself",
            help="compile the step that the loop repeats with `jax.jit`",
        )


@rule.fix(facts.LoopCost)
def fix(fact: facts.LoopCost, code: Code) -> Fix | None:
    if fact.kind != "gradient" or not isinstance(fact.node, ir.Call):
        return None
    return fixes.compile_once.compiled_gradient(code, fact.node)
