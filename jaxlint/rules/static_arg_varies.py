"""
Compiles a program for each iteration, because a static argument has a new value each time.

A static argument is a part of the key by which compiled programs are found. A step counter, an
epoch or a decaying rate there makes each iteration trace and compile, and JAX keeps all of those
programs.

Source: JAX documentation, "Just-in-time compilation", section "Marking arguments as static"
("calling the jitted function with different values for these static arguments will trigger
recompilation"); jax-ml/jax#2072.

## Example

```py
@partial(jax.jit, static_argnames="epoch")
def anneal(weights, epoch):
    return weights * (1.0 - 0.5**epoch)

weights = jnp.ones(2)
for epoch in range(1, 7):
    weights = anneal(weights, epoch=epoch)  # error
anneal._cache_size() == 1
```

## Use instead

A number that is only computed with needs no place in the key: leave it to be traced.

```py fixed
@jax.jit
def anneal(weights, epoch):
    return weights * (1.0 - 0.5**epoch)

weights = jnp.ones(2)
for epoch in range(1, 7):
    weights = anneal(weights, epoch=epoch)
anneal._cache_size() == 1
```

## A rate that decays

```py
@partial(jax.jit, static_argnums=1)
def descend(weights, rate):
    return weights - rate * weights

def fit(weights):
    rate = 0.5
    for _ in range(8):
        weights = descend(weights, rate)  # error
        rate *= 0.9
    return weights

fit(jnp.ones(3))
descend._cache_size() == 1
```

## A counter in the static part of a pytree

What is no leaf of a pytree is part of the key as well: each step has a program of its own.

```py
@jax.tree_util.register_pytree_node_class
class Mean:
    def __init__(self, value, count):
        self.value, self.count = value, count

    def tree_flatten(self):
        return (self.value,), self.count  # error

    @classmethod
    def tree_unflatten(cls, count, children):
        return cls(children[0], count)

    def push(self, x):
        return Mean(self.value + x, self.count + 1)

push = jax.jit(lambda mean, x: mean.push(x))
mean = Mean(jnp.zeros(()), 0)
for x in (1.0, 2.0, 3.0):
    mean = push(mean, x)
push._cache_size() == 1
```

## Fine as it is

As a child of the pytree, the counter is an array of the program.

```py
@jax.tree_util.register_pytree_node_class
class Mean:
    def __init__(self, value, count):
        self.value, self.count = value, count

    def tree_flatten(self):
        return (self.value, self.count), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    def push(self, x):
        return Mean(self.value + x, self.count + 1)

push = jax.jit(lambda mean, x: mean.push(x))
mean = Mean(jnp.zeros(()), jnp.zeros((), int))
for x in (1.0, 2.0, 3.0):
    mean = push(mean, x)
push._cache_size() == 1
```

Few values make few programs.

```py
@partial(jax.jit, static_argnames="training")
def forward(weights, training):
    return weights * 0.9 if training else weights

for step in range(6):
    forward(jnp.ones(2), training=step % 2 == 0)
forward._cache_size() == 2
```

A size that is chosen once stays the same throughout the loop.

```py
@partial(jax.jit, static_argnames="width")
def smooth(signal, width):
    return jnp.convolve(signal, jnp.ones(width) / width, mode="same")

def clean(signal, width=3):
    for _ in range(10):
        signal = smooth(signal, width=width)
    return signal

clean(jnp.arange(8.0))
smooth._cache_size() == 1
```

## Notes

Loops of at most four iterations are left alone, and so are values that may repeat: remainders,
comparisons, what a function of unknown code returns.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX507", severity=Severity.PERF, since="0.1", witness=Expects())


@rule.on(facts.Retraced)
def check(fact: facts.Retraced) -> Iterator[Finding]:
    if fact.kind != "value":
        return
    parameter = f"`{fact.parameter}`" if fact.parameter else "a static parameter"
    yield rule.finding(
        fact,
        f"`{fact.callee}` compiles again in each iteration: {parameter} is static, and "
        f"`{fact.text}` is another value each time",
        help="leave the parameter to be traced, or pass a value that stays the same",
    )


@rule.on(facts.ContractViolation)
def check_counter(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "pytree-counter":
        return
    yield rule.finding(
        fact,
        f"functions that are compiled for objects of `{fact.subject}` recompile for each: "
        f"`{fact.detail}` is in the static part of the pytree, and counts up",
        help=f"make `{fact.detail}` an array among the children",
    )
