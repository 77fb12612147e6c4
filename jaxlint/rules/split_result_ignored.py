"""Drops what `split` or `fold_in` returns, or draws with several keys where one is needed.

`jax.random.split(key)` leaves `key` as it is and returns an array of new keys. As a statement it
does nothing at all; and its result as a whole is no key, so that samplers refuse it. Source: JAX
documentation, "Pseudorandom numbers" and `jax.random.split`.

## Example

```py
key = jax.random.key(0)
jax.random.split(key)  # error
float(jax.random.normal(key))
```

## Use instead

```py fixed
key = jax.random.key(0)
key, draw = jax.random.split(key)
float(jax.random.normal(draw))
```

## An array of keys

```py
def noisy(key, signal):
    key = jax.random.split(key)
    return signal + jax.random.normal(key, signal.shape)  # error

noisy(jax.random.key(1), jnp.ones(3))
```

## Fine as it is

A part that is not needed may be thrown away.

```py
_, draw = jax.random.split(jax.random.key(0))
float(jax.random.normal(draw))
```

`vmap` draws with each key of the array.

```py
keys = jax.random.split(jax.random.key(0), 4)
jax.vmap(jax.random.uniform)(keys).shape
```

A call for its error alone is not about the keys.

```py
def is_key(candidate):
    try:
        jax.random.split(candidate)
    except (TypeError, ValueError):
        return False
    return True

is_key("seed")
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Fruitless, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX804",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Fruitless("TypeError", "ValueError"),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "discarded":
        yield rule.finding(
            fact,
            f"`{fact.callee}` returns new keys and leaves `{fact.subject}` as it is: as a "
            "statement it does nothing",
            help=f"bind the result: `{fact.subject}, draw = jax.random.split({fact.subject})`",
        )
    elif fact.kind == "array":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is an array of keys, and `{fact.callee}` takes a single one",
            help=f"take one of them (`{fact.subject}[0]`), or `jax.vmap` over all",
        )
