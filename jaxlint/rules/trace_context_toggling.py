"""Calls a compiled function with different settings, each of which compiles it again.

Some settings are part of what compiled programs are found by: the default device, the precision of
matrix products, 64-bit mode, the rules of promotion. A function that is called with one setting and
then with another is compiled for each of them. Source: "JIT and caching" in the JAX documentation.

## Example

```py
@jax.jit
def gram(x):
    return x @ x

def compare(x):
    jax.clear_caches()
    coarse = gram(x)
    with jax.default_matmul_precision("float32"):  # error
        fine = gram(x)
    return coarse - fine

compare(jnp.ones((2, 2)))
```

## Use instead

What an operation needs can be said at the operation.

```py fixed
@jax.jit
def gram(x):
    return x @ x, jnp.matmul(x, x, precision="highest")

def compare(x):
    coarse, fine = gram(x)
    return coarse - fine

compare(jnp.ones((2, 2)))
```

## A setting per iteration

```py
@jax.jit
def gram(x):
    return x @ x

def sweep(x):
    jax.clear_caches()
    found = []
    for precision in ("bfloat16", "tensorfloat32", "float32"):
        with jax.default_matmul_precision(precision):  # error
            found.append(gram(x))
    return found

sweep(jnp.ones((2, 2)))
```

## Fine as it is

These settings are no part of it.

```py
double = jax.jit(lambda x: 2 * x)

def checked(x):
    with jax.debug_nans(True), jax.named_scope("checked"):
        return double(x)

double(jnp.ones(3)), checked(jnp.ones(3))
```

One setting for all calls, and a setting in traced code.

```py
@jax.jit
def gram(x):
    with jax.default_matmul_precision("float32"):
        return x @ x

scale = jax.jit(lambda x: 2 * x)

def run(x):
    with jax.default_matmul_precision("tensorfloat32"):
        for _ in range(2):
            x = scale(x)
    return gram(x)

run(jnp.ones((2, 2)))
```

## Notes

Off unless it is selected: two settings are often meant, and cost one compilation each. The examples
clear the caches so that the compilation can be seen.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Recompiles, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX514",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Recompiles(),
)


@rule.on(facts.CacheCleared)
def check(fact: facts.CacheCleared) -> Iterator[Finding]:
    if fact.kind != "context":
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` is part of what compiled programs are found by: what is called inside, "
        "and elsewhere without it, compiles for each setting",
        help="choose the setting once, or say what is needed at the operation",
    )
