"""
Asks a traced value where it is stored, or waits for it, as if it were on a device.

A traced value stands for an array of the compiled program. It is on no device yet, so there is
nothing to wait for, to copy, to delete or to pickle: `x.block_until_ready()`, `x.devices()`,
`x.sharding`, `pickle.dumps(x)` and their kin raise an error. Source: "Asynchronous dispatch" and
`jax.Array` in the JAX documentation.

## Example

```py
@jax.jit
def normalise(x):
    total = jnp.sum(x).block_until_ready()  # error
    return x / total

normalise(jnp.ones(3))
```

## Use instead

Wait outside, for what the compiled function returns.

```py fixed
@jax.jit
def normalise(x):
    total = jnp.sum(x)
    return x / total

normalise(jnp.ones(3)).block_until_ready()
```

## Where is it?

```py
def on_first(x):
    return x if jax.devices()[0] in x.devices() else -x  # error

jax.vmap(on_first)(jnp.ones(3))
```

## Fine as it is

`jax.block_until_ready` leaves traced values alone.

```py
@jax.jit
def double(x):
    return jax.block_until_ready(2 * x)

double(jnp.ones(3))
```

Results of compiled functions are on a device.

```py
step = jax.jit(lambda x: x + 1)
result = step(jnp.ones(3))
[result.sharding, result.devices(), result.is_deleted()]
```

`getattr` with a default asks carefully.

```py
@jax.jit
def describe(x):
    return x if getattr(x, "sharding", None) is None else x + 0

describe(jnp.ones(3))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX323",
    severity=Severity.ERROR,
    since="0.1",
    over=("JAX104", "JAX314"),
    witness=Raises("AttributeError", "ConcretizationTypeError", "TypeError"),
)

INSTEAD = {
    "block_until_ready": "wait outside, for what the traced function returns",
    "sharding": "`jax.typeof(x).sharding` is known while tracing",
}


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind == "host-method":
        message = f"`.{fact.subject}()` needs an array on a device"
    elif fact.kind == "host-attribute":
        message = f"`.{fact.subject}` is there only for an array on a device"
    elif fact.kind == "pickled":
        message = f"`{fact.subject}` writes the values of an array"
    else:
        return
    advice = INSTEAD.get(fact.subject, "ask outside, of what the traced function returns")
    yield rule.finding(fact, f"{message}, but {fact.why()}", help=advice)
