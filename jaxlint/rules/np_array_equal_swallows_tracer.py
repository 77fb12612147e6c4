"""
Compares traced values with `np.array_equal`, which then always says that they differ.

`np.array_equal` and `np.array_equiv` convert their arguments to NumPy arrays, and return `False`
if that fails. A traced value cannot be converted, so in traced code the answer is `False` whatever
is compared, without an error. `jax.numpy` has both functions for traced values. Source:
`jax.errors.TracerArrayConversionError` in the JAX documentation.

## Example

```py
@jax.jit
def is_symmetric(matrix):
    return np.array_equal(matrix, matrix.T)  # error

is_symmetric(jnp.eye(3))
```

## Use instead

```py fixed
@jax.jit
def is_symmetric(matrix):
    return jnp.array_equal(matrix, matrix.T)

is_symmetric(jnp.eye(3))
```

`--fix` calls the namesake in `jax.numpy`: safe where the code runs in no other way than traced,
`--unsafe-fixes` for a helper that host code calls too.

## In the condition of a loop

```py
def settle(state):
    def moves(pair):
        before, after = pair
        return jnp.logical_not(np.array_equiv(before, after))  # error

    def step(pair):
        _, after = pair
        return after, jnp.minimum(after + 1, 3)

    def turn(pair, _):
        return lax.cond(moves(pair), step, lambda same: same, pair), moves(pair)

    return lax.scan(turn, state, length=5)

settle((jnp.int32(0), jnp.int32(1)))
```

## Fine as it is

Outside of traced code the values are there.

```py
assert np.array_equal(jax.jit(jnp.sort)(jnp.array([2, 1])), [1, 2])
```

Shapes are Python numbers.

```py
@jax.jit
def add(image, offset):
    if not np.array_equal(image.shape, offset.shape):
        raise ValueError("shapes differ")
    return image + offset

add(jnp.ones((2, 2)), jnp.ones((2, 2)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Differs, Finding, Fix, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX316",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Differs(),
)


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind == "compared":
        name = fact.subject.rpartition(".")[2]
        yield rule.finding(
            fact,
            f"`{fact.subject}` returns `False` whatever is compared, for it cannot convert traced "
            f"values: {fact.why()}",
            help=f"use `jnp.{name}`",
        )


@rule.fix(facts.ArrayMismatch)
def fix(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    call = fixes.calls.call_with(code, fact.node)
    if fact.kind != "compared" or call is None:
        return None
    return fixes.calls.namesake_called(code, fact, fact.node, code.meaning(call.func))
