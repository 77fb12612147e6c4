"""
The mode of a flax module, such as `train` or `deterministic`, is passed through `jit` as traced.

A module's mode decides in Python what is computed: `if train:`, `use_running_average=not train`,
`Dropout(deterministic=...)`. Arguments of a jitted function are tracers, booleans too, so tracing
stops with `jax.errors.TracerBoolConversionError`. The mode has to be static, or bound outside.

Source: `jax.errors` in the JAX documentation; flax documentation, "Dropout" and "Batch
normalization".

## Example

```py
import flax.linen as nn

class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.BatchNorm(use_running_average=not train)(x)  # error
        return nn.relu(x)

model = Block()
x = jnp.ones((4, 2))
variables = model.init(jax.random.key(0), x, train=False)

@jax.jit
def step(variables, x, train):
    return model.apply(variables, x, train, mutable=["batch_stats"])

step(variables, x, True)
```

## Use instead

```py fixed
import flax.linen as nn

class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.BatchNorm(use_running_average=not train)(x)
        return nn.relu(x)

model = Block()
x = jnp.ones((4, 2))
variables = model.init(jax.random.key(0), x, train=False)

@partial(jax.jit, static_argnames="train")
def step(variables, x, train):
    return model.apply(variables, x, train, mutable=["batch_stats"])

step(variables, x, True)
```

`--fix --unsafe-fixes` makes the mode static, where the jitted function is one of the file. It is
unsafe since each value compiles a program of its own.

## `jit` of `apply` itself

```py
import flax.linen as nn

class Noisy(nn.Module):
    @nn.compact
    def __call__(self, x, train=False):
        if train:  # error
            x = nn.Dropout(0.5, deterministic=False)(x)
        return x

rngs = {"dropout": jax.random.key(0)}
jax.jit(Noisy().apply)({}, jnp.ones(3), True, rngs=rngs)
```

## A layer asks, too

```py
import flax.linen as nn

class Noisy(nn.Module):
    @nn.compact
    def __call__(self, x, deterministic):
        return nn.Dropout(0.5)(x, deterministic=deterministic)  # error

jax.jit(Noisy().apply)({}, jnp.ones(3), True)
```

## Fine as it is

A constant that the jitted function binds, a static argument, a field of the module.

```py
import flax.linen as nn

class Double(nn.Module):
    loud: bool = False

    @nn.compact
    def __call__(self, x, train=False):
        x = x * 2 if train else x
        return -x if self.loud else x

model = Double()
jax.jit(lambda x: model.apply({}, x, True))(jnp.ones(3))
jax.jit(model.apply, static_argnums=2)({}, jnp.ones(3), True)
jax.jit(model.apply, static_argnames="train")({}, jnp.ones(3), train=True)
jax.jit(Double(loud=True).apply)({}, jnp.ones(3))
```

A flag that only computes may be traced.

```py
import flax.linen as nn

class Scaled(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        return jnp.where(train, 2 * x, x)

jax.jit(Scaled().apply)({}, jnp.ones(3), True)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX955",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TracerBoolConversionError"),
)

SINKS = ("if", "ifexp", "and", "or", "not")


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if not fact.is_mode or fact.sink not in SINKS:
        return
    construct = {"if": "`if`", "ifexp": "a conditional expression"}.get(fact.sink, f"`{fact.sink}`")
    message = f"{construct} needs the mode `{fact.text}` as a Python bool"
    yield rule.finding(fact, f"{message}; {fact.why()}", help=advice(fact.text))


@rule.on(facts.ContractViolation)
def check_layer(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "linen-mode":
        message = f"`{fact.subject}` needs `{fact.detail}` as a Python bool"
        yield rule.finding(fact, f"{message}; {fact.why()}", help=advice(fact.text))


def advice(name: str) -> str:
    """How a mode reaches a module as a Python value."""
    return (
        f"make `{name}` static where `jit` is applied (`static_argnames`, `static_argnums`), or "
        "bind it outside the jitted function"
    )


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    return _made_static(fact, code)


@rule.fix(facts.ContractViolation)
def fix_layer(fact: facts.ContractViolation, code: Code) -> Fix | None:
    return _made_static(fact, code)


def _made_static(fact: facts.Fact, code: Code) -> Fix | None:
    # The mode may be that of a function around the one that runs.
    entry = fact.entry if fact.trail is None else fact.trail.root().entry
    one = None if entry is None else fixes.transform_sites.application(code, entry.node)
    params = () if one is None or one.function is None else one.function.params
    param = next((param for param in params if param is fact.origin), None)
    edits = None if one is None or param is None else fixes.transform_sites.made_static(one, param)
    if param is None or edits is None:
        return None
    return code.fix(f"Make `{param.name}` static", *edits)
