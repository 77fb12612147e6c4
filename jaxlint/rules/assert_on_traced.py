"""
Asserts something about a traced value.

`assert` needs a `bool` at once, but while JAX traces, a condition computed from a traced array
has no value: `jax.errors.TracerBoolConversionError`. (Under `python -O` the statement is gone, and
the check with it.) Checks of values belong into the compiled program, where
`jax.experimental.checkify` puts them, or around it. Source: "The checkify transformation" and
`jax.errors` in the JAX documentation.

## Example

```py
@jax.jit
def normalise(weights):
    total = jnp.sum(weights)
    assert total > 0, "no weight at all"  # error
    return weights / total

normalise(jnp.array([1.0, 3.0]))
```

## Use instead

```py fixed
from jax.experimental import checkify

def normalise(weights):
    total = jnp.sum(weights)
    checkify.check(total > 0, "no weight at all")
    return weights / total

error, shares = jax.jit(checkify.checkify(normalise))(jnp.array([1.0, 3.0]))
error.throw()
shares
```

## Under vmap

Each example of a batch is traced as well.

```py
def discounted(reward, rate):
    assert 0 <= rate  # error
    return reward / (1 + rate)

jax.vmap(discounted)(jnp.ones(3), jnp.array([0.0, 0.1, 0.2]))
```

## Fine as it is

Shapes, dtypes and types are known while tracing.

```py
@jax.jit
def matmul(a, b):
    assert isinstance(a, jax.Array) and a.ndim == b.ndim == 2
    assert a.shape[1] == b.shape[0], f"{a.shape} does not fit {b.shape}"
    assert jnp.issubdtype(a.dtype, jnp.floating)
    return a @ b

matmul(jnp.ones((2, 3)), jnp.ones((3, 1)))
```

The body of a host callback runs outside the trace, with NumPy arrays.

```py
def must_be_finite(loss):
    assert np.isfinite(loss), loss

@jax.jit
def train_loss(error):
    loss = jnp.mean(error**2)
    jax.debug.callback(must_be_finite, loss)
    return loss

train_loss(jnp.arange(4.0))
```

After the jitted call, values are there to be checked.

```py
probabilities = jax.jit(jax.nn.softmax)(jnp.arange(4.0))
assert jnp.allclose(probabilities.sum(), 1.0)
probabilities
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX303",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TracerBoolConversionError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink == "assert":
        test = f"jnp.all({fact.text})" if fact.scalar is False else fact.text
        yield rule.finding(
            fact,
            f"`assert` needs a concrete bool, but {fact.why()}",
            help=f"use `checkify.check({test}, ...)` of `jax.experimental.checkify`, "
            "or check on the host: the arguments before the call, the results after it",
        )
