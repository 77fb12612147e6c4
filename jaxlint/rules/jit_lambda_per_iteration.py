"""Compiles a lambda that is a new function each time.

JAX remembers compiled programs by the identity of the function. Every evaluation of a `lambda`
makes a new function object, so `jax.jit(lambda ...)` in a loop, or in a function that is called
often, traces and compiles on every pass. See "JIT and caching" on the page "Just-in-time
compilation" of the JAX documentation.

## Example

```py
def standardise_all(batches):
    done = []
    for batch in batches:
        scale = jax.jit(lambda b: (b - b.mean()) / b.std())  # error
        done.append(scale(batch))
    return done

standardise_all([jnp.arange(4.0), jnp.ones(4).at[0].set(3.0)])
```

## Use instead

Make the compiled function once and let it live as long as its callers. What differs between
calls is an argument.

```py fixed
@jax.jit
def standardise(batch):
    return (batch - batch.mean()) / batch.std()

def standardise_all(batches):
    return [standardise(batch) for batch in batches]

standardise_all([jnp.arange(4.0), jnp.ones(4).at[0].set(3.0)])
```

`--fix --unsafe-fixes` compiles the lambda once: at module level, or before the loop if it captures
something of the function. Where it is called on the spot, what it captures becomes an argument, if
that is an operand of arithmetic. It is unsafe since a program that lives longer keeps the values of
what it captured first.

## Without a visible loop

The loop may be the caller's.

```py
def predict(weights, x):
    return jax.jit(lambda v: jnp.tanh(v @ weights))(x)  # error

[predict(jnp.eye(2), jnp.ones(2)) for _ in range(3)]
```

```py fixed
compiled = jax.jit(lambda v, weights: jnp.tanh(v @ weights))


def predict(weights, x):
    return compiled(x, weights)

[predict(jnp.eye(2), jnp.ones(2)) for _ in range(3)]
```

## Fine as it is

A factory that remembers its results makes one function per key.

```py
@functools.lru_cache
def power(n):
    return jax.jit(lambda v: v**n)

[power(2)(jnp.ones(3)) for _ in range(3)]
```

In traced code a nested `jit` is part of the outer program, which compiles once.

```py
@jax.jit
def activate(x):
    return jax.jit(lambda v: v * jax.nn.sigmoid(v))(x)

[activate(jnp.ones(3)) for _ in range(3)]
```

A named function is the same object in every iteration.

```py
def double(v):
    return 2 * v

[jax.jit(double)(jnp.ones(3)) for _ in range(3)]
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
    code="JAX501",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.FreshJit)
def check(fact: facts.FreshJit) -> Iterator[Finding]:
    if fact.cause == "lambda":
        often = f"call of `{fact.function}`" if fact.place == "call" else "iteration"
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again on every {often}: the lambda is a new function each "
            "time, and compiled programs are found by function identity",
            help="create the compiled function once, outside, and pass what changes as arguments",
        )


@rule.fix(facts.FreshJit)
def fix(fact: facts.FreshJit, code: Code) -> Fix | None:
    if fact.cause != "lambda" or not isinstance(fact.node, ir.Call):
        return None
    return fixes.compile_once.compiled_once(code, fact.node)
