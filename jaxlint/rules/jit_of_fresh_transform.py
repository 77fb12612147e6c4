"""Compiles the result of another transform that is new each time.

`jax.grad(f)`, `jax.vmap(f)` and the other transforms return a new function on every call. JAX
remembers compiled programs by the identity of the function, so `jax.jit(jax.grad(f))` compiles
whenever it is evaluated again, although `f` is always the same (issue 1832 of jax-ml/jax).

## Example

```py
def loss(w):
    return ((w - 3.0) ** 2).sum()

def descend(w, steps):
    for _ in range(steps):
        w = w - 0.1 * jax.jit(jax.grad(loss))(w)  # error
    return w

descend(jnp.zeros(2), 3)
```

## Use instead

Build the chain of transforms once.

```py fixed
def loss(w):
    return ((w - 3.0) ** 2).sum()

slope = jax.jit(jax.grad(loss))

def descend(w, steps):
    for _ in range(steps):
        w = w - 0.1 * slope(w)
    return w

descend(jnp.zeros(2), 3)
```

`--fix --unsafe-fixes` applies the transforms once, at module level or before the loop. It is unsafe
since a program that lives longer keeps the values of globals that it read first.

## On every call

```py
def distance(a, b):
    return jnp.sqrt(((a - b) ** 2).sum())

def distances(points, centre):
    batched = jax.jit(jax.vmap(distance, in_axes=(0, None)))  # error
    return batched(points, centre)

[distances(jnp.eye(3), jnp.ones(3)) for _ in range(2)]
```

## Fine as it is

The other way round works: a transform of one compiled function finds its program again.

```py
@jax.jit
def loss(w):
    return ((w - 3.0) ** 2).sum()

[jax.grad(loss)(jnp.zeros(2)) for _ in range(3)]
```

In traced code transforms are traced with the rest, once.

```py
@jax.jit
def update(w):
    return w - 0.1 * jax.jit(jax.grad(lambda v: (v**2).sum()))(w)

[update(jnp.ones(2)) for _ in range(3)]
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if each iteration of the loop
compiles another function, which needs a program of its own; and outside of loops, if what is
compiled uses what the call was given and no loop of the file is seen to call the function.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Finding,
    Fix,
    Recompiles,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX505",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.FreshJit)
def check(fact: facts.FreshJit) -> Iterator[Finding]:
    if fact.cause == "transform":
        often = f"call of `{fact.function}`" if fact.place == "call" else "iteration"
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again on every {often}: `{fact.inner}` returns a new "
            "function each time, and compiled programs are found by function identity",
            help=f"apply `{fact.callee}` and `{fact.inner}` once, outside, and keep the result",
        )


@rule.fix(facts.FreshJit)
def fix(fact: facts.FreshJit, code: Code) -> Fix | None:
    if fact.cause != "transform" or not isinstance(fact.node, ir.Call):
        return None
    return fixes.compile_once.compiled_once(code, fact.node)
