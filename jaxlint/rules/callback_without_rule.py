"""
A callback is differentiated, or mapped without being told how.

JAX cannot look into a function that runs on the host, so a transform around needs to be told what
to do with it. `jax.pure_callback` and `io_callback` have no derivative: `ValueError`, unless a
`jax.custom_jvp` or `custom_vjp` around says what it is. `vmap` maps a pure callback as its
`vmap_method` says, and from JAX 0.6 on raises `NotImplementedError` without one. An `io_callback`
that is `ordered` cannot be mapped at all, and none can in the branches of a `lax.cond` whose
predicate is mapped.

Source: JAX documentation of `jax.pure_callback`; "External callbacks".

## Example

```py jax>=0.6
def smooth(row):
    spec = jax.ShapeDtypeStruct(row.shape, row.dtype)
    return jax.pure_callback(lambda a: np.sort(a), spec, row)  # error

jax.vmap(smooth)(jnp.ones((4, 3)))
```

## Use instead

`"sequential"` calls the function once for each element, `"expand_dims"` and `"broadcast_all"` once
with all of them.

```py fixed jax>=0.6
def smooth(row):
    spec = jax.ShapeDtypeStruct(row.shape, row.dtype)
    return jax.pure_callback(lambda a: np.sort(a), spec, row, vmap_method="sequential")

jax.vmap(smooth)(jnp.ones((4, 3)))
```

## A derivative

```py
def bessel(x):
    return jax.pure_callback(lambda a: np.i0(a).astype(np.float32), x, x)  # error

jax.grad(lambda x: jnp.sum(bessel(x) ** 2))(jnp.ones(3))
```

## Ordered effects

```py
from jax.experimental import io_callback

rows = []

def keep(row):
    io_callback(lambda a: rows.append(a), None, row, ordered=True)  # error
    return row.sum()

jax.vmap(keep)(jnp.ones((4, 3)))
```

```py
from jax.experimental import io_callback

rows = []

def keep(row):
    lax.cond(row > 0, lambda a: io_callback(rows.append, None, a), lambda a: None, row)  # error
    return row

jax.vmap(keep)(jnp.ones(4))
```

## Fine as it is

What the callback gets is not mapped.

```py
def scaled(row, weights):
    spec = jax.ShapeDtypeStruct(weights.shape, weights.dtype)
    return row * jax.pure_callback(lambda a: np.sort(a), spec, weights)

jax.vmap(scaled, in_axes=(0, None))(jnp.ones((4, 3)), jnp.ones(3))
```

No derivative goes through the callback, or a rule tells it.

```py
@jax.custom_jvp
def cube(x):
    return jax.pure_callback(lambda a: np.asarray(a) ** 3, x, x)

@cube.defjvp
def cube_jvp(primals, tangents):
    return cube(*primals), 3 * primals[0] ** 2 * tangents[0]

def loss(x):
    constant = lax.stop_gradient(x)
    return cube(x) + jax.pure_callback(lambda a: np.asarray(a) * 2, x, constant)

jax.grad(loss)(jnp.float32(2.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX629",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("NotImplementedError", "ValueError", anywhere=True),
)

_MESSAGES = {
    "callback-derivative": (
        "`{callee}` has no derivative, but its argument is differentiated",
        "give the function around a rule of its own (`jax.custom_jvp`), or pass "
        "`jax.lax.stop_gradient(x)`",
    ),
    "callback-vmap_method": (
        "`jax.vmap` maps an argument of `{callee}`, which has no `vmap_method`",
        'pass `vmap_method="sequential"`, or "expand_dims" if the function takes a batch',
    ),
    "branch-refused": (
        "`jax.vmap` maps the predicate of `{detail}`, and JAX refuses `{callee}` in its branches",
        "call it outside of the branches, or map with `jax.lax.map`, which keeps them",
    ),
    "callback-ordered": (
        "`jax.vmap` maps an argument of `{callee}`, but ordered callbacks cannot be mapped",
        "leave out `ordered=True`, or call it outside of the mapped function",
    ),
}


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind in _MESSAGES:
        message, help = _MESSAGES[fact.kind]
        yield rule.finding(
            fact,
            message.format(callee=fact.subject, detail=fact.detail) + f"; {fact.where()}",
            help=help,
        )
