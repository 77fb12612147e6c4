"""Computes with JAX what is a number of Python.

`jnp.sqrt(x.shape[-1])` or `jnp.log(2.0)` know all that they need while Python runs. As operations
of JAX they become part of the traced program, or are dispatched to the device by themselves, and
their result is an array of a device where a number would do. See "JAX - The Sharp Bits" and
"Tracing" in the JAX documentation.

## Example

```py
@jax.jit
def scores(q, k):
    return q @ k.T / jnp.sqrt(q.shape[-1])  # error

text = str(jax.make_jaxpr(scores)(jnp.ones((2, 4)), jnp.ones((2, 4))))
"sqrt" not in text
```

## Use instead

```py fixed
@jax.jit
def scores(q, k):
    return q @ k.T / math.sqrt(q.shape[-1])

text = str(jax.make_jaxpr(scores)(jnp.ones((2, 4)), jnp.ones((2, 4))))
"sqrt" not in text
```

## Outside compiled code

```py
def blocks(n):
    return jnp.ceil(n / 4)

parts = jnp.ceil(10 / 4)  # error
isinstance(parts, int)
```

```py fixed
def blocks(n):
    return math.ceil(n / 4)

parts = math.ceil(10 / 4)
isinstance(parts, int)
```

## Fine as it is

With an array among the operands.

```py
@jax.jit
def scaled(x):
    return x * jnp.sqrt(x)

scaled(jnp.ones(3)).shape == (3,)
```

Constants of the module.

```py
circle = np.linspace(0.0, 2 * jnp.pi, 5)
circle.shape == (5,)
```

## Notes

This rule is off by default: in compiled code XLA computes such constants once.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX710",
    severity=Severity.PERF,
    since="0.1",
    default=False,
    fix=Fix.SAFE,
    witness=Expects(),
)


@rule.on(facts.Misused)
def check(fact: facts.Misused) -> Iterator[Finding]:
    if fact.kind == "number-operand":
        yield rule.finding(
            fact,
            f"`{fact.subject}` of plain numbers is an operation on the device, and its result an "
            "array",
            help=f"use `{fact.detail}`",
        )
