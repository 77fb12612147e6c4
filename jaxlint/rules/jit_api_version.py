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

## Options by position

```py jax>=0.7
def repeat(values, times):
    return jnp.tile(values, times)

jax.jit(repeat, None, None, 1)(jnp.ones(2), 2)  # error
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

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX619",
    severity=Severity.WARNING,
    since="0.1",
    fix=Fix.SAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.Declared)
def check(fact: facts.Declared) -> Iterator[Finding]:
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
