"""
Joins or negates traced values with `and`, `or` or `not`.

Python's boolean operators decide which operand is the result, so they turn every operand but the
last into a `bool`; `not` turns its only one. A traced array has no value to decide with:
`jax.errors.TracerBoolConversionError`. `&`, `|`, `~` and the `jnp.logical_*` functions are
ordinary array operations. Source: "Control flow and logical operators with JIT" in the JAX
documentation; the idiom `x or default` is how users in jax-ml/jax#16430 met the error.

## Example

```py
@jax.jit
def accepts(delta, temperature, u):
    return (delta < 0) or (u < jnp.exp(-delta / temperature))  # error

accepts(0.5, 2.0, 0.1)
```

## Use instead

```py fixed
@jax.jit
def accepts(delta, temperature, u):
    return (delta < 0) | (u < jnp.exp(-delta / temperature))

accepts(0.5, 2.0, 0.1)
```

## The other operators

`not` has one operand, and it always needs its value.

```py
@jax.jit
def count_alive(position, velocity):
    fell = jnp.any(position < 0)
    return {"alive": not fell, "speed": jnp.abs(velocity)}  # error

count_alive(jnp.array([1.0, -1.0]), 3.0)
```

A default that `or` fills in works until the argument is an array.

```py
@jax.jit
def affine(x, scale=None):
    scale = scale or 1.0  # error
    return scale * x

affine(jnp.arange(3.0), 2.0)
```

## Fine as it is

The last operand is handed on as it is, and `None` decides without it.

```py
@jax.jit
def pick(x, mask=None):
    kept = mask is None or mask
    return x.ndim == 1 and jnp.where(kept, x, 0.0)

pick(jnp.arange(3.0), jnp.array([True, False, True]))
```

The truth value of a container is its length, whatever its elements are.

```py
@jax.jit
def total(metrics, extra=()):
    if not metrics or not (extra or metrics):
        return jnp.zeros(())
    return sum(metrics.values()) + sum(extra)

total({"loss": 1.0, "penalty": 0.25})
```

## Fix

The fix writes `&`, `|` and `~` where the operands are surely truth values, `jnp.logical_not` for
any other `not`, and `default if x is None else x` for `x or default` if `x` is None by default. It
is unsafe: all operands are computed, for each element.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX304",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TracerBoolConversionError", "ValueError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink not in ("and", "or", "not") or fact.is_mode:
        return
    message = f"`{fact.sink}` needs a concrete bool, but {fact.why()}"
    if fact.sink == "not":
        advice = f"use `jnp.logical_not({fact.text})`"
    elif fact.sink == "or" and fact.text.isidentifier():
        advice = (
            f"use `... if {fact.text} is None else {fact.text}` for a default, "
            f"`jnp.logical_or({fact.text}, ...)` for a truth value"
        )
    else:
        symbol = "&" if fact.sink == "and" else "|"
        advice = f"use `jnp.logical_{fact.sink}({fact.text}, ...)`, or `{symbol}` with both "
        advice += "operands in parentheses"
    yield rule.finding(fact, message, help=advice)


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    whole = operation(fact, code)
    if whole is None:
        return None
    mask = fixes.boolean_arrays.Mask(fact, code, is_test=False)
    text = mask.text(whole)
    if text is None:
        return filled(fact, code, whole)
    title = f"Replace `{fact.sink}` with an operation on arrays"
    return code.fix(title, code.expression(whole, text), *mask.imports)


def operation(fact: facts.Concretized, code: Code) -> ir.Expr | None:
    """All operators around a value that ask for its truth."""
    whole: ir.Expr | None = None
    for one in code.around(fact.node):
        is_negation = isinstance(one, ir.UnaryOp) and one.op == "not"
        if not (isinstance(one, ir.BoolOp) or is_negation):
            break
        assert isinstance(one, ir.Expr)
        whole = one
    return None if whole is None or is_asked(code, whole) else whole


def is_asked(code: Code, whole: ir.Expr) -> bool:
    """Whether a builtin asks for the truth of a value, or of each element that is computed so."""
    around = code.parent(whole)
    asker = fixes.argument_lists.call_of(
        code, around if isinstance(around, ir.Comprehension) else whole
    )
    return asker is not None and code.meaning(asker.func) in ASKING


ASKING = frozenset(f"builtins.{name}" for name in ("all", "any", "bool", "filter", "int"))


def filled(fact: facts.Concretized, code: Code, whole: ir.Expr) -> Fix | None:
    """`x or default`, where `x` is a parameter that may be None."""
    if not (isinstance(whole, ir.BoolOp) and whole.op == "or" and len(whole.values) == 2):
        return None
    given, otherwise = whole.values
    if not isinstance(given, ir.Name):
        return None
    default = fixes.types.default_of(code.function(whole), given.id)
    if not (isinstance(default, ir.Const) and default.value is None):
        return None
    text = f"{code.operand(otherwise)} if {given.id} is None else {given.id}"
    return code.fix(f"Ask whether `{given.id}` is None", code.expression(whole, text))
