"""Computes with a random key, or passes a number for one: the result is no independent key.

Keys are opaque. Arithmetic on keys of `jax.random.key` raises; on the raw integers of `PRNGKey`
it goes through, and gives keys whose numbers may be related. A seed is no key either. To derive
a key from a number there is `jax.random.fold_in`; folding in the same number twice gives the same
key, which is reported here as well. Source: JAX documentation, "JEP 9263: Typed keys & pluggable
RNGs".

## Example

```py
def layer_noise(key, layer):
    return jax.random.normal(key + layer, (3,))  # error

layer_noise(jax.random.key(0), 2)
```

## Use instead

```py fixed
def layer_noise(key, layer):
    return jax.random.normal(jax.random.fold_in(key, layer), (3,))

layer_noise(jax.random.key(0), 2)
```

## A seed is no key

```py
jax.random.uniform(1234, (2,))  # error
```

## Fine as it is

Arithmetic on the seed, before there is a key.

```py
seed = 3
jax.random.normal(jax.random.key(seed + 1))
```

The shape of an array of keys may change.

```py
keys = jax.random.split(jax.random.key(0), 4).reshape(2, 2)
jax.random.normal(keys[1, 0])
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX807",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "arithmetic":
        yield rule.finding(
            fact,
            f"arithmetic with the key `{fact.subject}` gives no independent key",
            help=f"use `jax.random.fold_in({fact.subject}, number)`",
        )
    elif fact.kind == "number":
        yield rule.finding(
            fact,
            f"`{fact.callee}` needs a key, and `{fact.subject}` is a Python value",
            help=f"use `jax.random.key({fact.subject})`, once, where the program begins",
        )
    elif fact.kind == "refolded":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is the key used up at {fact.earlier}: the same data is folded into "
            "the same key twice",
            help="fold in different numbers",
        )
