"""
Calls a NumPy or SciPy function with a traced value.

NumPy computes at once and first converts its arguments to `numpy.ndarray`. A traced array has no
values to convert: `jax.errors.TracerArrayConversionError`. The same happens when a traced value is
stored in a NumPy array or wrapped with `np.array`. `jax.numpy` has the same functions for traced
arrays. Source: `jax.errors.TracerArrayConversionError` in the JAX documentation.

## Example

```py
@jax.jit
def cross_entropy(logit, label):
    normaliser = np.logaddexp(0.0, logit)  # error
    return jnp.mean(normaliser - label * logit)

cross_entropy(jnp.array([-1.0, 2.0]), jnp.array([0.0, 1.0]))
```

## Use instead

```py fixed
@jax.jit
def cross_entropy(logit, label):
    normaliser = jnp.logaddexp(0.0, logit)
    return jnp.mean(normaliser - label * logit)

cross_entropy(jnp.array([-1.0, 2.0]), jnp.array([0.0, 1.0]))
```

`--fix` calls the namesake in `jax.numpy`, and makes arrays of lists that this does not take. That
is safe where the code runs in no other way than traced; a helper that host code calls too gives an
array of JAX there from then on, which takes `--unsafe-fixes`. Calls with arguments that JAX does
not have (`out=`), and results that are changed in place, tested or used as sizes, are left alone.

## Under grad, without jit

`jax.grad` traces as well: `if` may look at the values, NumPy may not have them.

```py
def energy(angle):
    return 1.0 - np.cos(angle)  # error

jax.grad(energy)(0.5)
```

## A list with traced elements

```py
@jax.jit
def rotation(angle):
    c, s = jnp.cos(angle), jnp.sin(angle)
    return np.array([[c, -s], [s, c]])  # error

rotation(0.0)
```

## A solver that calls a function

What JAX computes while it traces is traced too, whatever it is computed from.

```py
import scipy.optimize

@jax.jit
def equilibrium(load):
    def energy(x):
        return jnp.sum((x - load) ** 2)

    return scipy.optimize.minimize(energy, np.zeros(2)).x  # error

equilibrium(1.0)
```

## Fine as it is

A solver on the host takes the values of arrays.

```py
import scipy.optimize

energy = jax.jit(lambda x: jnp.sum((x - 1.0) ** 2))
scipy.optimize.minimize(energy, np.zeros(2)).x
```

NumPy may compute with shapes and constants; its arrays enter the program as constants.

```py
@jax.jit
def positional(x):
    position = np.arange(x.shape[0])[:, None] / 100.0 ** np.linspace(0.0, 1.0, x.shape[1])
    return x + np.sin(position) * np.float32(np.prod(x.shape))

positional(jnp.ones((4, 2)))
```

Questions about shape and dtype do not convert.

```py
@jax.jit
def standardise(x):
    if np.ndim(x) == 0 or np.iscomplexobj(x):
        return x
    return (x - x.mean()) / np.shape(x)[0]

standardise(jnp.arange(4.0))
```

Operators between a NumPy array and a traced one are those of JAX.

```py
KERNEL = np.eye(3, dtype=np.float32)

@jax.jit
def project(v):
    return KERNEL @ v - np.ones(3) * v[0]

project(jnp.arange(3.0))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX314",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TracerArrayConversionError", "ValueError"),
)

RENAMED = {
    "numpy.asanyarray": "jnp.asarray",
    "numpy.ascontiguousarray": "jnp.asarray",
    "numpy.asfortranarray": "jnp.asarray",
    "numpy.fix": "jnp.trunc",
    "numpy.half": "jnp.float16",
    "numpy.row_stack": "jnp.vstack",
}
HOST = ("array2string", "array_repr", "array_str", "copyto", "ndenumerate", "nditer", "putmask")


def advice(fact: facts.Concretized) -> str:
    """What to call in place of the NumPy function."""
    package, _, name = fact.dotted.partition(".")
    if not fact.callee:
        return "build a `jnp` array and store with `array = array.at[index].set(value)`"
    if fact.dotted in RENAMED:
        return f"use `{RENAMED[fact.dotted]}` instead of `{fact.callee}`"
    if name.startswith("random."):
        return "draw with `jax.random` and a key"
    if name.startswith("testing."):
        return "check outside, on what the traced function returns"
    if package == "scipy":
        return f"use `jax.{fact.dotted}` if there is one, or `jax.pure_callback`"
    if package != "numpy" or name in HOST or name.startswith("save"):
        return f"call `{fact.callee}` outside, or through `jax.pure_callback`"
    return f"use `jnp.{name}` instead of `{fact.callee}`"


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink == "numpy":
        asks = f"`{fact.callee}`" if fact.callee else "storing in a NumPy array"
        message = f"{asks} needs concrete values, but {fact.why()}"
        if fact.container == "function":
            message = f"{asks} needs concrete values, but what `{fact.text}` returns is traced"
        yield rule.finding(fact, message, help=advice(fact))


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    if fact.sink != "numpy" or not fact.callee or fact.container == "function":
        return None
    return fixes.calls.namesake_called(code, fact, fact.node, fact.dotted, fact.container)
