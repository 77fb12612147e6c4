"""Numbers a parameter that the jitted function does not have.

`static_argnums` and `donate_argnums` count the parameters that can be passed by position, from 0
in front or from -1 behind. `jax.jit` compares the numbers with the signature when it is applied
and raises `ValueError` for one beyond the last, before any data is there. Parameters behind a
`*` can only be named, so they have no number. Source: `jax.jit` in the JAX documentation;
jax-ml/jax#10046.

## Example

Three parameters have the numbers 0, 1 and 2.

```py
def blend(old, new, weight):
    return weight * new + (1 - weight) * old

jax.jit(blend, static_argnums=3)(jnp.zeros(2), jnp.ones(2), 0.5)  # error
```

## Use instead

A name says what is meant, and stays right when the parameters change.

```py fixed
def blend(old, new, weight):
    return weight * new + (1 - weight) * old

jax.jit(blend, static_argnames="weight")(jnp.zeros(2), jnp.ones(2), weight=0.5)
```

## A parameter that can only be named

```py
@partial(jax.jit, static_argnums=(1,))  # error
def smooth(signal, *, width):
    return jnp.convolve(signal, jnp.ones(width) / width, mode="same")
```

## After a partial application

What `functools.partial` passes by position is no longer counted.

```py
def scale(factor, values, power):
    return factor * values**power

doubled = jax.jit(partial(scale, 2.0), static_argnums=2)  # error
```

## A static argument that is passed by name

`jax.checkpoint` and `jax.pmap` count what a call passes by position. `jax.jit` knows the names of
the parameters.

```py
@partial(jax.checkpoint, static_argnums=1)
def bend(x, twice=False):
    return jnp.sin(jnp.sin(x)) if twice else jnp.sin(x)

def energy(x):
    return bend(x, twice=True).sum()  # error

jax.grad(energy)(jnp.ones(3))
```

```py fixed
@partial(jax.checkpoint, static_argnums=1)
def bend(x, twice=False):
    return jnp.sin(jnp.sin(x)) if twice else jnp.sin(x)

def energy(x):
    return bend(x, True).sum()

jax.grad(energy)(jnp.ones(3))
```

## A differentiated argument that is passed by name

`jax.grad` and its kin count too, from the first argument unless `argnums` says otherwise.

```py
def loss(weights, inputs):
    return jnp.mean((inputs @ weights) ** 2)

jax.grad(loss)(weights=jnp.ones(2), inputs=jnp.ones((3, 2)))  # error
```

```py fixed
def loss(weights, inputs):
    return jnp.mean((inputs @ weights) ** 2)

jax.grad(loss)(jnp.ones(2), inputs=jnp.ones((3, 2)))
```

## Fine as it is

Negative numbers count from behind, and `*args` takes any number.

```py
def shift(values, by):
    return jnp.roll(values, by)

def total(*terms):
    return sum(terms[:-1])

(
    jax.jit(shift, static_argnums=-1)(jnp.arange(3), 1),
    jax.jit(total, static_argnums=2)(jnp.ones(2), jnp.ones(2), "note"),
)
```

In a class body `self` has number 0; a bound method no longer counts it.

```py
class Filter:
    def __init__(self, width):
        self.width = width
        self.run = jax.jit(self._run, static_argnums=1)

    def _run(self, signal, times):
        for _ in range(times):
            signal = signal / self.width
        return signal

    @partial(jax.jit, static_argnums=(0, 2))
    def repeat(self, signal, times):
        return jnp.tile(signal, times) / self.width

soft = Filter(2)
soft.run(jnp.ones(3), 2), soft.repeat(jnp.ones(3), 2)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX601",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError", "TypeError"),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind == "call":
        is_static = fact.option != "argnums"
        what = "the static arguments" if is_static else "what is differentiated"
        defaults = ", those with defaults as well" if is_static else ""
        yield rule.finding(
            fact,
            f"`{fact.option}` names {fact.given}, but this call of `{fact.target}` passes "
            f"{fact.detail} by position: `{fact.callee}` raises",
            help=f"pass {what} by position{defaults}",
        )
    if fact.kind != "range":
        return
    count = int(fact.detail)
    last = "none" if count == 0 else "0 alone" if count == 1 else f"0 to {count - 1}"
    plural = "" if count == 1 else "s"
    yield rule.finding(
        fact,
        f"`{fact.option}` names {fact.given}, but `{fact.target}` takes {count} argument{plural} "
        f"by position ({last}): `{fact.callee}` raises `ValueError`",
        help=f"name the parameter with `{fact.option.replace('argnums', 'argnames')}`",
    )
