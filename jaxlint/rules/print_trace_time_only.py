"""
Traced code prints a message without numbers, which appears once per compilation.

Printing is Python, and the Python of a traced function runs while JAX traces. The message comes
with the first call and with each one that compiles again, never with the others. As a sign that
something is compiled that is just right; as a sign of life it misleads.

Source: JAX documentation, "The Sharp Bits", section "Pure functions".

## Example

```py
@jax.jit
def step(x):
    print("step done")  # error
    return x * 2

step(step(jnp.float32(1.0)))
```

## Use instead

```py fixed
@jax.jit
def double(x):
    return x * 2

def step(x):
    result = double(x)
    print("step done")
    return result

step(step(jnp.float32(1.0)))
```

## In the body of a loop

```py
def body(index, total):
    print("iteration")  # error
    return total + index

lax.fori_loop(0, 3, body, 0)
```

## Fine as it is

A message that says what it marks.

```py
@jax.jit
def step(x):
    return x * 2

print("compiling for", jnp.ones(3).shape)
step(jnp.ones(3))
```

Printing for each execution.

```py
@jax.jit
def step(x):
    jax.debug.print("step done")
    return x * 2

step(jnp.float32(1.0))
jax.effects_barrier()
```

## Notes

The rule is off unless it is selected: such messages are often meant as they are. One whose text
has to do with tracing or compiling (`tracing`, `compiled`, `jit`) is left alone, and so is one
under a condition that only tracing can answer.
"""

import re
from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX102",
    severity=Severity.INFO,
    since="0.1",
    witness=Effects(),
    default=False,
)

MARKS_TRACES = re.compile(r"trac|compil|jit", re.IGNORECASE)


@rule.on(facts.Effect)
def check(fact: facts.Effect) -> Iterator[Finding]:
    if fact.kind != "print" or fact.is_traced or fact.conditional:
        return
    if MARKS_TRACES.search(fact.text):
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` runs only while `{fact.function}` is traced, not when it is called; "
        f"{fact.where()}",
        help="print in the caller, or with `jax.debug.print`",
    )
