"""
A `flax.linen` module changes what is frozen: itself, its setup, or an immutable collection.

A linen module is a description. `init` and `apply` bind it to variables and run `setup`; from
then on it is frozen. Setting an attribute in a method raises
`flax.errors.SetAttributeFrozenModuleError`, and setting a field of the dataclass in `setup` raises
`SetAttributeInModuleSetupError`. Lists that `setup` sets have become tuples. Submodules are made in
`setup` or in a `@nn.compact` method (`AssignSubModuleError`), and variables change only if `apply`
is told that their collection is mutable (`ModifyScopeVariableError`).

Source: flax documentation, "The Flax Module lifecycle" and `flax.errors`.

## Example

```py
import flax.linen as nn

class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(4)(x)
        self.hidden = h  # error
        return nn.relu(h)

Encoder().init(jax.random.key(0), jnp.ones((2, 3)))
```

## Use instead

`sow` hands out intermediate values; other results are returned.

```py fixed
import flax.linen as nn

class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(4)(x)
        self.sow("intermediates", "hidden", h)
        return nn.relu(h)

Encoder().init(jax.random.key(0), jnp.ones((2, 3)))
```

## An immutable collection

Only `init` may create and change everything. `apply` is told what changes, and then returns that
beside the result: `apply(variables, x, mutable=["stats"])`.

```py
import flax.linen as nn

class Count(nn.Module):
    @nn.compact
    def __call__(self, x):
        calls = self.variable("stats", "calls", lambda: jnp.zeros(()))
        calls.value = calls.value + 1  # error
        return x

x = jnp.ones(3)
variables = Count().init(jax.random.key(0), x)
Count().apply(variables, x)
```

So do layers: training mode of `BatchNorm` updates its averages.

```py
import flax.linen as nn

class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        return nn.BatchNorm(use_running_average=not train)(x)  # error

x = jnp.ones((4, 2))
variables = Block().init(jax.random.key(0), x, train=False)
Block().apply(variables, x, train=True)
```

## A list of `setup`

```py
import flax.linen as nn

class Stack(nn.Module):
    def setup(self):
        self.layers = []
        for width in (4, 2):
            self.layers.append(nn.Dense(width))  # error

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

Stack().init(jax.random.key(0), jnp.ones((2, 3)))
```

## Outside `setup` and `@nn.compact`

```py
import flax.linen as nn

class Head(nn.Module):
    classes: int

    def __call__(self, x):
        return nn.Dense(self.classes)(x)  # error

Head(10).init(jax.random.key(0), jnp.ones((2, 3)))
```

## Fine as it is

`setup` and the helpers that it calls set attributes, and local lists are lists.

```py
import flax.linen as nn

class Stack(nn.Module):
    widths: tuple = (4, 2)

    def setup(self):
        self.scale = 0.5
        self.build()

    def build(self):
        self.layers = [nn.Dense(width) for width in self.widths]

    def __call__(self, x):
        seen = []
        for layer in self.layers:
            x = layer(x)
            seen.append(x)
        return self.scale * seen[-1]

Stack().init(jax.random.key(0), jnp.ones((2, 3)))
```

Variables of a mutable collection change.

```py
import flax.linen as nn

class Count(nn.Module):
    @nn.compact
    def __call__(self, x):
        calls = self.variable("stats", "calls", lambda: jnp.zeros(()))
        if not self.is_initializing():
            calls.value = calls.value + 1
        return x

x = jnp.ones(3)
variables = Count().init(jax.random.key(0), x)
Count().apply(variables, x, mutable=["stats"])
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX954",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises(
        "SetAttributeFrozenModuleError",
        "SetAttributeInModuleSetupError",
        "AssignSubModuleError",
        "ModifyScopeVariableError",
        "AttributeError",
    ),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    subject, detail = fact.subject, fact.detail
    if fact.kind == "linen-frozen":
        message = f"`{subject}` is set outside `setup`, when the module `{detail}` is frozen"
        advice = "return the value, hand it out with `self.sow`, or keep it in `self.variable`"
    elif fact.kind == "linen-field":
        message = f"`{subject}` is a field of the module `{detail}`, which `setup` cannot set"
        advice = "pass it to the constructor, or keep the new value under another name"
    elif fact.kind == "linen-tuple":
        message = f"`{subject}` was set in `setup`, so it is a tuple: it has no `{detail}`"
        advice = "build a local list, and set the attribute when it is complete"
    elif fact.kind == "linen-submodule":
        message = (
            f"`{subject}` is made in a method of `{detail}` that is neither `setup` nor "
            "`@nn.compact`"
        )
        advice = "make the submodule in `setup`, or decorate the method with `@nn.compact`"
    elif fact.kind == "linen-immutable":
        message = f'the collection "{subject}" changes here, but `apply` does not make it mutable'
        advice = f'pass `mutable=["{subject}"]` to `apply`, which then also returns the changes'
    else:
        return
    yield rule.finding(fact, message, help=advice)
