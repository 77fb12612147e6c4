"""Gives away a buffer that nothing can use.

XLA writes a result into a donated buffer of the same shape and dtype. Without such a result JAX
warns "Some donated buffers were not usable", and the array is deleted all the same. Nothing is
donated by a call in traced code, which is part of the program around it, nor by an argument that
goes by a name where the donated names were listed without it. Source: "Buffer donation" in the
JAX documentation; jax-ml/jax#9237.

## Example

```py
total = jax.jit(lambda values: values.sum(), donate_argnums=0)
total(jnp.ones(3))  # error
```

## Use instead

```py fixed
total = jax.jit(lambda values: values.sum())
total(jnp.ones(3))
```

## A pair of results, none of them as large

```py
@partial(jax.jit, donate_argnames="samples")
def moments(samples):
    return samples.mean(), samples.std()

moments(samples=jnp.arange(4.0))  # error
```

## Fine as it is

One of the results has the shape of what is given.

```py
@partial(jax.jit, donate_argnums=0)
def step(weights, batch):
    return weights - batch, jnp.sum(batch)

step(jnp.ones(2), jnp.ones(2))
```

Nothing is known of the shapes.

```py
@partial(jax.jit, donate_argnums=0)
def halve(state):
    return jax.tree.map(lambda leaf: leaf / 2, state)

halve({"w": jnp.ones(2)})
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Rule, Severity, Warns, facts

rule = Rule(
    __name__,
    code="JAX614",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Warns("UserWarning"),
)


@rule.on(facts.UselessDonation)
def check(fact: facts.UselessDonation) -> Iterator[Finding]:
    what = f"`{fact.target}`" if fact.target else "an argument"
    if fact.kind == "shape":
        message = f"no result of `{fact.callee}` has the shape of {what}, whose buffer it is given"
    elif fact.kind == "traced":
        message = f"`{fact.callee}` is only called in traced code, where nothing is donated"
    else:
        message = f"{what} goes by its name, which is not among the donated ones"
    yield rule.finding(fact, message, help="leave the donation out, or donate what can be reused")
