"""
Calls a NumPy function that happens to work on traced values, unlike most of them.

`np.sum(x)` looks for a method `sum` of its argument and calls that, so it works for traced values;
`np.mean`, `np.reshape` and some twenty others do the same. `np.sin` or `np.where` fail with
`TracerArrayConversionError`, and `np.take` finds a method that refuses NumPy's default mode.
Which function does what is not part of anyone's promise; `jax.numpy` has them all. Source:
`jax.errors.TracerArrayConversionError` in the JAX documentation.

## Example

Who reads `np.mean` expects a number of NumPy, which this is not.

```py
@jax.jit
def centre(x):
    middle = np.mean(x)  # error
    return x - middle, isinstance(middle, np.number)

bool(centre(jnp.arange(3.0))[1])
```

## Use instead

```py fixed
@jax.jit
def centre(x):
    middle = jnp.mean(x)
    return x - middle, isinstance(middle, jax.Array)

bool(centre(jnp.arange(3.0))[1])
```

`--fix` writes `jnp` for `np`: safe where the code runs in no other way than traced,
`--unsafe-fixes` for a helper that host code calls too.

## Another function

```py
@jax.jit
def rows(x):
    table = np.reshape(x, (2, -1))  # error
    return isinstance(table, np.ndarray)

bool(rows(jnp.arange(4.0)))
```

## Fine as it is

NumPy computes with shapes, and with arrays outside of traced code.

```py
@jax.jit
def total(x):
    return x * np.sum(x.shape)

np.sum(total(jnp.ones((2, 3)))) == 30.0
```

Captured NumPy arrays are concrete.

```py
WEIGHTS = np.arange(4.0)

@jax.jit
def weigh(x):
    return x * np.max(WEIGHTS) / np.reshape(WEIGHTS, (2, 2)).shape[0]

float(weigh(jnp.ones(2))[0]) == 1.5
```

## Notes

A matter of style, so it is off unless it is selected.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX315",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind != "delegated":
        return
    name = fact.detail.rpartition(".")[2]
    verb = "fails for" if name == "take" else "happens to work on"
    yield rule.finding(
        fact,
        f"`{fact.subject}` {verb} a traced value: it calls the array's own `{name}`",
        help=f"use `jnp.{name}`",
    )


@rule.fix(facts.ArrayMismatch)
def fix(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    if fact.kind != "delegated":
        return None
    return fixes.calls.namesake_called(code, fact, fact.node, fact.detail)
