"""Declares one parameter both static and donated.

A static argument is a Python value that becomes part of the program, so it has no buffer that
could be given away. `jax.jit` compares what is static with what is donated, by number and by
name, when it is applied, and raises `ValueError` if they meet. Source: `jax.jit` in the JAX
documentation.

## Example

```py
def decay(state, rate):
    return state * rate

jax.jit(decay, static_argnums=1, donate_argnums=(0, 1))(jnp.ones(2), 0.5)  # error
```

## Use instead

```py fixed
def decay(state, rate):
    return state * rate

jax.jit(decay, static_argnums=1, donate_argnums=0)(jnp.ones(2), 0.5)
```

`--fix --unsafe-fixes` leaves the parameter out of the donated ones. It is unsafe since it may have
been meant to be donated, and not static.

## By name here, by number there

```py
@partial(jax.jit, static_argnames=("cache", "size"), donate_argnums=0)  # error
def refresh(cache, size):
    return cache * size
```

## Fine as it is

Each parameter is one or the other.

```py
@partial(jax.jit, static_argnames="size", donate_argnames=("cache",))
def refresh(cache, size):
    return cache * size

refresh(jnp.ones(3), size=2)
```

Several may be donated, and several static.

```py
def mix(left, right, how, scale):
    return (left + right) * scale if how == "sum" else left

jax.jit(mix, static_argnums=(2, 3), donate_argnums=(0, 1))(jnp.ones(2), jnp.ones(2), "sum", 3)
```
"""

from collections.abc import Iterator

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
    ir,
)

rule = Rule(
    __name__,
    code="JAX603",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("ValueError"),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind == "overlap":
        yield rule.finding(
            fact,
            f"`{fact.given}` of `{fact.target}` is static and donated at once: `{fact.callee}` "
            "raises `ValueError`",
            help="donate arrays alone: leave it out of the donated parameters",
        )


@rule.fix(facts.InvalidOption)
def fix(fact: facts.InvalidOption, code: Code) -> Fix | None:
    one = fixes.transform_sites.application(code, fact.node)
    if fact.kind != "overlap" or one is None:
        return None
    names, numbers = fact.given.split(", "), fact.detail.split(", ")
    edits: list[Edit] = []
    for option, parts in (("donate_argnames", names), ("donate_argnums", numbers)):
        given = one.option(option)
        if given is None:
            continue
        more = _without(one, option, given, frozenset(parts), code)
        if more is None:
            return None
        edits += more
    return code.fix("Leave it out of the donated parameters", *edits)


def _without(
    one: fixes.transform_sites.Application,
    option: str,
    given: ir.Expr,
    parts: frozenset[str],
    code: Code,
) -> tuple[Edit, ...] | None:
    """An option without some names or numbers, or no such option if nothing is left of it."""
    text = one.text()
    at = None if text is None else text.index(option)
    if text is None or at is None or not fixes.literals.is_literal(given):
        return None
    constants = list(fixes.literals.constants(given))
    kept = [part for part in constants if str(part.value) not in parts]
    if len(kept) == len(constants):
        return ()
    if not kept:
        return (text.removed(at),)
    return fixes.literals.without_items(code, given, lambda part: part not in kept)
