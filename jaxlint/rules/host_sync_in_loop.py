"""Reads a result of a compiled function in every iteration of a loop.

JAX runs ahead: while the device computes one step, Python already asks for the next. `float(loss)`,
`print(loss)` or `if loss < best` need the value, so Python waits, and the device then waits for
Python. See "Asynchronous dispatch" in the JAX documentation.

## Example

```py
@jax.jit
def step(w):
    return 0.9 * w, jnp.sum(w**2)

w, losses = jnp.ones(3), []
for _ in range(5):
    w, loss = step(w)
    losses.append(float(loss))  # error
all(isinstance(loss, jax.Array) for loss in losses)
```

## Use instead

Keep the arrays, and convert them once after the loop.

```py fixed
@jax.jit
def step(w):
    return 0.9 * w, jnp.sum(w**2)

w, losses = jnp.ones(3), []
for _ in range(5):
    w, loss = step(w)
    losses.append(loss)
all(isinstance(loss, jax.Array) for loss in losses)
```

## In a test

```py
shrink = jax.jit(lambda w: (0.5 * w, jnp.max(w)))
w, best, waited = jnp.ones(3), np.inf, 0
for _ in range(4):
    w, top = shrink(w)
    if top < best:  # error
        best, waited = top, waited + 1
waited == 0
```

## Fine as it is

Now and then.

```py
shrink = jax.jit(lambda w: (0.5 * w, jnp.max(w)))
w, shown = jnp.ones(3), []
for i in range(40):
    w, top = shrink(w)
    if i % 20 == 0:
        shown.append(float(top))
len(shown) == 2
```

After the loop.

```py
shrink = jax.jit(lambda w: 0.5 * w)
w = jnp.ones(3)
for _ in range(4):
    w = shrink(w)
float(w[0]) == 0.0625
```

## Notes

This rule is off by default: that each step is shown is often what is wanted, and where a step
takes long, waiting for it costs nothing.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX707",
    severity=Severity.PERF,
    since="0.1",
    default=False,
    witness=Expects(),
)


@rule.on(facts.LoopCost)
def check(fact: facts.LoopCost) -> Iterator[Finding]:
    if fact.kind == "sync":
        yield rule.finding(
            fact,
            "every iteration waits here for the device, which then has nothing to do until Python "
            "asks for the next step",
            help="keep the arrays and convert them after the loop, or read them every so many "
            "iterations",
        )
