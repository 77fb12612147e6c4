"""Compiles a local function that is defined anew each time.

A `def` makes a new function object whenever it runs. JAX remembers compiled programs by the
identity of the function, so a function that is defined and compiled inside another one compiles
on every call of the outer one, and one that is defined in a loop on every iteration. See "JIT
and caching" on the page "Just-in-time compilation" of the JAX documentation.

## Example

```py
def fit(points, targets):
    @jax.jit
    def step(w):  # error
        return w - 0.1 * points.T @ (points @ w - targets)

    w = jnp.zeros(points.shape[1])
    for _ in range(3):
        w = step(w)
    return w

[fit(jnp.eye(2), jnp.ones(2)) for _ in range(2)]
```

## Use instead

Define the function once, and turn what it captured into arguments.

```py fixed
@jax.jit
def step(w, points, targets):
    return w - 0.1 * points.T @ (points @ w - targets)

def fit(points, targets):
    w = jnp.zeros(points.shape[1])
    for _ in range(3):
        w = step(w, points, targets)
    return w

[fit(jnp.eye(2), jnp.ones(2)) for _ in range(2)]
```

## Defined in a loop

```py
def relax(grid, rounds):
    for _ in range(rounds):
        def smooth(g):
            return (g + jnp.roll(g, 1)) / 2
        grid = jax.jit(smooth)(grid)  # error
    return grid

relax(jnp.arange(4.0), 3)
```

## A factory in a loop

What a function compiles and returns is a new function for each call.

```py
def make_step(rate):
    @jax.jit
    def step(w, x):
        return w - rate * x

    return step

def fit(w, xs):
    for x in xs:
        step = make_step(0.1)  # error
        w = step(w, x)
    return w

fit(jnp.ones(2), [jnp.ones(2)] * 4)
```

## Fine as it is

A factory hands the compiled function out. Its caller decides how long it lives.

```py
def make_step(rate):
    @jax.jit
    def step(w):
        return w * (1 - rate)

    return step

decay = make_step(0.1)
[decay(jnp.ones(2)) for _ in range(3)]
```

A local function of traced code is traced with it and compiled once.

```py
@jax.jit
def outer(x):
    @jax.jit
    def inner(v):
        return jnp.sin(v) + 1

    return inner(x) + inner(2 * x)

[outer(jnp.ones(2)) for _ in range(3)]
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if each iteration of the loop
compiles another function, which needs a program of its own; and outside of loops, if what is
compiled uses what the call was given and no loop of the file is seen to call the function.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Recompiles, Rule, Severity, facts

rule = Rule(__name__, code="JAX502", severity=Severity.PERF, since="0.1", witness=Recompiles())


@rule.on(facts.FreshJit)
def check(fact: facts.FreshJit) -> Iterator[Finding]:
    if fact.cause == "def":
        often = f"call of `{fact.function}`" if fact.place == "call" else "iteration"
        yield rule.finding(
            fact,
            f"`{fact.target}` is defined and compiled again on every {often}: compiled programs "
            "are found by function identity",
            help=f"define `{fact.target}` once, at module level or in a factory that returns it, "
            "and pass what it captures as arguments",
        )
    elif fact.cause == "factory":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gives a new function to compile on every iteration: compiled "
            "programs are found by function identity",
            help=f"call `{fact.callee}` once, before the loop",
        )
