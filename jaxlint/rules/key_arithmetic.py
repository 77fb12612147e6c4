"""Computes with a random key, or passes a number for one: the result is no independent key.

Keys are opaque. Arithmetic on keys of `jax.random.key` raises. On the raw integers of `PRNGKey` it
goes through, and gives keys whose numbers may be related: a warning, as it is where the kind of the
key is not known. A seed is no key either. To derive a key from a number there is
`jax.random.fold_in`; folding in the same number twice gives the same key, which is reported here as
well. Source: JAX documentation, "JEP 9263: Typed keys & pluggable RNGs".

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

`--fix --unsafe-fixes` writes `fold_in` for `+`, `*` and `^`, and `jax.random.key` around a number.
It is unsafe since other numbers are drawn.

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

import re
from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX807",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.unsure and fact.kind in ("arithmetic", "number"):
        return  # Code that may be given something else may be right.
    if fact.kind == "arithmetic":
        yield rule.finding(
            fact,
            f"arithmetic with the key `{fact.subject}` gives no independent key",
            help=f"use `jax.random.fold_in({fact.subject}, number)`",
            severity=None if fact.fails else Severity.WARNING,
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
            f"`{fact.subject}` is the key consumed at {fact.earlier}: the same data is folded into "
            "the same key twice",
            help="fold in different numbers",
        )


NAMES = re.compile(r"key|rng|(?<![a-z])rs(?![a-z])")


@rule.fix(facts.KeyUsed)
def fix(fact: facts.KeyUsed, code: Code) -> Fix | None:
    node = fact.node
    if fact.kind == "number" and isinstance(node, ir.Const):
        if isinstance(code.parent(code.parent(node) or node), ir.ExprStmt):
            return None
        edits = fixes.calls.wrapped(code, node, "jax.random.key")
        title = "Make a key of the seed"
        return None if edits is None else code.fix(title, *edits, unsafe=True)
    if fact.kind != "arithmetic" or not isinstance(node, ir.BinOp) or node.op not in "+*^":
        return None
    reached, key = code.reach("jax.random.fold_in", node), _key(fact, code, node)
    if reached is None or key is None:
        return None
    number = node.right if key is node.left else node.left
    text = f"{reached[0]}({code.text(key)}, {code.text(number)})"
    return code.fix(
        "Fold the number into the key", code.replace(node, text), *reached[1], unsafe=True
    )


def _key(fact: facts.KeyUsed, code: Code, node: ir.BinOp) -> ir.Expr | None:
    """The operand that is the key: one beside a number, or the one that is called so."""
    sides = (node.left, node.right)
    for one, other in (sides, sides[::-1]):
        if code.text(one) == fact.subject and isinstance(other, ir.Const):
            return one
    called = [one for one in sides if NAMES.search(code.text(one))]
    return called[0] if len(called) == 1 else None
