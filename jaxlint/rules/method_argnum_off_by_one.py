"""Counts the parameters of a method without `self`, which then is traced itself.

A decorator in a class body sees the plain function, whose parameter 0 is `self`. Numbers that
leave it out name the parameter before the one that is meant, and `self` becomes an argument
like any other: unless its class is a pytree, every call raises `TypeError`. Source: "Using
`jax.jit` with class methods" in "The Sharp Bits" of the JAX documentation.

## Example

`static_argnums=1` makes `signal` static, and `self` and `times` traced.

```py
class Filter:
    width = 2

    @partial(jax.jit, static_argnums=1)  # error
    def repeat(self, signal, times):
        return jnp.tile(signal / self.width, times)

Filter().repeat(jnp.ones(3), 2)
```

## Use instead

Count `self`, and make it static too.

```py fixed
class Filter:
    width = 2

    @partial(jax.jit, static_argnums=(0, 2))
    def repeat(self, signal, times):
        return jnp.tile(signal / self.width, times)

Filter().repeat(jnp.ones(3), 2)
```

`--fix --unsafe-fixes` counts `self`, and makes it static. It is unsafe since the object must have a
hash, and the program keeps its attributes as they were when it was traced.

## Without a decorator

In a class body a function is still a plain one.

```py
class Window:
    def _ones(self, size):
        return jnp.ones(size)

    ones = jax.jit(_ones, static_argnums=[1])  # error

Window().ones(3)
```

## Fine as it is

A method of an object has got its `self` already.

```py
class Filter:
    def __init__(self, width):
        self.width = width
        self.repeat = jax.jit(self._repeat, static_argnums=1)

    def _repeat(self, signal, times):
        return jnp.tile(signal / self.width, times)

Filter(2).repeat(jnp.ones(3), 2)
```

A static method has no `self`.

```py
class Filter:
    @staticmethod
    @partial(jax.jit, static_argnums=1)
    def repeat(signal, times):
        return jnp.tile(signal, times)

Filter.repeat(jnp.ones(3), 2)
```

An object that is a pytree may be traced.

```py
@jax.tree_util.register_pytree_node_class
class Gain:
    def __init__(self, factor):
        self.factor = factor

    def tree_flatten(self):
        return (self.factor,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    @partial(jax.jit, static_argnums=2)
    def apply(self, signal, times):
        return jnp.tile(self.factor * signal, times)

Gain(2.0).apply(jnp.ones(3), 2)
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX609",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TypeError", "ValueError", anywhere=True),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind != "method":
        return
    receiver, hit, moved = fact.detail.split("|")
    counts = f"`{fact.option}` leaves `{receiver}` out"
    if hit:
        counts = f"`{fact.option}` counts `{receiver}`: {fact.given} is `{hit}`"
    yield rule.finding(
        fact,
        f"{counts}, and `{receiver}` is traced, which raises `TypeError`",
        help=f"write `{fact.option}=({moved})`",
    )


@rule.fix(facts.InvalidOption)
def fix(fact: facts.InvalidOption, code: Code) -> Fix | None:
    one = fixes.transform_sites.application(code, fact.node)
    given = None if one is None else one.option(fact.option)
    if fact.kind != "method" or given is None or not fixes.literals.is_literal(given):
        return None
    owner = next((one for one in code.around(fact.node) if isinstance(one, ir.ClassDef)), None)
    if owner is None or not _has_hash(owner, code):
        return None
    moved = fact.detail.split("|")[2].split(", ")
    title = f"Count `self`: `{fact.option}=({', '.join(moved)})`"
    if isinstance(given, ir.Sequence):
        return code.fix(title, fixes.literals.replaced(code, given, moved))
    return code.fix(title, code.replace(given, fixes.literals.display("tuple", moved)))


def _has_hash(owner: ir.ClassDef, code: Code) -> bool:
    """Whether objects of a class have the hash that any object has: no decorator or `__eq__` takes
    it from them, as those of dataclasses do."""
    is_compared = fixes.scopes.binders("__eq__", owner.body) and not fixes.scopes.binders(
        "__hash__", owner.body
    )
    frozen = ("frozen=True", "eq=False", "unsafe_hash=True")
    return not is_compared and all(
        any(option in code.text(one) for option in frozen) for one in owner.decorators
    )
