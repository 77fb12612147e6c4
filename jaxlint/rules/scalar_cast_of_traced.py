"""
Turns a traced value into a Python number.

`float`, `int`, `complex`, `bool`, `operator.index`, `hex` and their like return Python objects,
which have a value, and a traced array has none: `jax.errors.ConcretizationTypeError` (`bool`:
`TracerBoolConversionError`; functions that need an index: `TracerIntegerConversionError`; more
than one element: `TypeError`). An array needs no conversion to be computed with, and what a jitted
function returns can be converted outside. Source: `jax.errors` in the JAX documentation.

## Example

```py
@jax.jit
def ema(average, sample, decay):
    weight = 1.0 - float(decay)  # error
    return average + weight * (sample - average)

ema(1.0, 3.0, 0.75)
```

## Use instead

```py fixed
@jax.jit
def ema(average, sample, decay):
    weight = 1.0 - decay
    return average + weight * (sample - average)

ema(1.0, 3.0, 0.75)
```

## A static number that `jnp` has made an array

Operations of `jax.numpy` are traced in traced code even when their operands are Python numbers.

```py
@jax.jit
def to_square(x):
    side = int(jnp.sqrt(x.size))  # error
    return x.reshape(side, side)

to_square(jnp.arange(9.0))
```

```py fixed
@jax.jit
def to_square(x):
    side = math.isqrt(x.size)
    return x.reshape(side, side)

to_square(jnp.arange(9.0))
```

## Fine as it is

Shapes are Python numbers already, and a concrete array from outside has a value.

```py
CLASSES = jnp.array(4)

@jax.jit
def one_hot(labels):
    width = int(CLASSES) * int(labels.ndim > 0)
    return jax.nn.one_hot(labels, width) / float(labels.shape[0])

one_hot(jnp.array([0, 3]))
```

The result of a jitted function is concrete.

```py
@jax.jit
def loss(w):
    return jnp.sum((w - 1.0) ** 2)

history = [float(loss(jnp.full(2, step))) for step in range(3)]
history
```

`astype` and the dtypes of `jax.numpy` convert without leaving the trace.

```py
@jax.jit
def bucket(x):
    return jnp.int32(x) + (x % 1 > 0.5).astype(int)

bucket(2.75)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX310",
    severity=Severity.ERROR,
    since="0.1",
    over=("JAX412",),
    witness=Raises(
        "ConcretizationTypeError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TypeError",
    ),
)

NUMBERS = ("bool", "complex", "float", "int")
WANTED = {name: name for name in NUMBERS} | {"not_": "bool", "truth": "bool"}


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "cast":
        return
    name = fact.dotted.rpartition(".")[2]
    if name in NUMBERS:
        advice = f"compute with `{fact.text}` as it is, or `jnp.asarray({fact.text}, dtype={name})`"
    else:
        advice = f"call `{fact.callee}` outside, on what the traced function returns"
    root = fact.trail.root() if fact.trail else None
    if root and root.name == fact.text and root.entry.application.is_plain_jit:
        advice += f", or mark `{root.name}` static with `static_argnames`"
    message = f"`{fact.callee}` needs a concrete {WANTED.get(name, 'integer')}, but {fact.why()}"
    yield rule.finding(fact, message, help=advice)
