"""
The switch to 64-bit numbers comes too late, or is made in a way that does nothing.

`jax_enable_x64` decides the dtype of an array when the array is made. Arrays that are made before
keep their 32 bits, and meet those of 64 bits later. The environment variable is read when JAX is
imported; setting it afterwards does nothing. An attribute of `jax.config` cannot be set, and an
option of another name does not exist. Source: JAX documentation, "Double (64bit) precision".

## Example

```py
grid = jnp.linspace(0.0, 1.0, 5)
jax.config.update("jax_enable_x64", True)  # error
step = grid[1] - grid[0]
jax.config.update("jax_enable_x64", False)
bool(step.dtype == np.float64)
```

## Use instead

```py fixed
jax.config.update("jax_enable_x64", True)
grid = jnp.linspace(0.0, 1.0, 5)
step = grid[1] - grid[0]
jax.config.update("jax_enable_x64", False)
bool(step.dtype == np.float64)
```

## After the import

```py
import os

os.environ["JAX_ENABLE_X64"] = "1"  # error
found = jnp.ones(2).dtype
del os.environ["JAX_ENABLE_X64"]
bool(found == np.float64)
```

## Fine as it is

For some lines of code there is a context manager.

```py jax>=0.8
narrow = jnp.ones(2)
with jax.enable_x64(True):
    found = jnp.ones(2).dtype

bool(found == np.float64 and narrow.dtype == np.float32)
```

Arrays with a dtype of their own do not depend on the option.

```py
mask = jnp.array([True, False])
steps = jnp.zeros(3, dtype=jnp.int32)
jax.config.update("jax_enable_x64", True)
total = (steps * 2, mask)
jax.config.update("jax_enable_x64", False)
bool(total[0].dtype == np.int32)
```

A function that switches them on, called before the first array is made.

```py
def configure():
    jax.config.update("jax_enable_x64", True)

configure()
grid = jnp.linspace(0.0, 1.0, 5)
jax.config.update("jax_enable_x64", False)
bool(grid.dtype == np.float64)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX904",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)
_SAYS = {
    "x64-late": "`{}` was made before, with 32 bits, and keeps them",
    "x64-environment": "JAX reads `{}` when it is imported, which it is by now",
    "x64-option": "JAX has no option `{}`: this raises `AttributeError`",
    "x64-assigned": "`jax.config.{}` is not set by an assignment",
}


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind in _SAYS:
        yield rule.finding(
            fact,
            _SAYS[fact.kind].format(fact.subject),
            help='call `jax.config.update("jax_enable_x64", True)` before the first array is made',
        )
