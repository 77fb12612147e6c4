"""
A Pallas kernel captures an array: `pallas_call` accepts what is passed to it, and no constants.

Everything that a kernel reads has to come in as an input, so that it can be cut into blocks and
moved to where the kernel runs. An array from the code around the kernel, one that `partial` binds,
and one that is made of numbers inside are constants of the kernel, which is refused when the
kernel is called. Python numbers are part of the program and welcome.

Source: JAX documentation, "Pallas Quickstart"; jax-ml/jax#22746, jax-ml/jax#21557.

## Example

```py jax>=0.5
from jax.experimental import pallas as pl

OFFSETS = jnp.arange(4.0)

def shift_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + OFFSETS  # error

x = jnp.ones(4)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(shift_kernel, out_shape=shape, interpret=True)(x)
```

## Use instead

```py fixed
from jax.experimental import pallas as pl

OFFSETS = jnp.arange(4.0)

def shift_kernel(x_ref, offsets_ref, o_ref):
    o_ref[...] = x_ref[...] + offsets_ref[...]

x = jnp.ones(4)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(shift_kernel, out_shape=shape, interpret=True)(x, OFFSETS)
```

## A scalar that is an array

```py jax>=0.5
from jax.experimental import pallas as pl

def scale_kernel(x_ref, o_ref, *, factor):
    o_ref[...] = x_ref[...] * factor  # error

def scale(x, factor):
    kernel = partial(scale_kernel, factor=jnp.float32(factor))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, out_shape=shape, interpret=True)(x)

scale(jnp.ones(4), 2.0)
```

```py fixed
from jax.experimental import pallas as pl

def scale_kernel(x_ref, o_ref, *, factor):
    o_ref[...] = x_ref[...] * factor

def scale(x, factor):
    kernel = partial(scale_kernel, factor=factor)
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, out_shape=shape, interpret=True)(x)

scale(jnp.ones(4), 2.0)
```

## Numbers written out

```py jax>=0.5
from jax.experimental import pallas as pl

def blur_kernel(x_ref, o_ref):
    weights = jnp.array([0.25, 0.5, 0.25])  # error
    o_ref[...] = x_ref[...] * weights

x = jnp.ones(3)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(blur_kernel, out_shape=shape, interpret=True)(x)
```

## Fine as it is

Arrays that operations make inside, and the shape of an array outside, are no constants.

```py
from jax.experimental import pallas as pl

TABLE = np.ones((4, 2))
SIZE = 4

def ramp_kernel(x_ref, o_ref):
    ramp = jnp.arange(SIZE).astype(x_ref.dtype) + jnp.zeros(TABLE.shape[0])
    o_ref[...] = x_ref[...] + ramp * jnp.array(0.5)

x = jnp.ones(SIZE)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(ramp_kernel, out_shape=shape, interpret=True)(x)
```

NumPy scalars and elements of NumPy arrays are numbers.

```py
from jax.experimental import pallas as pl

WEIGHTS = np.array([0.25, 0.5, 0.25])

def weigh_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * WEIGHTS[1] + np.float32(2.0) * float(WEIGHTS.sum())

x = jnp.ones(4)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(weigh_kernel, out_shape=shape, interpret=True)(x)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX962",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError", anywhere=True),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "kernel-captures":
        text = f"`{fact.subject}` is an array from outside the kernel"
        advice = f"pass `{fact.subject}` to the kernel as an input, or bind a Python number"
    elif fact.kind == "kernel-constant":
        text = f"`{fact.subject}` makes an array of constants"
        advice = "pass the array to the kernel as an input"
    else:
        return
    yield rule.finding(
        fact, f"{text}, which `pallas_call` refuses to capture; {fact.where()}", help=advice
    )
