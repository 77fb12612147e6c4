"""
Calls a function of JAX with an argument that it does not take, or without one that it needs.

Python binds arguments to parameters before the function runs, and raises `TypeError` where one has
no parameter. `jax.numpy` follows NumPy: the axis of a reduction is `axis`, not `dim`, and random
functions take `shape`, not `size`. Options of transforms have names of their own
(`static_argnums`, `in_axes`). Source: the signatures in the API reference of JAX.

What counts are all releases that the tables record, from the last that the project is for on:
`target-jax` in `[tool.jaxlint]`, or else the upper bound of the dependency on `jax` in
`pyproject.toml`. Parameters that JAX has renamed are told by `removed-api`.

## Example

```py
@jax.jit
def normalise(x):
    mean = jnp.mean(x, dim=-1, keepdim=True)  # error
    return x - mean

normalise(jnp.ones((2, 3)))
```

## Use instead

```py fixed
@jax.jit
def normalise(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return x - mean

normalise(jnp.ones((2, 3)))
```

## An option of a transform

```py
def scale(x, n):
    return x * n

jax.jit(scale, static_argnum=1)  # error
```

## An argument that is missing

```py
noise = jax.random.normal(shape=(3,))  # error
```

## Too many by position

```py
jnp.hypot(jnp.ones(2), jnp.ones(2), jnp.ones(2))  # error
```

## Fine as it is

NumPy's functions take other arguments, and so do functions of the project.

```py
def mean(x, dim):
    return jnp.mean(x, axis=dim)

mean(jnp.ones((2, 3)), dim=-1), np.mean(np.ones(3), keepdims=True)
```

Code for several versions asks which of them it meets.

```py
import inspect

def draw(key):
    if "out_sharding" in inspect.signature(jax.random.normal).parameters:
        return jax.random.normal(key, (2,), out_sharding=None)
    return jax.random.normal(key, (2,))

draw(jax.random.key(0))
```

What `**options` holds is not known, and an option that is added on a condition may be meant for
another release.

```py
import inspect

def total(x, **options):
    return jnp.sum(x, **options)

def total_where(x, mask):
    options = {"axis": 0}
    if mask is not None:
        options["where"] = mask
    if "dim" in inspect.signature(jnp.sum).parameters:
        options["dim"] = 0
    return jnp.sum(x, **options)

total(jnp.ones((2, 3)), axis=0), total_where(jnp.ones((2, 3)), None)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX917",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ValueError"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if not fact.kind.startswith("refused-"):
        return
    name, *others = fact.detail.split()
    listed = ", ".join(f"`{one}`" for one in others)
    refused = {
        "refused-unknown": f"`{fact.subject}` takes no argument `{name}`",
        "refused-by-position": f"`{fact.subject}` takes `{name}` by position alone",
        "refused-twice": f"`{fact.subject}` is given `{name}` twice",
        "refused-missing": f"`{fact.subject}` needs `{name}`, which is not given",
        "refused-many": f"`{fact.subject}` takes {name} arguments by position, and is given more",
    }
    help = f"its parameters are {listed}" if listed else "see its signature in the JAX reference"
    yield rule.finding(fact, f"{refused[fact.kind]}: Python raises TypeError", help=help)
