"""
An object of a class without a usable hash, or with a wrong `__eq__`, is a static argument.

JAX finds compiled programs by the hash of static arguments and by `==`. A dataclass that is not
frozen has no hash, and neither has a class that defines `__eq__` alone: the call raises
`ValueError`. Worse is an `__eq__` that leaves out what the function reads, for then JAX runs the
program of another object without a word.

Source: JAX documentation, `jax.jit`, `static_argnums` ("Static arguments must be hashable, meaning
both `__hash__` and `__eq__` are implemented, and immutable"); jax-ml/jax#13992, jax-ml/jax#28418.

## Example

```py
import dataclasses

@dataclasses.dataclass
class Grid:
    spacing: float

@partial(jax.jit, static_argnames="grid")
def slope(values, grid):
    return jnp.diff(values) / grid.spacing

slope(jnp.arange(4.0), grid=Grid(0.5))  # error
```

## Use instead

```py fixed
import dataclasses

@dataclasses.dataclass(frozen=True)
class Grid:
    spacing: float

@partial(jax.jit, static_argnames="grid")
def slope(values, grid):
    return jnp.diff(values) / grid.spacing

slope(jnp.arange(4.0), grid=Grid(0.5))
```

## Different objects that are equal

The second call runs the program that was compiled for the first.

```py
class Window:
    def __init__(self, name, width):
        self.name = name
        self.width = width

    def __eq__(self, other):  # error
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)

@partial(jax.jit, static_argnums=1)
def total(signal, window):
    return signal[: window.width].sum()

signal = jnp.ones(5)
assert total(signal, Window("box", 2)) == 2
assert total(signal, Window("box", 4)) == 4
```

## Fine as it is

Equality and hash that look at what matters.

```py
class Window:
    def __init__(self, width):
        self.width = width

    def __eq__(self, other):
        return isinstance(other, Window) and self.width == other.width

    def __hash__(self):
        return hash(self.width)

@partial(jax.jit, static_argnums=1)
def total(signal, window):
    return signal[: window.width].sum()

signal = jnp.ones(5)
assert total(signal, Window(2)) == 2
assert total(signal, Window(4)) == 4
```

A pytree that is traced needs no hash.

```py
import dataclasses

@partial(jax.tree_util.register_dataclass, data_fields=["spacing"], meta_fields=[])
@dataclasses.dataclass
class Grid:
    spacing: jax.Array

@jax.jit
def slope(values, grid):
    return jnp.diff(values) / grid.spacing

slope(jnp.arange(4.0), Grid(jnp.float32(0.5)))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX512",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError", "AssertionError", anywhere=True),
)


@rule.on(facts.Unhashable)
def check(fact: facts.Unhashable) -> Iterator[Finding]:
    parameter = f"`{fact.subject}`" if fact.subject else "a parameter"
    if fact.kind == "static-class":
        yield rule.finding(
            fact,
            f"{parameter} of `{fact.callee}` is static, but {fact.detail} has no hash: the call "
            "raises `ValueError`",
            help="make the class a frozen dataclass, of fields that have a hash",
        )
    elif fact.kind == "equality":
        owner, _, name = fact.detail.partition(".")
        yield rule.finding(
            fact,
            f"objects of `{owner}` that differ in `{name}` are equal, so `{fact.callee}`, which "
            f"reads `{fact.subject}.{name}` of its static argument, runs a program that was "
            "compiled for another one",
            help=f"compare and hash `{name}` too, or make the class a frozen dataclass",
        )
