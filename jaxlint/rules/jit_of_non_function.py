"""Transforms something that is no function of arrays.

`jax.jit`, `jax.vmap` and `jax.grad` take a function. They raise `TypeError` at once for an array,
which is what a call gives (`jit(f(x))` for `jit(f)(x)`), for the objects that `staticmethod`,
`classmethod` and `property` make, and for a generator function. A class, or an `async` function,
gives something else than arrays, which raises when it is called. Source: `jax.jit` in the JAX
documentation, and `jax.errors`.

## Example

The brackets are in the wrong place: `normalise` runs, and `jit` gets its result.

```py
def normalise(values):
    return values / values.sum()

jax.jit(normalise(jnp.arange(3.0)))  # error
```

## Use instead

```py fixed
def normalise(values):
    return values / values.sum()

jax.jit(normalise)(jnp.arange(3.0))
```

`--fix --unsafe-fixes` moves the brackets, if nothing is done with the result but to show it or pass
it on, and puts `@staticmethod` first. It is unsafe since it guesses what was meant.

## The order of decorators

The lowest decorator is applied first.

```py
class Activation:
    @jax.jit  # error
    @staticmethod
    def gelu(values):
        return values * jax.nn.sigmoid(1.702 * values)
```

## A generator function

```py
@jax.jit  # error
def halves(value):
    while True:
        value = value / 2
        yield value
```

## Fine as it is

The static method is made of what `jit` made.

```py
class Activation:
    @staticmethod
    @jax.jit
    def gelu(values):
        return values * jax.nn.sigmoid(1.702 * values)

Activation.gelu(jnp.ones(2))
```

The call gives a function.

```py
def make_scale(factor):
    return lambda values: factor * values

jax.jit(make_scale(2.0))(jnp.ones(2))
```

An object with `__call__` will do, and so will a class that is a pytree.

```py
from typing import NamedTuple

class Pair(NamedTuple):
    left: jax.Array
    right: jax.Array

class Affine:
    def __call__(self, values):
        return 2 * values + 1

jax.jit(Affine())(jnp.ones(2)), jax.jit(Pair)(1.0, 2.0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Edit, Finding, Fix, Raises, Rule, Severity, facts, ir

rule = Rule(
    __name__,
    code="JAX615",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind != "operand":
        return
    what = fact.detail
    if what in ("a class", "an `async` function"):
        made = "an object that is no array" if what == "a class" else "a coroutine"
        yield rule.finding(
            fact,
            f"`{fact.callee}` is given {what}, which returns {made}: calls raise `TypeError`",
            help="give it a function that returns arrays",
        )
        return
    advice = "give it the function itself, and call what it returns"
    if "method" in what or "property" in what:
        advice = f"put `@{fact.callee}` below the other decorator, next to the function"
    yield rule.finding(
        fact,
        f"`{fact.callee}` takes a function, but is given {what}: it raises `TypeError`",
        help=advice,
    )


@rule.fix(facts.InvalidOption)
def fix(fact: facts.InvalidOption, code: Code) -> Fix | None:
    if fact.kind != "operand":
        return None
    if fact.detail == "an array" and isinstance(fact.node, ir.Call):
        return _called(fact.node, code)
    if fact.detail == "a `staticmethod` object":
        return _swapped(fact.node, code)
    return None


def _called(outer: ir.Call, code: Code) -> Fix | None:
    """`jit(f(x))` as `jit(f)(x)`."""
    inner = outer.args[0].value if outer.args else None
    parent = code.parent(outer)
    if not isinstance(inner, ir.Call) or not isinstance(inner.func, ir.Name):
        return None
    if outer.args[0].keyword or (isinstance(parent, ir.Call) and parent.func is outer):
        return None
    if isinstance(parent, (ir.Assign, ir.AnnAssign, ir.FunctionDef)):
        return None  # The name may be meant for the function.
    given = code.module.source.slice(code.rest(inner, inner.func))
    return code.fix(
        f"Call what `{fact_text(outer, code)}` gives",
        Edit(code.rest(inner, inner.func), ""),
        code.after(outer, given),
    )


def fact_text(outer: ir.Call, code: Code) -> str:
    """The transform as written."""
    return code.text(outer.func)


def _swapped(node: ir.Node, code: Code) -> Fix | None:
    """A decorator and the one below it, the other way round."""
    function = code.parent(node)
    if not isinstance(function, ir.FunctionDef):
        return None
    at = next(at for at, one in enumerate(function.decorators) if one is node)
    below = function.decorators[at + 1] if at + 1 < len(function.decorators) else None
    if not isinstance(below, ir.Name) or below.id != "staticmethod":
        return None
    first = function.decorators[at]
    return code.fix(
        "Apply `@staticmethod` to what comes of it",
        code.replace(first, below.id),
        code.replace(below, code.text(first)),
    )
