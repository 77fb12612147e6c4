"""Uses an option of `jax.jit` that JAX is giving up.

`device` and `backend` draw a `DeprecationWarning`: where a program runs is decided by where its
arguments are, or by shardings. `abstracted_axes` is gone, and raises `TypeError` in new
releases. Source: `jax.jit` in the JAX documentation, and the text of its warning.

## Example

```py
def double(values):
    return 2 * values

jax.jit(double, backend="cpu")(jnp.ones(2))  # error
```

## Use instead

```py fixed
def double(values):
    return 2 * values

jax.jit(double)(jax.device_put(jnp.ones(2), jax.devices("cpu")[0]))
```

## In a decorator

```py
@partial(jax.jit, device=jax.devices()[0])  # error
def triple(values):
    return 3 * values

triple(jnp.ones(2))
```

## Fine as it is

The options of other functions.

```py
jax.devices(backend="cpu")[0].platform
```

```py
def train(steps, device=None, backend="cpu"):
    return steps, device, backend

train(3, device="cpu")
```

The devices of `jax.jit` by sharding.

```py
place = jax.sharding.SingleDeviceSharding(jax.devices()[0])
jax.jit(lambda values: 2 * values, out_shardings=place)(jnp.ones(2))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Rule, Severity, Tag, Warns, facts

rule = Rule(
    __name__,
    code="JAX620",
    severity=Severity.WARNING,
    since="0.1",
    witness=Warns("DeprecationWarning"),
    tags=(Tag.DEPRECATED,),
)


@rule.on(facts.UselessTransform)
def check(fact: facts.UselessTransform) -> Iterator[Finding]:
    if fact.target == "abstracted_axes":
        yield rule.finding(
            fact,
            f"`{fact.callee}` no longer knows `{fact.target}`: new releases of JAX raise "
            "`TypeError`",
            help="leave it out: every shape compiles a program of its own",
        )
        return
    yield rule.finding(
        fact,
        f"the option `{fact.target}` of `{fact.callee}` is deprecated",
        help="put the arguments on the device with `jax.device_put`, or give `in_shardings`",
    )
