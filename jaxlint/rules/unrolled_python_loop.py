"""Runs a long Python loop in traced code, which copies its body once per iteration.

Tracing runs Python, so a `for` loop in a jitted function is gone by the time XLA sees the
program: what is left is its body, as often as the loop ran. A loop of a thousand iterations makes
a program of a thousand copies, and both tracing and compiling take time for each. See "Slow
tracing and compilation" and "Control flow and logical operators with JIT" in the JAX
documentation.

## Example

```py
@jax.jit
def relax(state):
    for _ in range(400):  # error
        state = 0.5 * state + jnp.cos(state)
    return state

relax(jnp.ones(3))
```

## Use instead

`lax.fori_loop` and `lax.scan` compile the body once.

```py fixed
@jax.jit
def relax(state):
    return lax.fori_loop(0, 400, lambda _, s: 0.5 * s + jnp.cos(s), state)

relax(jnp.ones(3))
```

`--fix --unsafe-fixes` writes `fori_loop` for a loop over `range` that computes what it carries from
that and from numbers alone, in ways that keep the shapes. It is unsafe since a carry of integers
that turns into floats is refused there.

```py fixed
@jax.jit
def relax(state):
    def step(_, state):
        state = 0.5 * state + jnp.cos(state)
        return state

    state = lax.fori_loop(0, 400, step, state)
    return state

relax(jnp.ones(3))
```

## One iteration for each row

The length of an axis is known when the function is traced, so that Python can count to it, and the
program grows with the data. Arithmetic on whole arrays needs no loop, and `lax.scan` and
`jax.vmap` take one along the axis.

```py
@jax.jit
def smooth(signal):
    level, out = signal[0], []
    for i in range(signal.shape[0]):  # minor
        level = 0.9 * level + 0.1 * signal[i]
        out.append(level)
    return jnp.stack(out)

smooth(jnp.arange(60.0))
```

```py fixed
@jax.jit
def smooth(signal):
    def step(level, value):
        level = 0.9 * level + 0.1 * value
        return level, level

    return lax.scan(step, signal[0], signal)[1]

smooth(jnp.arange(60.0))
```

## Fine as it is

A short loop is as fast unrolled, or faster: XLA can optimise across the copies.

```py
@jax.jit
def polynomial(x):
    total = jnp.zeros_like(x)
    for power in range(4):
        total = total + x**power
    return total

polynomial(jnp.ones(3))
```

Neither does a long loop matter in which JAX has nothing to do: Python computes its result while
tracing, and that is a constant of the program.

```py
@jax.jit
def window(x):
    weights = [math.exp(-0.1 * i) for i in range(200)]
    return x * sum(weights)

window(jnp.ones(3))
```

Layers differ, and a loop over a list of them follows the structure of the model.

```py
@jax.jit
def forward(layers, x):
    for w, b in layers:
        x = jnp.tanh(x @ w + b)
    return x

forward([(jnp.eye(2), jnp.zeros(2))] * 3, jnp.ones(2))
```

## Notes

Loops over `range` are reported that run 32 times or more, or as often as an axis of an array is
long. A finding is minor, and reported only where the rule is selected, if that is fewer than 64
times, or not seen. In kernels, unrolling is deliberate, and nothing is reported.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Rule, Severity, Unrolls, facts, fixes

rule = Rule(
    __name__,
    code="JAX701",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Unrolls(),
)


@rule.on(facts.Unrolled)
def check(fact: facts.Unrolled) -> Iterator[Finding]:
    what = "comprehension" if fact.comprehension else "loop"
    often = "once for each element along the axis of an array"
    if fact.count is not None:
        often = f"{fact.count} times"
    yield rule.finding(
        fact,
        f"this Python {what} is unrolled: the traced program has its body {often}; {fact.where()}",
        help="use `jax.lax.fori_loop`, `jax.lax.scan` or `jax.vmap`, which compile the body once",
    )


@rule.fix(facts.Unrolled)
def fix(fact: facts.Unrolled, code: Code) -> Fix | None:
    return fixes.fori_loop.as_fori_loop(code, fact.node, fact.steady)
