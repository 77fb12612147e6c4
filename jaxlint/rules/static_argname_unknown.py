"""Names a parameter that the jitted function does not have.

`static_argnames` and `donate_argnames` are compared with the signature when `jax.jit` is applied.
A name that is misspelt, that was renamed in the function alone, or whose parameter can only be
passed by position raises `ValueError`. One string is one name: `"width, mode"` is not two.
Source: `jax.jit` in the JAX documentation; jax-ml/jax#10046, jax-ml/jax#10618.

## Example

```py
@partial(jax.jit, static_argnames=("width", "padding"))  # error
def smooth(signal, width=3, pad="same"):
    return jnp.convolve(signal, jnp.ones(width) / width, mode=pad)
```

## Use instead

```py fixed
@partial(jax.jit, static_argnames=("width", "pad"))
def smooth(signal, width=3, pad="same"):
    return jnp.convolve(signal, jnp.ones(width) / width, mode=pad)

smooth(jnp.arange(4.0))
```

`--fix --unsafe-fixes` writes the parameter whose name is like the one given, or several names for
one string that lists them. It is unsafe since the name is a guess.

## Two names in one string

```py
def smooth(signal, width, mode):
    return jnp.convolve(signal, jnp.ones(width) / width, mode=mode)

fast = jax.jit(smooth, static_argnames="width, mode")  # error
```

## A parameter that has no name for callers

```py
def power(base, exponent, /):
    return base**exponent

cubed = jax.jit(power, static_argnames=["exponent"])  # error
```

## Fine as it is

`**options` takes any name, and a parameter behind `*` has one.

```py
@partial(jax.jit, static_argnames=("axis", "keepdims"))
def centre(values, **options):
    return values - values.mean(**options)

@partial(jax.jit, static_argnames="times")
def repeat(values, *, times):
    return jnp.tile(values, times)

centre(jnp.eye(2), axis=0, keepdims=True), repeat(jnp.ones(2), times=2)
```

What `functools.partial` passes by name can be named again.

```py
def scale(values, factor, power):
    return factor * values**power

squared = jax.jit(partial(scale, power=2), static_argnames=("power",))
squared(jnp.arange(3.0), 2.0)
```

What `jax.vmap` and `jax.grad` make keeps the names of its function.

```py
def loss(weights, order):
    return jnp.sum(weights**order)

jax.jit(jax.grad(loss), static_argnames="order")(jnp.ones(2), order=3)
```
"""

from collections.abc import Iterator
from difflib import get_close_matches

from jaxlint.api import (
    Applicability,
    Code,
    Edit,
    Finding,
    Fix,
    Raises,
    Rule,
    Severity,
    facts,
    fixes,
)

rule = Rule(
    __name__,
    code="JAX602",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("ValueError"),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind != "name":
        return
    names = fact.detail.split()
    yield rule.finding(
        fact,
        f"`{fact.target}` has no parameter that can be passed by the name `{fact.given}`, so "
        f"`{fact.option}` raises `ValueError`",
        help=_advice(fact.given, names),
    )


def _advice(given: str, names: list[str]) -> str:
    parts = [part.strip() for part in given.split(",")]
    if len(parts) > 1 and set(parts) <= set(names):
        return f"write several names as a tuple: {tuple(parts)!r}"
    close = get_close_matches(given, names, n=1)
    if close:
        return f"write `{close[0]}`"
    known = ", ".join(f"`{name}`" for name in names)
    return f"its parameters are {known}" if known else "number it with `static_argnums`"


@rule.fix(facts.InvalidOption)
def fix(fact: facts.InvalidOption, code: Code) -> Fix | None:
    one = fixes.transform_sites.application(code, fact.node)
    given = None if one is None else one.option(fact.option)
    if fact.kind != "name" or given is None or not fixes.literals.is_literal(given):
        return None
    valid = fact.detail.split()
    constants = list(fixes.literals.constants(given))
    named = {part.value for part in constants}
    edits: list[Edit] = []
    for part in constants:
        if not isinstance(part.value, str) or part.value in valid:
            continue
        meant = _meant(part.value, [name for name in valid if name not in named])
        if not meant:
            return None
        text = ", ".join(fixes.literals.quoted(code, name, part) for name in meant)
        is_alone = part is given and len(meant) > 1
        edits.append(code.replace(part, f"({text})" if is_alone else text))
        named.update(meant)
    return code.fix("Replace with a parameter of that name", *edits)


def _meant(given: str, names: list[str]) -> list[str]:
    """The parameters that a name stands for which is none, or several in one string."""
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if len(parts) > 1 and set(parts) <= set(names):
        return parts
    return get_close_matches(given, names, n=1)
