"""
Calls a compiled function in several styles, each of which is compiled for itself.

JAX keeps positional and keyword arguments apart, and an argument that is left to its default is
none at all: `f(x, 1.0)`, `f(x, scale=1.0)` and `f(x)` are three programs. So are dicts with other
keys, whether these are used or not.

Source: jax-ml/jax#595; JAX documentation, "Just-in-time compilation", section "JIT and caching".

## Example

```py
@jax.jit
def shift(x, by=1.0):
    return x + by

x = jnp.ones(3)
shift(x, 1.0)
shift(x, by=1.0)  # error
shift._cache_size() == 1
```

## Use instead

```py fixed
@jax.jit
def shift(x, by=1.0):
    return x + by

x = jnp.ones(3)
shift(x, by=1.0)
shift(x, by=1.0)
shift._cache_size() == 1
```

## Dicts of other keys

```py
@jax.jit
def norm(batch):
    return jnp.linalg.norm(batch["x"])

norm({"x": jnp.ones(3)})
norm({"x": jnp.ones(3), "label": 1})  # error
norm._cache_size() == 1
```

## Fine as it is

One style throughout.

```py
@jax.jit
def shift(x, by=1.0):
    return x + by

x = jnp.ones(3)
for by in (1.0, 2.0):
    shift(x, by=by)
shift._cache_size() == 1
```

The order of keys does not matter.

```py
@jax.jit
def norm(batch):
    return jnp.linalg.norm(batch["x"])

norm({"x": jnp.ones(3), "label": 1})
norm({"label": 1, "x": jnp.ones(3)})
norm._cache_size() == 1
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX513",
    severity=Severity.INFO,
    since="0.1",
    witness=Expects(),
    default=False,
)


@rule.on(facts.Retraced)
def check(fact: facts.Retraced) -> Iterator[Finding]:
    if fact.other is None:
        return
    where = fact.line_of(fact.other)
    if fact.kind == "style":
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again: `{fact.parameter}` is passed in another style than "
            f"at {where}",
            help="pass it in the same style everywhere: positional, by keyword, or not at all",
        )
    elif fact.kind == "structure":
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again: the keys of `{fact.text}` are not those at {where}",
            help="pass what is needed alone",
        )
