"""Draws with a key of a constant seed in code that runs again: the same numbers in every call.

`jax.random.key(0)` is the same key wherever and whenever it is made. In a compiled function, or
in one that is called again and again, whatever is drawn with it never changes: a dropout mask is
fixed, noise cancels. Source: JAX documentation, "Pseudorandom numbers".

## Example

```py
@jax.jit
def dropout(activations):
    keep = jax.random.bernoulli(jax.random.key(0), 0.5, activations.shape)  # error
    return jnp.where(keep, 2 * activations, 0.0)

first, second = dropout(jnp.ones(32)), dropout(jnp.ones(32))
bool((first != second).any())
```

## Use instead

The caller passes a key, and a new one each time.

```py fixed
@jax.jit
def dropout(key, activations):
    keep = jax.random.bernoulli(key, 0.5, activations.shape)
    return jnp.where(keep, 2 * activations, 0.0)

one, other = jax.random.split(jax.random.key(0))
first, second = dropout(one, jnp.ones(32)), dropout(other, jnp.ones(32))
bool((first != second).any())
```

## Without jit

```py
def jittered(image):
    key = jax.random.key(42)  # error
    return image + jax.random.normal(key, image.shape)

bool((jittered(jnp.zeros(3)) != jittered(jnp.zeros(3))).any())
```

## Fine as it is

The seed is an argument.

```py
@jax.jit
def noise(seed, like):
    return jax.random.normal(jax.random.key(seed), like.shape)

bool((noise(0, jnp.ones(3)) != noise(1, jnp.ones(3))).any())
```

A program begins with one key, and a key for parameters is used once.

```py
def main(steps):
    key = jax.random.key(0)
    for i in range(steps):
        print(jax.random.normal(jax.random.fold_in(key, i)))

main(2) is None
```

The constant key is folded with data.

```py
@jax.jit
def hashed(row):
    key = jax.random.fold_in(jax.random.key(0), row[0].astype(int))
    return row + jax.random.normal(key, row.shape)

bool((hashed(jnp.arange(3.0)) != hashed(jnp.ones(3))).any())
```

## Notes

Outside traced code only a sampler that asks for numbers of the shape of a parameter is flagged,
in a function that is called more than once: helpers that make example data with a fixed seed do
so on purpose. Functions whose names begin with `init`, `main` or `test` may.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX805",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "constant":
        yield rule.finding(
            fact,
            f"every call of `{fact.function}` makes the same key of a constant seed, so "
            f"`{fact.callee}` gives the same numbers each time",
            help="take the key as a parameter",
        )
