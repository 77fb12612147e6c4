"""
Names an axis in a collective operation that no transform around it binds.

`lax.psum`, `lax.pmean`, `lax.all_gather`, `lax.axis_index` and the like work across a mapped axis,
which they know by its name. The name comes from `axis_name` of the `jax.pmap` or `jax.vmap` that
runs the function, or from the mesh of a `jax.shard_map`. Where none of those has bound it, JAX
raises a NameError. Where callers that are not seen might still bind it, it is a warning.

Source: JAX documentation, `jax.pmap` and `jax.vmap` (`axis_name`), `jax.lax.psum`.

## Example

```py
def average_gradients(loss, params, batch):
    grads = jax.grad(loss)(params, batch)
    return lax.pmean(grads, "batch")  # error

def squared(w, x):
    return jnp.sum((x @ w) ** 2)

step = jax.pmap(lambda w, x: average_gradients(squared, w, x))
step(jnp.ones((1, 3)), jnp.ones((1, 2, 3)))
```

## Use instead

Name the axis where the function is mapped.

```py fixed
def average_gradients(loss, params, batch):
    grads = jax.grad(loss)(params, batch)
    return lax.pmean(grads, "batch")

def squared(w, x):
    return jnp.sum((x @ w) ** 2)

step = jax.pmap(lambda w, x: average_gradients(squared, w, x), axis_name="batch")
step(jnp.ones((1, 3)), jnp.ones((1, 2, 3)))
```

## Another name

```py
def normalise(x):
    return x - lax.pmean(x, "rows")  # error

jax.pmap(normalise, axis_name="devices")(jnp.ones((1, 3)))
```

## A compiled function that nothing maps

```py
@jax.jit
def total(x):
    return lax.psum(x, axis_name="i")  # error

total(jnp.ones(3))
```

## Under `vmap`

```py
def rank(x):
    return x + lax.axis_index("lanes")  # error

jax.vmap(rank)(jnp.ones((2, 3)))
```

## Fine as it is

The axis is bound further out.

```py
@jax.jit
def total(x):
    return lax.psum(x, axis_name="i")

def inner(x):
    return lax.pmean(total(x), "j")

jax.pmap(jax.vmap(inner, axis_name="i"), axis_name="j")(jnp.ones((1, 2, 3)))
```

`shard_map` binds the axes of its mesh.

```py
import numpy as np

mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
spec = jax.sharding.PartitionSpec("data")
shard_map = getattr(jax, "shard_map", None)
if shard_map is None:
    from jax.experimental.shard_map import shard_map

total = shard_map(
    lambda x: lax.psum(x, "data"), mesh=mesh, in_specs=spec, out_specs=jax.sharding.PartitionSpec()
)
total(jnp.ones(4))
```

Without a name, nothing is reduced across an axis.

```py
def mean(x, axis_name=None):
    x = x.mean()
    return x if axis_name is None else lax.pmean(x, axis_name)

jax.jit(mean)(jnp.ones(3))
jax.vmap(lambda x: mean(x, "i"), axis_name="i")(jnp.ones((2, 3)))
```

A function that asks whether the axis is bound.

```py
def total(x):
    try:
        return lax.psum(x, "i")
    except NameError:
        return x

jax.jit(total)(jnp.ones(3))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX627",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("NameError", "NotImplementedError"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "unbound-axis" or fact.entry is None:
        return
    bound = f" (only {fact.detail} is)" if fact.detail else ""
    yield rule.finding(
        fact,
        f"the axis {fact.subject} is not bound here{bound}: `{fact.entry.function}` is "
        f"{fact.entry.phrase}",
        help=f"map the function with `axis_name={fact.subject}`, or use the name that is bound",
    )
