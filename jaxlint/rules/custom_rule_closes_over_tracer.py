"""
A function with its own derivative rule captures a tracer, or gets one where it takes none.

`jax.custom_vjp` and `jax.custom_jvp` differentiate with respect to the arguments of the function.
A value that the function and its rules capture while that very value is being differentiated is a
tracer, which the rules read outside its trace. And an argument that `nondiff_argnums` of
`custom_vjp` names goes to the rules as it is: it has to be a Python value, not a tracer. With
`custom_jvp` a tracer will do as long as the derivative is taken where the function is called; a
loop or a compiled function is differentiated later, when its tracers are gone.

Source: JAX documentation, "Custom derivative rules for Python code", section "Using
`jax.custom_vjp` with `nondiff_argnums`"; jax-ml/jax#2884 and #33897.

## Example

```py
def energy(stiffness):
    @jax.custom_vjp
    def spring(length):
        return stiffness * length

    spring.defvjp(lambda length: (stiffness * length, None), lambda _, g: (g * stiffness,))
    return spring(2.0)  # error

jax.grad(energy)(3.0)
```

## Use instead

```py fixed
@jax.custom_vjp
def spring(length, stiffness):
    return stiffness * length

spring.defvjp(
    lambda length, stiffness: (stiffness * length, (length, stiffness)),
    lambda saved, g: (g * saved[1], g * saved[0]),
)

def energy(stiffness):
    return spring(2.0, stiffness)

jax.grad(energy)(3.0)
```

## A tracer that has to be a Python value

```py
@partial(jax.custom_vjp, nondiff_argnums=(1,))
def power(x, exponent):
    return x**exponent

power.defvjp(
    lambda x, exponent: (x**exponent, x),
    lambda exponent, x, g: (g * exponent * x ** (exponent - 1),),
)

@jax.jit
def slope(x, exponent):
    return jax.grad(lambda y: power(y, exponent))(x)  # error

slope(2.0, 3)
```

```py fixed
@partial(jax.custom_vjp, nondiff_argnums=(1,))
def power(x, exponent):
    return x**exponent

power.defvjp(
    lambda x, exponent: (x**exponent, x),
    lambda exponent, x, g: (g * exponent * x ** (exponent - 1),),
)

@partial(jax.jit, static_argnums=1)
def slope(x, exponent):
    return jax.grad(lambda y: power(y, exponent))(x)

slope(2.0, 3)
```

## A rule that runs after a loop was traced

```py
@partial(jax.custom_jvp, nondiff_argnums=(1,))
def masked(x, mask):
    return x * mask

masked.defjvp(lambda mask, primals, tangents: (primals[0] * mask, tangents[0] * mask))

def unrolled(x, mask):
    def layer(carry, _):
        x, mask = carry
        return (masked(x, mask), mask), None  # error

    return jnp.sum(lax.scan(layer, (x, mask), None, length=3)[0][0])

jax.grad(unrolled)(jnp.ones(2), jnp.ones(2))
```

```py fixed
@jax.custom_jvp
def masked(x, mask):
    return x * mask

masked.defjvp(lambda primals, tangents: (masked(*primals), tangents[0] * primals[1]))

def unrolled(x, mask):
    def layer(carry, _):
        x, mask = carry
        return (masked(x, mask), mask), None

    return jnp.sum(lax.scan(layer, (x, mask), None, length=3)[0][0])

jax.grad(unrolled)(jnp.ones(2), jnp.ones(2))
```

## Fine as it is

A constant may be captured, and so may a tracer of compiled code that is not differentiated.

```py
@jax.jit
def forces(stiffness, lengths):
    @jax.custom_jvp
    def spring(length):
        return stiffness * length

    spring.defjvp(lambda primals, tangents: (spring(*primals), stiffness * tangents[0]))
    return jax.grad(lambda x: jnp.sum(spring(x)))(lengths)

forces(3.0, jnp.ones(2))
```

A custom JVP rule takes tracers in the positions that are not differentiated, where no staged code
is between the derivative and the call.

```py
@partial(jax.custom_jvp, nondiff_argnums=(1,))
def power(x, exponent):
    return x**exponent

power.defjvp(
    lambda exponent, primals, tangents: (
        primals[0] ** exponent,
        tangents[0] * exponent * primals[0] ** (exponent - 1),
    )
)
jax.jit(jax.grad(power))(2.0, 3.0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX212",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises(
        "UnexpectedTracerError",
        "CustomJVPException",
        "CustomVJPException",
        "TypeError",
        anywhere=True,
    ),
)


@rule.on(facts.CustomRuleClosure)
def check(fact: facts.CustomRuleClosure) -> Iterator[Finding]:
    if fact.kind == "nondiff":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gets a tracer for `{fact.name}`, which its `nondiff_argnums` say is "
            f"a Python value; {fact.where()}",
            help=f"keep `{fact.name}` static, or differentiate with respect to it and return None",
        )
    elif fact.kind == "staged":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gets a tracer for `{fact.name}`, which its `nondiff_argnums` name, "
            f"in staged code that is differentiated: its rule runs when that tracer is gone; "
            f"{fact.where()}",
            help="leave it out of `nondiff_argnums`, and ignore its tangent",
        )
    else:
        yield rule.finding(
            fact,
            f"`{fact.callee}` and its rule capture `{fact.name}`, which is being differentiated; "
            f"{fact.where()}",
            help=f"pass `{fact.name}` as an argument, and give a derivative for it",
        )
