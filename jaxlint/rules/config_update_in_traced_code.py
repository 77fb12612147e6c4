"""
Traced code changes an option of JAX, for the whole process and only while it is traced.

`jax.config.update`, `jax.clear_caches` and the environment variables of JAX belong to the process,
not to a function. In traced code they take effect when Python runs, in the middle of a trace that
has begun under the old option, and the compiled calls that follow change nothing any more. Half a
program traced with `jax_enable_x64` does not even run.

Source: JAX documentation, "The Sharp Bits", section "Double (64bit) precision".

## Example

```py
@jax.jit
def step(x):
    jax.config.update("jax_debug_infs", True)  # error
    return x + 1

step(jnp.float32(1.0))
jax.config.update("jax_debug_infs", False)
step(jnp.float32(1.0))
was_set = jax.config.jax_debug_infs
jax.config.update("jax_debug_infs", False)
was_set
```

## Use instead

```py fixed
@jax.jit
def add_one(x):
    return x + 1

def step(x):
    jax.config.update("jax_debug_infs", True)
    return add_one(x)

step(jnp.float32(1.0))
jax.config.update("jax_debug_infs", False)
step(jnp.float32(1.0))
was_set = jax.config.jax_debug_infs
jax.config.update("jax_debug_infs", False)
was_set
```

## Done by a helper

```py
from jax import config

def set_up(infinities):
    config.update("jax_debug_infs", infinities)  # error

@jax.jit
def step(x):
    set_up(True)
    return x + 1

step(jnp.float32(1.0))
config.update("jax_debug_infs", False)
step(jnp.float32(1.0))
was_set = config.jax_debug_infs
config.update("jax_debug_infs", False)
was_set
```

## Fine as it is

Options are set where the program starts.

```py
jax.config.update("jax_numpy_rank_promotion", "allow")

@jax.jit
def total(x):
    return jnp.sum(x)

total(jnp.ones(3))
```

Reading one is no change, and context managers put it back.

```py
@jax.jit
def precise(a):
    scale = 64 if jax.config.jax_enable_x64 else 32
    with jax.default_matmul_precision("float32"):
        return (a @ a) * scale

precise(jnp.ones((2, 2)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX113", severity=Severity.ERROR, since="0.1", witness=Effects())


@rule.on(facts.Ambient)
def check(fact: facts.Ambient) -> Iterator[Finding]:
    if fact.kind == "set":
        yield rule.finding(
            fact,
            f"`{fact.subject}` changes the whole process, and only while `{fact.function}` is "
            f"traced; {fact.where()}",
            help="do it once, where the program starts, or use a context manager",
        )
    elif fact.kind == "assigned":
        yield rule.finding(
            fact,
            f"`{fact.subject}` cannot be set while `{fact.function}` is traced; {fact.where()}",
            help="use `jax.config.update(name, value)`, once, where the program starts",
        )
