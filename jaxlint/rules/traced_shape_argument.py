"""Makes an array whose shape is a traced value.

Shapes are part of the program that JAX compiles: one shape, one program. A traced number is an
input of that program, so it cannot decide a shape. `jnp.zeros`, `jax.random.normal` and the like
raise `TypeError` ("Shapes must be 1D sequences of concrete values of integer type"), `jnp.arange`
and `jnp.linspace` raise `jax.errors.ConcretizationTypeError`, an integer conversion
`TracerIntegerConversionError`. See "Control flow and logical operators with JIT" in the JAX
documentation, on shapes that depend on argument values.

## Example

```py
@jax.jit
def positions(length):
    return jnp.arange(length) / length  # error

positions(4)
```

## Use instead

If few different values occur, make the parameter static: JAX compiles once per value.

```py fixed
@partial(jax.jit, static_argnames="length")
def positions(length):
    return jnp.arange(length) / length

positions(4)
```

## A size from data

A maximum, a sum or a count of a traced array is traced. If the number of classes has a bound,
use the bound.

```py
@jax.jit
def histogram(labels):
    classes = labels.max() + 1
    return jnp.zeros((classes,), int).at[labels].add(1)  # error

histogram(jnp.array([0, 2, 2]))
```

## Fine as it is

What comes from a shape is static, arithmetic on it included.

```py
@jax.jit
def pad_to_even(x):
    missing = x.shape[0] % 2
    return jnp.concatenate([x, jnp.zeros((missing,), x.dtype)]), jnp.arange(len(x))

pad_to_even(jnp.ones(3))
```

Not every number of a constructor is a shape: limits, fill values and diagonals may be traced.

```py
@jax.jit
def ramps(top):
    return jnp.linspace(0, top, 5), jnp.full((2, 2), top), jnp.eye(3, k=top)

ramps(1)
```

A concrete number from outside the trace is a valid size, even as a JAX array.

```py
WIDTH = jnp.int32(3)

@jax.jit
def widen(x):
    return jnp.broadcast_to(x, (WIDTH,))

widen(2.0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX408",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ConcretizationTypeError", "TracerIntegerConversionError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "shape":
        name = f"`{fact.parameter}`" if fact.parameter else "shape"
        yield rule.finding(
            fact,
            f"`{fact.callee}` needs a static {name}, and `{fact.text}` has no value during "
            f"tracing; {fact.why()}",
            help="make it a static argument (`static_argnames`), take it from a `.shape`, or use "
            "an upper bound and mask with `jnp.where`",
        )
