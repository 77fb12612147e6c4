"""
The result of a pure JAX function is thrown away, so that the call does nothing.

Functions of JAX and methods of its arrays change nothing that they are given: what they compute
is what they return. Called as a statement, `v.astype(...)`, `jnp.where(...)`, `jax.tree.map(...)`
or a loop of `jax.lax` leaves everything as it was. In compiled code, XLA drops it altogether.
The same holds for methods that return a changed copy: `_replace` of a named tuple, `replace` of a
`flax.struct.dataclass`, `apply_gradients` of a `TrainState`, `tree_at` and
`inference_mode` of Equinox, and methods of your own that do no more than that.

Source: JAX documentation, "The Sharp Bits", sections "Pure functions" and "In-place updates".

## Example

```py
weights = jnp.arange(4)
weights.astype(jnp.float32)  # error
str(weights.dtype)
```

## Use instead

```py fixed
weights = jnp.arange(4)
weights = weights.astype(jnp.float32)
str(weights.dtype)
```

## A map over a tree

```py
@jax.jit
def shrink(params, rate):
    jax.tree.map(lambda leaf: leaf * rate, params)  # error
    return params

shrink({"w": jnp.ones(3)}, 0.5)["w"].sum()
```

```py fixed
@jax.jit
def shrink(params, rate):
    return jax.tree.map(lambda leaf: leaf * rate, params)

shrink({"w": jnp.ones(3)}, 0.5)["w"].sum()
```

## A loop whose last state nobody takes

```py
total = jnp.zeros(())
lax.fori_loop(0, 5, lambda i, carry: carry + i, total)  # error
float(total)
```

## Fine as it is

A call for its effects.

```py
leaves = []
params = {"w": jnp.ones(3), "b": jnp.zeros(2)}
jax.tree.map(leaves.append, params)
len(leaves)
```

A compiled function is called once to be compiled, and a call waits for the device.

```py
double = jax.jit(lambda x: x * 2)
double(jnp.ones(3))
jnp.dot(jnp.ones(3), jnp.ones(3)).block_until_ready()
double(jnp.ones(3))
```

What a NumPy method changes in place.

```py
table = np.array([3, 1, 2])
table.sort()
table.tolist()
```

## Notes

Tests, and functions whose names say that they measure, warm up or check something, are left
alone: they call for the time it takes, or to see whether it raises.

## Minor findings

In tests, findings are minor, and reported only where the rule is selected.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fruitless, Rule, Severity, Tag, facts

rule = Rule(
    __name__,
    code="JAX155",
    severity=Severity.WARNING,
    since="0.1",
    witness=Fruitless(),
    tags=(Tag.UNNECESSARY,),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "result-discarded":
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}(...)` changes nothing: it returns what is new, which is thrown away here",
        help="bind the result and go on with it, or delete the statement",
        minor="this is a test" if fact.in_tests else "",
    )
