"""Applies `jax.jit` in a form that not every release of JAX takes.

Since JAX 0.7 the function is passed by position and everything else by name: `jax.jit(fun=f)`
and `jax.jit(f, None, None, 0)` raise `TypeError`, and JAX 0.6 warns of them. Since JAX 0.8.1 the
options may come first, as in `@jax.jit(static_argnames="n")`; where `target-jax`, or what the
project requires, names only older releases, that form is reported too. Source: the change log of
JAX, 0.6.0, 0.7.0 and 0.8.1.

## Example

```py jax>=0.7
def double(values):
    return 2 * values

jax.jit(fun=double)(jnp.ones(2))  # error
```

## Use instead

```py fixed
def double(values):
    return 2 * values

jax.jit(double)(jnp.ones(2))
```

`--fix` passes the function by position and names the options; for older releases it writes
`functools.partial`. That is safe: the same arguments are passed.

## Options by position

```py jax>=0.7
def repeat(values, times):
    return jnp.tile(values, times)

jax.jit(repeat, None, None, 1)(jnp.ones(2), 2)  # error
```

```py fixed
def repeat(values, times):
    return jnp.tile(values, times)

jax.jit(repeat, in_shardings=None, out_shardings=None, static_argnums=1)(jnp.ones(2), 2)
```

## Fine as it is

The function by position, the options by name.

```py
def repeat(values, times):
    return jnp.tile(values, times)

jax.jit(repeat, static_argnums=1)(jnp.ones(2), 2)
```

`functools.partial` holds the options until there is a function.

```py
@partial(jax.jit, static_argnames=["times"])
def repeat(values, times):
    return jnp.tile(values, times)

repeat(jnp.ones(2), times=2)
```

So does `jax.jit` itself since JAX 0.8.1.

```py jax>=0.8.1
@jax.jit(static_argnames=["times"])
def repeat(values, times):
    return jnp.tile(values, times)

repeat(jnp.ones(2), times=2)
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
    code="JAX619",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind != "spelling":
        return
    if fact.option == "fun":
        yield rule.finding(
            fact,
            f"`{fact.callee}` takes the function by position alone since JAX 0.7: `fun=` raises "
            "`TypeError`",
            help=f"write `{fact.callee}(f)`",
        )
    elif fact.option == "decorator":
        yield rule.finding(
            fact,
            f"`{fact.callee}` takes options without a function since JAX 0.8.1, and the project is "
            "for older releases: there it raises `TypeError`",
            help=f"write `partial({fact.callee}, ...)`",
        )
    else:
        yield rule.finding(
            fact,
            f"`{fact.callee}` takes its options by name alone since JAX 0.7: by position they "
            "raise `TypeError`",
            help="name the options",
        )


# The parameters of `jax.jit` while they could be passed by position.
PARAMETERS = (
    *("fun", "in_shardings", "out_shardings", "static_argnums", "static_argnames"),
    *("donate_argnums", "donate_argnames", "keep_unused", "device", "backend", "inline"),
)


@rule.fix(facts.InvalidOption)
def fix(fact: facts.InvalidOption, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind != "spelling" or not isinstance(call, ir.Call):
        return None
    if any(argument.star for argument in call.args) or code.meaning(call.func) != "jax.jit":
        return None
    text = fixes.call_text.CallText(code, call)
    if fact.option == "fun":
        return code.fix("Pass the function by position", *_by_position(text))
    if fact.option == "decorator":
        reached = code.reach("functools.partial", call)
        if reached is None:
            return None
        opened = Edit(text.range(text.opening, text.opening + 1), ", " if call.args else "")
        edits = (code.before(call, f"{reached[0]}("), opened, *reached[1])
        return code.fix(f"Replace with `{reached[0]}({fact.callee}, ...)`", *edits)
    return code.fix("Name the options", *_named(text))


def _by_position(text: fixes.call_text.CallText) -> tuple[Edit, ...]:
    """The function as the first argument, without its name."""
    at = text.index("fun")
    edit = None if at is None else text.renamed(at, "")
    if at is None or edit is None:
        return ()
    if at == 0:
        return (edit,)
    start, _ = text.argument(0)
    given = text.written(at).partition("=")[2].strip()
    return Edit(text.range(start, start), f"{given}, "), text.removed(at)


def _named(text: fixes.call_text.CallText) -> list[Edit]:
    """The options by name: those that were passed by position. The first ones place arrays; other
    things there were meant for releases that had other parameters."""
    edits: list[Edit] = []
    for argument in text.call.args[1:3]:
        is_none = isinstance(argument.value, ir.Const) and argument.value.value is None
        is_literal = isinstance(argument.value, (ir.Const, ir.Sequence)) and not is_none
        if argument.keyword is None and is_literal:
            return []
    for at, argument in enumerate(text.call.args):
        if at and argument.keyword is None and at < len(PARAMETERS):
            start, _ = text.argument(at)
            edits.append(Edit(text.range(start, start), f"{PARAMETERS[at]}="))
    return edits
