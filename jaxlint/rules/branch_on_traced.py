"""
Branches in Python on a traced value.

While JAX traces a function, an array has a shape and a dtype but no value yet. `if`, `elif` and
the conditional expression must choose an arm at that moment, so they ask for a `bool` and tracing
stops: `jax.errors.TracerBoolConversionError` for a single element, the plain `ValueError` about an
ambiguous truth value for more. Source: "Control flow and logical operators with JIT" and
`jax.errors` in the JAX documentation.

## Example

```py
@jax.jit
def clip_by_norm(grad, limit):
    norm = jnp.sqrt(jnp.sum(grad**2))
    if norm > limit:  # error
        grad = grad * (limit / norm)
    return grad

clip_by_norm(jnp.array([3.0, 4.0]), 1.0)
```

## Use instead

`jnp.where` computes both arms and selects; `lax.cond(test, yes, no, *operands)` runs one of them.

```py fixed
@jax.jit
def clip_by_norm(grad, limit):
    norm = jnp.sqrt(jnp.sum(grad**2))
    return jnp.where(norm > limit, grad * (limit / norm), grad)

clip_by_norm(jnp.array([3.0, 4.0]), 1.0)
```

## Without a jit in sight

The body of `lax.scan` is traced wherever it is called from, and so are the helpers it calls.

```py
def bounce(height, speed):
    return -speed if height < 0 else speed  # error

def tick(state, _):
    height, speed = state
    speed = bounce(height, speed) - 0.1
    return (height + speed, speed), height

lax.scan(tick, (1.0, 0.0), length=20)
```

## Fine as it is

Shapes, dtypes and the structure of a container are known while tracing, and so is `None`.

```py
@jax.jit
def dense(params, x, mask=None):
    y = x @ params["w"] if x.ndim == 2 else jnp.dot(params["w"].T, x)
    if "b" in params:
        y = y + params["b"]
    return y if mask is None else jnp.where(mask, y, 0.0)

dense({"w": jnp.ones((2, 3))}, jnp.ones((4, 2)))
```

A parameter with a default stays a Python value for as long as no caller passes it.

```py
@jax.jit
def mean_square(error, halve=True):
    loss = jnp.mean(error**2)
    return loss / 2 if halve else loss

mean_square(jnp.arange(3.0))
```

Without `jit`, `jax.grad` follows concrete values and records the arm that was taken.

```py
def huber(error):
    return 0.5 * error**2 if abs(error) < 1.0 else abs(error) - 0.5

[jax.grad(huber)(v) for v in (0.5, 3.0)]
```

## Fix

The fix writes `jnp.where` for a conditional expression, and for an `if` that does no more than
return a number, or assign one to a name, in each arm. It is unsafe: both arms are computed, they
take a common dtype, and a `nan` in one spoils the gradient of both.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX301",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TracerBoolConversionError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink not in ("if", "ifexp") or fact.is_mode or fact.callee == "case":
        return
    construct = "`if`" if fact.sink == "if" else "a conditional expression"
    select = f"`jnp.where({fact.text}, ..., ...)` or `lax.cond({fact.text}, ...)`"
    if fact.scalar is False:
        select = f"`jnp.where({fact.text}, ..., ...)` for a choice per element"
    root = fact.trail.root() if fact.trail else None
    if root and root.entry.application.is_plain_jit and root.name == fact.text:
        advice = f"mark `{root.name}` static with `static_argnames`, or use {select}"
    elif fact.entry and fact.entry.application.is_kernel:
        advice = f"run the body under `@pl.when({fact.text})`, or use {select}"
    else:
        advice = f"use {select}"
    yield rule.finding(fact, f"{construct} needs a concrete bool, but {fact.why()}", help=advice)


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    return fixes.where.selected(fact, code)
