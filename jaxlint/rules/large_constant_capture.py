"""
Compiled code captures a large array, which then is a constant of every program.

A closed-over array is no argument. It is written into the program, element by element: lowering
takes long, XLA may fold it, each program that is compiled for another shape has a copy of its own
in memory, and what the array is replaced by later is not seen.

Source: JAX documentation, "Handling of closed-over constants"; jax-ml/jax#10596 and #14655.

## Example

```py
weights = jax.random.normal(jax.random.key(0), (400, 300))

@jax.jit
def layer(x):
    return x @ weights  # error

len(layer.lower(jnp.ones(400)).as_text()) < 100_000
```

## Use instead

```py fixed
weights = jax.random.normal(jax.random.key(0), (400, 300))

@jax.jit
def layer(weights, x):
    return x @ weights

len(layer.lower(weights, jnp.ones(400)).as_text()) < 100_000
```

## The data of a loss

```py
SAMPLES, FEATURES = 2000, 100
images = np.random.default_rng(0).normal(size=(SAMPLES, FEATURES)).astype(np.float32)
scaled = images / 255.0

def loss(params):
    return jnp.mean((scaled @ params) ** 2)  # error

step = jax.jit(jax.grad(loss))
len(step.lower(jnp.ones(FEATURES)).as_text()) < 100_000
```

## Fine as it is

A small table.

```py
COEFFICIENTS = jnp.array([0.5, 0.25, 0.125])

@jax.jit
def smooth(x):
    return jnp.convolve(x, COEFFICIENTS, mode="same")

len(smooth.lower(jnp.ones(8)).as_text()) < 100_000
```

An array that is made while tracing is an instruction, not a constant.

```py
@jax.jit
def shifted(x):
    return x + jnp.ones((512, 512)).sum()

len(shifted.lower(1.0).as_text()) < 100_000
```

Nothing of the array but its shape.

```py
images = np.zeros((500, 500))

@jax.jit
def normalised(x):
    return x / images.shape[0]

len(normalised.lower(1.0).as_text()) < 100_000
```

## Notes

Large means a hundred thousand elements, where the code says how many there are, and data that
`np.load` and kin read.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX210", severity=Severity.PERF, since="0.1", witness=Expects())


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "large-capture":
        return
    size = f" of {fact.detail} elements" if fact.detail else " read from a file"
    yield rule.finding(
        fact,
        f"`{fact.subject}`, an array{size}, becomes a constant of each program that "
        f"`{fact.function}` is compiled to; {fact.where()}",
        help=f"pass `{fact.subject}` as an argument",
    )
