"""Jits a function that only one other jitted function calls, and once.

A jitted function that is called by another one becomes a function of its own in the program. XLA
inlines it, so nothing runs slower; but the decorator does nothing either, unless the function is
called several times: then it is traced once for all calls. See "Just-in-time compilation" in the
JAX documentation, and https://github.com/jax-ml/jax/issues/2884.

## Example

```py
@jax.jit  # error
def normalised(v):
    return v / jnp.linalg.norm(v)

@jax.jit
def similarity(a, b):
    return normalised(a + b).sum()

similarity(jnp.ones(2), jnp.ones(2))
str(jax.make_jaxpr(similarity)(jnp.ones(2), jnp.ones(2))).count("name=normalised") == 0
```

## Use instead

```py fixed
def normalised(v):
    return v / jnp.linalg.norm(v)

@jax.jit
def similarity(a, b):
    return normalised(a + b).sum()

similarity(jnp.ones(2), jnp.ones(2))
str(jax.make_jaxpr(similarity)(jnp.ones(2), jnp.ones(2))).count("name=normalised") == 0
```

## In a chain

```py
@partial(jax.jit, static_argnames="power")  # error
def raised(x, power):
    return x**power

@jax.jit
def cubed(x):
    return raised(x, power=3)

str(jax.make_jaxpr(cubed)(2.0)).count("name=raised") == 0
```

## Fine as it is

Called twice, it is traced once.

```py
@jax.jit
def activated(x):
    return jnp.tanh(x)

@jax.jit
def two_layers(x):
    return activated(activated(x) + 1)

str(jax.make_jaxpr(two_layers)(1.0)).count("name=activated") == 2
```

Called outside compiled code as well.

```py
@jax.jit
def softened(x):
    return jax.nn.softplus(x)

doubled = jax.jit(lambda x: 2 * softened(x))
float(softened(1.0)) < float(doubled(1.0))
```

## Notes

This rule is off by default: the decorator does no harm, and other modules may call the function.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX704",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    fix=Fix.SAFE,
    witness=Expects(),
)


@rule.on(facts.Misused)
def check(fact: facts.Misused) -> Iterator[Finding]:
    if fact.kind == "redundant-jit":
        yield rule.finding(
            fact,
            f"jitting `{fact.subject}` does nothing: only `{fact.detail}` calls it, which is "
            "jitted, and it calls it once",
            help="take the transform off, unless other modules call the function",
        )
