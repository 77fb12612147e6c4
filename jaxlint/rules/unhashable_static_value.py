"""
Passes a list, a dict, a set or an array for a static parameter, which JAX cannot hash.

Static arguments are part of the key by which compiled programs are found, and a key needs a hash.
What can change has none: `ValueError: Non-hashable static arguments are not supported`.

Source: JAX documentation, `jax.jit`, `static_argnums` ("Static arguments must be hashable");
jax-ml/jax#4661, jax-ml/jax#883.

## Example

```py
@partial(jax.jit, static_argnames="shape")
def tile(value, shape):
    return jnp.full(shape, value)

tile(1.0, shape=[2, 3])  # error
```

## Use instead

```py fixed
@partial(jax.jit, static_argnames="shape")
def tile(value, shape):
    return jnp.full(shape, value)

tile(1.0, shape=(2, 3))
```

`--fix` makes tuples of lists that are written in the call, and frozen sets of sets. That is safe:
the call could not succeed.

## Inside a tuple, from a variable

```py
options = {"axis": 0}

@partial(jax.jit, static_argnums=(1,))
def reduce(x, how):
    name, keywords = how
    return getattr(jnp, name)(x, **keywords)

reduce(jnp.ones((2, 3)), ("sum", options))  # error
```

## Fine as it is

Strings, numbers, tuples of those, frozen sets, functions and dtypes have a hash.

```py
@partial(jax.jit, static_argnames=("names", "dtype"))
def select(batch, names, dtype):
    return [batch[name].astype(dtype) for name in sorted(names)]

batch = {"x": jnp.ones(2), "y": jnp.zeros(2)}
select(batch, names=frozenset({"x", "y"}), dtype=jnp.float16)
```

A list that is traced is a pytree.

```py
@jax.jit
def total(parts):
    return sum(part.sum() for part in parts)

total([jnp.ones(2), jnp.zeros(3)])
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX605",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("ValueError"),
)

INSTEAD = {
    "a list": "a tuple",
    "a set": "a frozenset",
    "a dict": "a tuple of pairs, or a frozen dataclass",
}


@rule.on(facts.Unhashable)
def check(fact: facts.Unhashable) -> Iterator[Finding]:
    if fact.kind != "static-value":
        return
    parameter = f"`{fact.subject}`" if fact.subject else "a parameter"
    instead = next((v for k, v in INSTEAD.items() if fact.detail.endswith(k)), "")
    may = "is" if fact.is_certain else "may be"
    yield rule.finding(
        fact,
        f"{parameter} of `{fact.callee}` is static, and `{fact.text}` {may} {fact.detail}, which "
        "has no hash: the call raises `ValueError`",
        help=f"pass {instead}" if instead else "leave the parameter to be traced",
    )


@rule.fix(facts.Unhashable)
def fix(fact: facts.Unhashable, code: Code) -> Fix | None:
    if fact.kind != "static-value" or not isinstance(fact.node, ir.Expr):
        return None
    edits = fixes.literals.hashable(code, fact.node)
    return code.fix("Replace with what has a hash", *edits) if edits else None
