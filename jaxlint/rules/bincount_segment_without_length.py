"""Counts bins, classes or segments of traced data, whose number is not known.

`jnp.bincount` makes one bin more than the largest value, `jax.ops.segment_sum` one segment more
than the largest identifier. A traced array has no largest value while JAX traces, so that the
shape of the result is not known: JAX raises `jax.errors.ConcretizationTypeError`. A number of bins
that is itself traced helps as little. `minlength` is only a lower bound.

Source: JAX documentation of `jax.numpy.bincount` (`length`) and `jax.ops.segment_sum`
(`num_segments`).

## Example

```py
@jax.jit
def votes(choices):
    return jnp.bincount(choices)  # error

votes(jnp.array([0, 2, 2]))
```

## Use instead

Say how many there are; what is beyond is dropped.

```py fixed
@jax.jit
def votes(choices):
    return jnp.bincount(choices, length=3)

votes(jnp.array([0, 2, 2]))
```

## Sums by segment

```py
@jax.jit
def mass_of_molecules(masses, molecule):
    return jax.ops.segment_sum(masses, molecule)  # error

mass_of_molecules(jnp.array([16.0, 1.0, 1.0]), jnp.array([0, 0, 0]))
```

```py fixed
@partial(jax.jit, static_argnames="molecules")
def mass_of_molecules(masses, molecule, molecules):
    return jax.ops.segment_sum(masses, molecule, num_segments=molecules)

mass_of_molecules(jnp.array([16.0, 1.0, 1.0]), jnp.array([0, 0, 0]), 1)
```

## A traced number of classes

```py
@jax.jit
def encode(labels):
    return jax.nn.one_hot(labels, labels.max() + 1)  # error

encode(jnp.array([1, 0]))
```

## Fine as it is

The length of another array is a number of segments that is known.

```py
@jax.jit
def degrees(nodes, senders):
    ones = jnp.ones_like(senders)
    return jax.ops.segment_max(ones, senders, len(nodes)), jax.nn.one_hot(senders, nodes.size)

degrees(jnp.zeros(3), jnp.array([0, 0, 2]))
```

Edges of bins may be traced, for their number is not; nor is that of the default.

```py
@jax.jit
def spread(samples, low, high):
    edges = jnp.linspace(low, high, 5)
    return jnp.histogram(samples, bins=edges)[0], jnp.histogram(samples)[0]

spread(jnp.array([0.5, 0.7]), 0.0, 1.0)
```

Outside of traced code, JAX looks at the values.

```py
counts = jnp.bincount(jnp.array([1, 1, 4]))
total = jax.jit(jnp.sum)(counts)
total
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX407",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ConcretizationTypeError", "TypeError", "TracerIntegerConversionError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "length":
        yield rule.finding(
            fact,
            f"the shape of `{fact.callee}(...)` depends on the value of `{fact.text}`, which is "
            f"not known during tracing; {fact.why()}",
            help=f"pass a static `{fact.parameter}`",
        )
