"""
A chex assertion about values runs on tracers, which have none, so the trace fails.

Assertions about shapes, ranks, types and structures see what every tracer knows, and are free
once the function is compiled. `assert_tree_all_finite`, `assert_trees_all_close` and
`assert_trees_all_equal` compare values: in traced code they work only in functions that
`chex.chexify` wraps. `assert_scalar` and kin want Python numbers, and refuse every tracer.

Source: chex documentation, "Assertions", "JAX Tracing Assertions"; google-deepmind/chex#435.

## Example

```py
import chex

@jax.jit
def update(weights, grads):
    chex.assert_tree_all_finite(grads)  # error
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, grads)

update({"w": jnp.ones(3)}, {"w": jnp.ones(3)})
```

## Use instead

```py fixed
import chex

@chex.chexify
@jax.jit
def update(weights, grads):
    chex.assert_tree_all_finite(grads)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, grads)

update({"w": jnp.ones(3)}, {"w": jnp.ones(3)})
```

## A scalar that is a tracer

```py
import chex

@jax.jit
def anneal(temperature):
    chex.assert_scalar_positive(temperature)  # error
    return jnp.exp(-1.0 / temperature)

anneal(2.0)
```

## An equality that asks for its truth

```py
import chex

@jax.jit
def normalise(p):
    total = p.sum()
    chex.assert_equal(total, 1.0)  # error
    return p / total

normalise(jnp.array([0.25, 0.75]))
```

## Fine as it is

What tracers know may be asserted.

```py
import chex

@jax.jit
def attend(q, k):
    chex.assert_rank([q, k], 2)
    chex.assert_shape(q, (None, 8))
    chex.assert_type([q, k], float)
    chex.assert_equal_shape([q, k])
    chex.assert_equal(q.shape[-1], k.shape[-1])
    chex.assert_trees_all_equal_shapes({"q": q}, {"q": k})
    return q @ k.T

attend(jnp.ones((4, 8)), jnp.ones((4, 8)))
```

Values that are no tracers may be asserted as well: on the host, of Python numbers, of captured
arrays.

```py
import chex

TABLE = jnp.ones(3)

@jax.jit
def scale(x, factor=2.0):
    chex.assert_scalar_positive(factor)
    chex.assert_tree_all_finite(TABLE)
    return x * factor + TABLE

y = scale(jnp.ones(3))
chex.assert_tree_all_finite(y)
chex.assert_trees_all_close(y, jnp.full(3, 3.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX960",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises(
        "RuntimeError",
        "AssertionError",
        "AttributeError",
        "TracerBoolConversionError",
        "TracerArrayConversionError",
        "NotImplementedError",
    ),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind not in ("chex-value", "chex-concrete"):
        return
    if fact.kind == "chex-value":
        advice = "wrap the compiled function in `chex.chexify`, or assert outside traced code"
    else:
        advice = "assert outside traced code, or use `checkify.check`"
    yield rule.finding(
        fact,
        f"`{fact.detail}` needs the value of `{fact.subject}`, which is traced: {fact.where()}",
        help=advice,
    )
