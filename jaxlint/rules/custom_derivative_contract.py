"""
A differentiation rule returns something else than JAX expects, which raises once it is used.

The forward rule of `jax.custom_vjp` returns a pair: the result, and what the backward rule needs.
The backward rule returns a tuple with one cotangent for each argument of the function, those of
`nondiff_argnums` aside, with `None` for arguments that have no gradient. The rule of
`jax.custom_jvp` returns a pair: the result and its tangent. A cotangent has the shape of its
argument, a tangent that of the result. Calls without differentiation never run the rules, so that
the mistake shows late.

Source: JAX documentation, "Custom derivative rules"; jax-ml/jax#8356.

## Example

```py
@jax.custom_vjp
def scaled(x, factor):
    return x * factor

def scaled_fwd(x, factor):
    return x * factor, factor

def scaled_bwd(factor, g):
    return (g * factor,)  # error

scaled.defvjp(scaled_fwd, scaled_bwd)
jax.grad(scaled)(2.0, 3.0)
```

## Use instead

```py fixed
@jax.custom_vjp
def scaled(x, factor):
    return x * factor

def scaled_fwd(x, factor):
    return x * factor, factor

def scaled_bwd(factor, g):
    return g * factor, None

scaled.defvjp(scaled_fwd, scaled_bwd)
jax.grad(scaled)(2.0, 3.0)
```

## An array instead of a tuple

```py
@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1.0, 1.0)

def clipped_fwd(x):
    return clipped(x), None

def clipped_bwd(saved, g):
    return jnp.clip(g, -1.0, 1.0)  # error

clipped.defvjp(clipped_fwd, clipped_bwd)
jax.grad(clipped)(0.5)
```

## A forward rule that saves nothing

```py
@jax.custom_vjp
def identity(x):
    return x * 1.0

def identity_fwd(x):
    return x * 1.0  # error

def identity_bwd(saved, g):
    return (g,)

identity.defvjp(identity_fwd, identity_bwd)
jax.grad(identity)(0.5)
```

## A cotangent of another shape

Where an argument was broadcast, its cotangent is summed over the axes that it lacks.

```py
@jax.custom_vjp
def spring(depth, stiffness):
    return stiffness * jnp.maximum(depth, 0.0)

def spring_fwd(depth, stiffness):
    return spring(depth, stiffness), (depth, stiffness)

def spring_bwd(saved, g):
    depth, stiffness = saved
    return g * stiffness, g * jnp.maximum(depth, 0.0)  # error

spring.defvjp(spring_fwd, spring_bwd)
jax.grad(lambda depth: spring(depth, 2.0).sum())(jnp.ones(3))
```

```py fixed
@jax.custom_vjp
def spring(depth, stiffness):
    return stiffness * jnp.maximum(depth, 0.0)

def spring_fwd(depth, stiffness):
    return spring(depth, stiffness), (depth, stiffness)

def spring_bwd(saved, g):
    depth, stiffness = saved
    return g * stiffness, jnp.sum(g * jnp.maximum(depth, 0.0))

spring.defvjp(spring_fwd, spring_bwd)
jax.grad(lambda depth: spring(depth, 2.0).sum())(jnp.ones(3))
```

## A `jvp` rule without its tangent

```py
@jax.custom_jvp
def softplus(x):
    return jnp.logaddexp(x, 0.0)

@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return jax.nn.sigmoid(x) * dx  # error

jax.grad(softplus)(0.5)
```

## Forward mode

A rule by `jax.custom_vjp` serves reverse mode alone: `jax.jvp` and `jax.jacfwd` raise.

```py
@jax.custom_vjp
def smooth(x):
    return jnp.where(x > 0, x, 0.0)

def smooth_fwd(x):
    return smooth(x), x

def smooth_bwd(x, g):
    return (g * jax.nn.sigmoid(x),)

smooth.defvjp(smooth_fwd, smooth_bwd)

def energy(x):
    return jnp.sum(x * smooth(x))

jax.jvp(energy, (jnp.ones(3),), (jnp.ones(3),))[1]  # error
```

## Fine as it is

A list, a helper that gives the tuple, and an argument that is not differentiated.

```py
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def power(n, x, y):
    return x**n * y

def power_fwd(n, x, y):
    return [power(n, x, y), (x, y)]

def cotangents(n, x, y, g):
    return n * x ** (n - 1) * y * g, x**n * g

def power_bwd(n, saved, g):
    return cotangents(n, *saved, g)

power.defvjp(power_fwd, power_bwd)
jax.grad(power, argnums=(1, 2))(3, 2.0, 1.0)
```

One argument that is a pytree has one cotangent, a pytree too.

```py
@jax.custom_vjp
def total(params):
    return params["w"].sum() + params["b"]

def total_fwd(params):
    return total(params), params["w"].shape

def total_bwd(shape, g):
    return ({"w": jnp.full(shape, g), "b": g},)

total.defvjp(total_fwd, total_bwd)
jax.grad(total)({"w": jnp.ones(3), "b": jnp.float32(1.0)})["w"]
```

`jax.custom_jvp` serves both modes, and what no rule is asked for raises nothing.

```py
@jax.custom_jvp
def smooth(x):
    return jnp.where(x > 0, x, 0.0)

@smooth.defjvp
def smooth_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return smooth(x), jax.nn.sigmoid(x) * t

jax.jacfwd(smooth)(jnp.ones(3)).shape
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX624",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ValueError", anywhere=True),
)


_ADVICE = {
    "vjp-cotangents": "return a tuple with one cotangent for each argument, None where it has none",
    "vjp-pair": "return the result, and what the backward rule needs (or None)",
    "vjp-result": "return a pair: what the function returns, and what the backward rule needs",
    "jvp-pair": "return the result and its tangent",
}


_SHAPES = {
    "vjp-shape": "sum the cotangent over the axes along which the argument was broadcast",
    "jvp-shape": "the tangent is that of each element of the result",
}


_TAKES = {
    "rule-forward": "JAX gives a forward rule the arguments of the function",
    "rule-backward": "JAX gives a backward rule the arguments of `nondiff_argnums`, what the "
    "forward rule saved, and the cotangent",
    "rule-jvp": "JAX gives this rule the arguments of `nondiff_argnums`, the primals and the "
    "tangents",
    "rule-order": "a forward rule gets its arguments as the function does, those of "
    "`nondiff_argnums` at their places",
}

_REVERSE_ALONE = "differentiate in reverse mode, or use `jax.custom_jvp`, which serves both modes"


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind in _TAKES:
        yield _of_parameters(fact)
    if fact.kind == "vjp-forward":
        message = (
            f"`{fact.detail}` differentiates in forward mode, for which `{fact.subject}` has no "
            "rule: this raises TypeError"
        )
        yield rule.finding(fact, message, help=_REVERSE_ALONE)
    if fact.kind in _SHAPES:
        yield _of_shapes(fact)
    if fact.kind not in _ADVICE:
        return
    count, _, about = fact.detail.partition(" ")
    name, _, arguments = about.partition(" ")
    gives = {"0": "no tuple", "1": "one value", "none": "the result alone"}.get(
        count, f"{count} values"
    )
    if fact.kind == "vjp-cotangents":
        wanted = "one argument" if arguments == "1" else f"{arguments} arguments"
        why = f"but `{name}` has {wanted} to differentiate"
    elif fact.kind == "vjp-result":
        gives = f"{_values(count)} as the result"
        why = f"but `{name}` gives {_values(arguments)}"
    else:
        why = f"not the pair of a {'forward' if fact.kind == 'vjp-pair' else '`jvp`'} rule"
    raises = "" if fact.kind == "vjp-result" else ": differentiating raises TypeError"
    yield rule.finding(
        fact,
        f"`{fact.subject}` returns {gives}, {why}{raises}",
        help=_ADVICE[fact.kind],
    )


def _values(count: str) -> str:
    return {"0": "one array", "1": "a tuple of one"}.get(count, f"a tuple of {count}")


def _of_shapes(fact: facts.ContractViolation) -> Finding:
    at, given, wanted = fact.detail.split()
    if fact.kind == "vjp-shape":
        which = f"cotangent {int(at) + 1}"
        about = f"where the argument has shape `{wanted}`: differentiating raises ValueError"
    else:
        which = "a tangent" if at == "1" else "a result"
        about = f"where the function gives `{wanted}`: differentiating raises TypeError"
    message = f"`{fact.subject}` returns {which} of shape `{given}` {about}"
    return rule.finding(fact, message, help=_SHAPES[fact.kind])


def _of_parameters(fact: facts.ContractViolation) -> Finding:
    wanted, params, name = fact.detail.split()
    if fact.kind == "rule-order":
        message = f"`{fact.subject}` takes the arguments of `{name}` in another order"
    else:
        message = (
            f"`{fact.subject}` has {params} parameters, and is given {wanted} arguments for "
            f"`{name}`: differentiating raises TypeError"
        )
    return rule.finding(fact, message, help=_TAKES[fact.kind])
