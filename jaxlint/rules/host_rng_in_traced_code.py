"""
NumPy's or Python's random numbers in traced code are drawn only while JAX traces.

`np.random`, a NumPy `Generator`, `random` and `secrets` keep their state in Python, and the
Python of a traced function runs once for each new signature. The numbers of that run become
constants of the compiled program, so noise and dropout masks are the same at every call.
`jax.random` draws from a key that is an argument like any other.

Source: JAX documentation, "Pseudorandom numbers"; jax-ml/jax#2793.

## Example

```py
@jax.jit
def jitter(signal):
    return signal + np.random.normal(size=signal.shape)  # error

signal = jnp.zeros(8)
bool(jnp.all(jitter(signal) == jitter(signal)))
```

## Use instead

```py fixed
@jax.jit
def jitter(key, signal):
    return signal + jax.random.normal(key, signal.shape)

signal = jnp.zeros(8)
first, second = jax.random.split(jax.random.key(0))
bool(jnp.all(jitter(first, signal) == jitter(second, signal)))
```

## A generator from outside

The mask is drawn once and drops the same features in every step.

```py
generator = np.random.default_rng(7)

@jax.jit
def dropout(features):
    keep = generator.uniform(size=features.shape) < 0.5  # error
    return jnp.where(keep, features, 0.0)

features = jnp.ones(64)
bool(jnp.all(dropout(features) == dropout(features)))
```

## Fine as it is

The name `random` may stand for JAX's module.

```py
from jax import random

@jax.jit
def jitter(key, signal):
    return signal + random.uniform(key, signal.shape)

bool(jnp.all(jitter(random.key(0), jnp.zeros(8)) < 1.0))
```

Numbers that are drawn once, outside, are constants on purpose.

```py
projection = np.random.default_rng(7).integers(0, 4, size=(3, 2))

@jax.jit
def sketch(vector):
    return vector @ projection

sketch(jnp.ones(3))
```

A pipeline on the host draws its batches and passes them to compiled code.

```py
def batches(count):
    for _ in range(count):
        yield np.random.rand(4).astype(np.float32)

bounded = jax.jit(lambda batch: jnp.all(batch < 1.0))
[bool(bounded(batch)) for batch in batches(3)]
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(__name__, code="JAX111", severity=Severity.ERROR, since="0.1", witness=Freezes())


@rule.on(facts.Effect)
def check(fact: facts.Effect) -> Iterator[Finding]:
    if fact.kind != "rng":
        return
    if fact.traced is None:
        outcome = "so compiled calls reuse its result"
    else:
        operand = " ".join(fact.module.text_of(fact.traced).split())
        outcome = f"when `{operand}` has no value yet"
    yield rule.finding(
        fact,
        f"`{fact.callee}` runs only while `{fact.function}` is traced, {outcome}; {fact.where()}",
        help="use `jax.random` with a key that the function takes as an argument",
    )
