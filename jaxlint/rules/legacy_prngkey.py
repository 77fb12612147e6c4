"""Makes a key of plain integers with `jax.random.PRNGKey` instead of a typed one.

A raw key is an array of two integers like any other. It can be added to, indexed and mixed up
with data, it says nothing of its algorithm, and `jax.debug_key_reuse` does not follow it.
`jax.random.key` gives the same numbers without these. Source: JAX documentation, "JEP 9263: Typed
keys & pluggable RNGs".

## Example

```py
key = jax.random.PRNGKey(0)  # error
bool(jnp.issubdtype(key.dtype, jax.dtypes.prng_key))
```

## Use instead

```py fixed
key = jax.random.key(0)
bool(jnp.issubdtype(key.dtype, jax.dtypes.prng_key))
```

`--fix --unsafe-fixes` writes `jax.random.key`. It is unsafe since the shape and dtype of keys
change, which checkpoints and code that looks at them may notice.

## Under another name

```py
make_key = jax.random.PRNGKey
key = make_key(3)  # error
key.shape == ()
```

## Fine as it is

A class of one's own.

```py
class PRNGKey:
    pass

type(PRNGKey()).__name__ == "PRNGKey"
```

Typed keys, and the numbers that they stand for.

```py
jax.random.key_data(jax.random.key(0)).shape == (2,)
```
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Expects,
    Finding,
    Fix,
    Rule,
    Severity,
    Tag,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX809",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    applicability=Applicability.UNSAFE,
    witness=Expects(),
    tags=(Tag.DEPRECATED,),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "legacy":
        yield rule.finding(
            fact,
            f"`{fact.callee}` makes a key of plain integers, which nothing keeps apart from data",
            help="use `jax.random.key`: the same numbers, as a key that has a type",
        )


@rule.fix(facts.KeyUsed)
def fix(fact: facts.KeyUsed, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind != "legacy" or not isinstance(call, ir.Call):
        return None
    if code.meaning(call.func) != "jax.random.PRNGKey":
        return None
    edits = fixes.calls.recalled(code, call, "jax.random.key")
    if edits is None:
        return None
    return code.fix(f"Make a typed key with `{edits[0].replacement}`", *edits, unsafe=True)
