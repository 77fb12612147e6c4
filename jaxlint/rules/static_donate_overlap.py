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

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX603",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Raises("ValueError"),
)


@rule.on(facts.Declared)
def check(fact: facts.Declared) -> Iterator[Finding]:
    if fact.kind == "overlap":
        yield rule.finding(
            fact,
            f"`{fact.given}` of `{fact.target}` is static and donated at once: `{fact.callee}` "
            "raises `ValueError`",
            help="donate arrays alone: leave it out of the donated parameters",
        )
