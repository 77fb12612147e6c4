"""
Matches a traced value against numbers, so tracing stops or the case is never taken.

`case 0` compares with `==`, and a guard is an `if`: both ask for a `bool` that a traced value does
not have yet (`jax.errors.TracerBoolConversionError`, or the plain `ValueError` for more than one
element). `case float()`, `case int()` and `case True` ask what sort of object the value is. A
traced value is a `jax.Array`, whatever number the caller passes, so that such a case is passed
over without a word. Source: "Control flow and logical operators with JIT" in the JAX documentation.

## Example

```py
@jax.jit
def activate(x, kind):
    match kind:
        case 0:  # error
            return jnp.tanh(x)
        case _:
            return jax.nn.relu(x)

activate(jnp.ones(2), 0)
```

## Use instead

```py fixed
@jax.jit
def activate(x, kind):
    return lax.switch(kind, [jnp.tanh, jax.nn.relu], x)

activate(jnp.ones(2), 0)
```

## Never taken

```py
@jax.jit
def widen(step):
    match step:
        case float() | int():  # error
            return 2.0 * step
        case _:
            return step

widen(0.5)
```

## A guard

```py
@jax.jit
def clip(pair):
    match pair:
        case (value, limit) if value > limit:  # error
            return limit
        case (value, _):
            return value

clip((2.0, 1.0))
```

## Fine as it is

Structure, shapes and names are known while tracing.

```py
@jax.jit
def affine(params, x):
    match params, x.ndim:
        case {"w": w, "b": b}, 1:
            return w * x + b
        case {"w": w}, _:
            return w * x

affine({"w": 2.0}, jnp.ones(2))
```

Static arguments have values.

```py
@partial(jax.jit, static_argnames="mode")
def wave(x, mode):
    match mode:
        case "sin":
            return jnp.sin(x)
        case int() | float():
            return x * mode

wave(0.5, mode=3)
```

A traced value is an array.

```py
@jax.jit
def leaf(x):
    match x:
        case jax.Array():
            return x + 1
        case None:
            return 0.0

leaf(jnp.float32(1.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Differs, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX320",
    severity=Severity.ERROR,
    since="0.1",
    witness=Differs(),
)

ADVICE = "use `lax.switch`, `lax.cond` or `jnp.where`; `case` can tell static values apart"


def _subject(fact: facts.Fact) -> str:
    """Why what is matched is traced; the fact is about the pattern."""
    return fact.why().replace(f"`{fact.text}`", "the subject", 1)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.callee != "case":
        return
    if fact.sink == "in":
        message = f"`case` compares with `==` and needs a concrete bool, but {_subject(fact)}"
    else:
        message = f"a guard needs a concrete bool, but {fact.why()}"
    yield rule.finding(fact, message, help=ADVICE)


@rule.on(facts.ArrayMismatch)
def check_silent(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind != "pattern":
        return
    message = f"this case never matches in traced code: {_subject(fact)}"
    advice = "match a static value, or `jax.Array()`; what a number needs, an array mostly does too"
    severity = Severity.WARNING if fact.subject == "class" else None
    yield rule.finding(fact, message, help=advice, severity=severity)
