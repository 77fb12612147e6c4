"""
Traced code reads the environment, a flag or other process state, frozen by the first trace.

An environment variable, a command-line flag or the working directory is no argument. It is read
while JAX traces and becomes a constant of the compiled program: what it is changed to later takes
part in no call, until one with a new shape or dtype happens to trace again.

Source: JAX documentation, FAQ entry "`jit` changes the behavior of my function".

## Example

```py
import os

os.environ["RATE"] = "0.5"

@jax.jit
def descend(weights):
    return weights - float(os.environ["RATE"]) * weights  # error

weights = descend(jnp.float32(8.0))
os.environ["RATE"] = "0.25"
descend(weights)
```

## Use instead

```py fixed
import os

os.environ["RATE"] = "0.5"

@jax.jit
def descend(weights, rate):
    return weights - rate * weights

weights = descend(jnp.float32(8.0), float(os.environ["RATE"]))
os.environ["RATE"] = "0.25"
descend(weights, float(os.environ["RATE"]))
```

## An object that holds the flags

```py
import types

flags = types.SimpleNamespace(clip=1.0)

@jax.jit
def clipped(gradients):
    return jnp.clip(gradients, -flags.clip, flags.clip)  # error

first = clipped(jnp.arange(4.0))
flags.clip = 2.0
clipped(jnp.arange(4.0))
```

## Fine as it is

The variable is read once, before anything is traced.

```py
import os

SCALE = float(os.environ.get("SCALE_OF_THIS_EXAMPLE", "2"))

@jax.jit
def scaled(x):
    return x * SCALE

scaled(jnp.float32(1.0))
```

Which devices and which options of JAX there are, is asked while tracing, as a rule.

```py
@jax.jit
def mean_over_devices(x):
    if jax.default_backend() == "tpu":
        return jnp.bfloat16(x)
    return x / jax.device_count()

mean_over_devices(jnp.float32(1.0))
```

A callback runs on the host, each time.

```py
import os

@jax.jit
def located(x):
    jax.debug.callback(lambda a: os.environ.get("HOME", ""), x)
    return x

located(jnp.float32(1.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX112",
    severity=Severity.WARNING,
    since="0.1",
    over=("JAX206",),
    witness=Freezes(),
)

NAMESPACES = frozenset({"SimpleNamespace", "local"})
NAMES = frozenset({"args", "flags", "opts", "options", "settings"})
HELP = "read it before, and pass it as an argument"


@rule.on(facts.Ambient)
def check(fact: facts.Ambient) -> Iterator[Finding]:
    if fact.kind == "read":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is read only while `{fact.function}` is traced, so compiled calls "
            f"miss what it is changed to; {fact.where()}",
            help=HELP,
        )


@rule.on(facts.StaleCapture)
def check_namespace(fact: facts.StaleCapture) -> Iterator[Finding]:
    is_namespace = fact.kind == "mutable" and fact.holder in NAMESPACES
    named = fact.holder == "local" or fact.name.strip("_").lower() in NAMES
    if not (is_namespace and named):
        return
    change = f"its change at {fact.line_of(fact.changed[0])}" if fact.changed else "later changes"
    yield rule.finding(
        fact,
        f"`{fact.name}` is read only while `{fact.function}` is traced, so compiled calls miss "
        f"{change}; {fact.where()}",
        help=HELP,
    )
