"""
Makes parameters of a Linen module in a transform of JAX that runs inside the module.

`init` runs a module to make its parameters, and gives them back. `jax.jit`, `jax.checkpoint`,
`lax.scan`, `lax.cond` and the other control flow run their functions in a trace of their own. A
layer that runs there for the first time makes its parameters as tracers of that trace, which are
dead when `init` returns them. Older versions of Flax refuse to do so with a JaxTransformError.
Linen lifts the transforms instead: `nn.scan`, `nn.cond`, `nn.remat` and `nn.jit` hand parameters
through.

Source: flax documentation, "Lifted transformations"; `flax.errors.JaxTransformError`.

## Example

```py
from flax import linen as nn

class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        dense = nn.Dense(2)
        return lax.cond(x.sum() > 0, lambda y: dense(y), lambda y: y, x)  # error

params = Block().init(jax.random.key(0), jnp.ones((1, 2)))
jax.tree.map(jnp.sum, params)
```

## Use instead

The layer runs outside, and the branches choose.

```py fixed
from flax import linen as nn

class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.Dense(2)(x)
        return lax.cond(x.sum() > 0, lambda: y, lambda: x)

params = Block().init(jax.random.key(0), jnp.ones((1, 2)))
jax.tree.map(jnp.sum, params)
```

Where that costs too much, `nn.cond` and the other lifted transforms take the module as well.

## A layer in a loop

```py
from flax import linen as nn

class Recurrent(nn.Module):
    def setup(self):
        self.dense = nn.Dense(2)

    def __call__(self, x):
        def step(carry, y):
            return self.dense(carry) + y, None

        return lax.scan(step, x[0], x)[0]  # error

params = Recurrent().init(jax.random.key(0), jnp.ones((3, 2)))
jax.tree.map(jnp.sum, params)
```

## A parameter in compiled code

```py
from flax import linen as nn

class Scale(nn.Module):
    @nn.compact
    def __call__(self, x):
        @jax.jit
        def scaled(y):  # error
            return y * self.param("scale", nn.initializers.ones, (2,))

        return scaled(x)

params = Scale().init(jax.random.key(0), jnp.ones((3, 2)))
jax.tree.map(jnp.sum, params)
```

## Fine as it is

The parameters are made before, or outside the loop while the module is initialised.

```py
from flax import linen as nn

class Recurrent(nn.Module):
    @nn.compact
    def __call__(self, x):
        dense = nn.Dense(2)
        if self.is_initializing():
            return dense(x[0])
        return lax.scan(lambda carry, y: (dense(carry) + y, None), x[0], x)[0]

params = Recurrent().init(jax.random.key(0), jnp.ones((3, 2)))
jax.tree.map(jnp.sum, params)
```

The loop uses a parameter that the module has.

```py
from flax import linen as nn

class Power(nn.Module):
    def setup(self):
        self.scale = self.param("scale", nn.initializers.ones, (2,))

    def __call__(self, x):
        return lax.fori_loop(0, 3, lambda at, y: y * self.scale, x)

params = Power().init(jax.random.key(0), jnp.ones((3, 2)))
jax.tree.map(jnp.sum, params)
```

What `jax.vmap` and `jax.grad` run is not staged, and lifted transforms hand parameters through.

```py
from flax import linen as nn

class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        rows = jax.vmap(nn.Dense(2))(x)
        return nn.remat(nn.Dense)(2)(rows)

params = Block().init(jax.random.key(0), jnp.ones((3, 2)))
jax.tree.map(jnp.sum, params)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Leaks, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX964",
    severity=Severity.ERROR,
    since="0.1",
    witness=Leaks(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "linen-jax-transform" or fact.entry is None:
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}` makes its parameters while `{fact.function}` is {fact.entry.phrase} "
        "inside a Linen module: `init` returns tracers whose trace has ended",
        help="run it once before, or use Linen's counterpart of the transform (`nn.scan`, "
        "`nn.cond`, `nn.remat`, `nn.jit`)",
    )
