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

`--fix --unsafe-fixes` binds what `split` or `fold_in` gives to the key, and takes the first one of
an array of keys that is used once. It is unsafe since other numbers are drawn.

## An array of keys

```py
def noisy(key, signal):
    key = jax.random.split(key)
    return signal + jax.random.normal(key, signal.shape)  # error

noisy(jax.random.key(1), jnp.ones(3))
```

## More keys than names

```py
def keys_of_step(key):
    explore, replay = jax.random.split(key, 3)  # error
    return explore, replay

keys_of_step(jax.random.key(0))
```

```py
def layers(key):
    keys = jax.random.split(key)
    first, second, third = keys  # error
    return first, second, third

layers(jax.random.key(0))
```

## Fine as it is

A part that is not needed may be thrown away.

```py
_, draw = jax.random.split(jax.random.key(0))
float(jax.random.normal(draw))
```

A slice has fewer keys, and a starred name takes what is left.

```py
keys = jax.random.split(jax.random.key(0), 5)
first, second = keys[:2]
third, *others = keys
left, right = keys.reshape(5)[3:]
jax.random.normal(first), jax.random.normal(right)
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

from jaxlint.api import Applicability, Code, Finding, Fix, Fruitless, Rule, Severity, Tag, facts, ir

rule = Rule(
    __name__,
    code="JAX804",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Fruitless("TypeError", "ValueError"),
    tags=(Tag.UNNECESSARY,),
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
    elif fact.kind == "unpacked":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gives {fact.subject} keys, and they are unpacked into another number "
            "of names: Python raises ValueError",
            help="split into as many keys as there are names",
        )


@rule.fix(facts.KeyUsed)
def fix(fact: facts.KeyUsed, code: Code) -> Fix | None:
    if fact.kind == "array":
        return _first(fact, code)
    call = fact.node
    statement = code.statement(call)
    if fact.kind != "discarded" or not isinstance(call, ir.Call) or not call.args:
        return None
    key, name = call.args[0].value, code.meaning(call.func).rpartition(".")[2]
    is_alone = isinstance(statement, ir.ExprStmt) and statement.value is call
    if not is_alone or not isinstance(key, ir.Name) or not code.is_local(key.id, call):
        return None
    if name == "split" and len(call.args) == 1:
        targets = f"{key.id}, _ = "
    elif name == "fold_in":
        targets = f"{key.id} = "
    else:
        return None
    title = f"Go on with the new key: `{targets}...`"
    return code.fix(title, code.before(call, targets), unsafe=True)


def _first(fact: facts.KeyUsed, code: Code) -> Fix | None:
    """Draws with the first one of an array of keys that is used once."""
    node = fact.node
    if not isinstance(node, ir.Call):
        return None
    function = code.function(node)
    read = [a.value for a in node.args if isinstance(a.value, ir.Name) and not a.star]
    keys = next((one for one in read if one.id == fact.subject), None)
    body = code.module.body if function is None else function.body
    if keys is None or code.count(keys.id, body) != 2:
        return None
    return code.fix(f"Draw with `{keys.id}[0]`", code.after(keys, "[0]"), unsafe=True)
