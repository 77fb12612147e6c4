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

## A word that is none of those it knows

Options that go by words have fewer of them than in SciPy or PyTorch.

```py
from jax.scipy.optimize import minimize

def bowl(x):
    return jnp.sum((x - 1.0) ** 2)

minimize(bowl, jnp.zeros(2), method="L-BFGS-B")  # error
jnp.pad(jnp.ones(3), 1, mode="zeros")  # error
```

```py fixed
from jax.scipy.optimize import minimize

def bowl(x):
    return jnp.sum((x - 1.0) ** 2)

minimize(bowl, jnp.zeros(2), method="BFGS")
jnp.pad(jnp.ones(3), 1, mode="constant")
```

## Operands of several dtypes

The functions of `jax.lax` promote nothing, not even a number: what `jnp.maximum` takes, `lax.max`
refuses. Old releases do so only when the function is compiled.

```py jax>=0.4.38
@jax.jit
def ramp(x):
    return lax.max(x * 0.5, 0)  # error

images = jnp.arange(16, dtype=jnp.uint8).reshape(1, 1, 4, 4)
ramp(jnp.ones(3))
lax.conv(images, jnp.full((1, 1, 2, 2), 0.25), (1, 1), "SAME")  # error
```

```py fixed jax>=0.4.38
@jax.jit
def ramp(x):
    return lax.max(x * 0.5, 0.0)

images = jnp.arange(16, dtype=jnp.uint8).reshape(1, 1, 4, 4)
ramp(jnp.ones(3))
lax.conv(images.astype(jnp.float32), jnp.full((1, 1, 2, 2), 0.25), (1, 1), "SAME")
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
    witness=Raises("NotImplementedError", "RuntimeError", "TypeError", "ValueError"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if not fact.kind.startswith("refused-"):
        return
    if fact.kind in _DEMANDED:
        yield _demanded(fact)
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
    help = f"its parameters are {listed}" if listed else "see its signature in the reference"
    yield rule.finding(fact, f"{refused[fact.kind]}: Python raises TypeError", help=help)


_DEMANDED = ("refused-word", "refused-dtypes", "refused-no-tuple")


def _demanded(fact: facts.ContractViolation) -> Finding:
    """What a function demands of an argument that it does take."""
    called = fact.subject.replace("jax.lax.", "lax.").replace("jax.numpy.", "jnp.")
    if fact.kind == "refused-dtypes":
        first, _, second = fact.detail.partition("|")
        return rule.finding(
            fact,
            f"`{called}` takes operands of one dtype, and is given {first} and {second}: it raises",
            help="convert one of them, or use the function of `jax.numpy`, which promotes",
        )
    name, *others = fact.detail.split()
    if fact.kind == "refused-no-tuple":
        text = f"`{called}` takes a tuple for `{name}`: it raises TypeError"
        return rule.finding(fact, text, help=f"write a tuple: `({fact.text},)`")
    word, *words = others
    return rule.finding(
        fact,
        f"`{called}` knows no `{name}={word}`: it raises",
        help=f"write one of {', '.join(f'`{one!r}`' for one in words)}",
    )
