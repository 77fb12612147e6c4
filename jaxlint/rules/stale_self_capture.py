"""
A jitted method reads an attribute of `self` that is reassigned later.

When `self` is static (`static_argnums=0`) or bound (`jax.jit(self._step)`), its attributes are
not arguments: they are read while JAX traces and become constants of the compiled program. The
object stays the same object, so assigning to its attribute does not trace again, and compiled
calls go on with the old parameters.

Source: JAX documentation, "The Sharp Bits", section "Using `jax.jit` with class methods";
jax-ml/jax#12773, jax-ml/jax#13992, jax-ml/jax#28418.

## Example

```py
class Trainer:
    def __init__(self):
        self.weight = jnp.float32(8.0)
        self.gradient = jax.jit(self._gradient)

    def _gradient(self, target):
        return self.weight - target  # error

    def step(self, target):
        self.weight = self.weight - 0.5 * self.gradient(target)

trainer = Trainer()
for _ in range(2):
    trainer.step(jnp.float32(0.0))
trainer.weight
```

## Use instead

```py fixed
class Trainer:
    def __init__(self):
        self.weight = jnp.float32(8.0)

    @staticmethod
    @jax.jit
    def gradient(weight, target):
        return weight - target

    def step(self, target):
        self.weight = self.weight - 0.5 * self.gradient(self.weight, target)

trainer = Trainer()
for _ in range(2):
    trainer.step(jnp.float32(0.0))
trainer.weight
```

## Reassigned from outside

```py
class Planet:
    def __init__(self, gravity):
        self.gravity = gravity

    @partial(jax.jit, static_argnums=0)
    def fall(self, seconds):
        return self.gravity * seconds  # error

planet = Planet(8.0)
before = planet.fall(2.0)
planet.gravity = 1.5
float(planet.fall(2.0))
```

## Fine as it is

Nobody reassigns the attribute after construction.

```py
class Planet:
    def __init__(self, gravity):
        self.gravity = gravity
        self.fall = jax.jit(self._fall)

    def _fall(self, seconds):
        return self.gravity * seconds

Planet(8.0).fall(jnp.float32(2.0))
```

A registered pytree is an argument: its leaves are passed anew with every call.

```py jax>=0.5
import dataclasses

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Planet:
    gravity: jax.Array

    @jax.jit
    def fall(self, seconds):
        return self.gravity * seconds

planet = Planet(jnp.float32(8.0))
before = planet.fall(jnp.float32(2.0))
planet.gravity = jnp.float32(1.5)
planet.fall(jnp.float32(2.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(__name__, code="JAX207", severity=Severity.ERROR, since="0.1", witness=Freezes())


@rule.on(facts.StaleCapture)
def check(fact: facts.StaleCapture) -> Iterator[Finding]:
    if fact.kind != "self":
        return
    change = "later changes"
    if fact.changed:
        change = f"its change at {fact.line_of(fact.changed[0])}"
    yield rule.finding(
        fact,
        f"`{fact.text}` is read only while `{fact.function}` is traced, so compiled calls miss "
        f"{change}; {fact.where()}",
        help=f"pass `{fact.text}` to a function outside the class, or register the class as a "
        "pytree",
    )
