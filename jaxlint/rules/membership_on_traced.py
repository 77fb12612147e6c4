"""
Looks for a traced value in a sequence, or for a value in a traced array.

`in`, `list.index`, `list.count` and `list.remove` compare with `==` until something is equal, and
each comparison is turned into a `bool`. A comparison with a traced array has no value:
`jax.errors.TracerBoolConversionError`, or the plain `ValueError` for more than one element. (A
NumPy array to be searched converts the traced value: `TracerArrayConversionError`.) So does `==`
of tuples, lists and dataclasses. Source: `jax.errors` in the JAX documentation.

## Example

```py
PAD, END = 0, 2

@jax.jit
def token_loss(token, nll):
    ignored = token in (PAD, END)  # error
    return jnp.where(ignored, 0.0, nll)

token_loss(2, 1.5)
```

## Use instead

```py fixed
PAD, END = 0, 2

@jax.jit
def token_loss(token, nll):
    ignored = jnp.isin(token, jnp.array([PAD, END]))
    return jnp.where(ignored, 0.0, nll)

token_loss(2, 1.5)
```

## In a traced array

```py
@jax.jit
def contact(cells, here):
    return {"hit": here in cells, "distance": jnp.min(jnp.abs(cells - here))}  # error

contact(jnp.array([3, 5, 8]), 5)
```

```py fixed
@jax.jit
def contact(cells, here):
    return {"hit": jnp.any(cells == here), "distance": jnp.min(jnp.abs(cells - here))}

contact(jnp.array([3, 5, 8]), 5)
```

## Fine as it is

The keys of a dictionary are part of its structure, not values.

```py
@jax.jit
def apply(variables, x):
    scale = variables["scale"] if "scale" in variables else 1.0
    return scale * x

apply({"scale": 3.0}, jnp.arange(2.0))
```

Dtypes, shapes and static arguments compare while tracing.

```py
@partial(jax.jit, static_argnames="reduction")
def reduce_loss(errors, reduction):
    if reduction not in ("mean", "sum") or errors.dtype not in (jnp.float32, jnp.bfloat16):
        raise ValueError(reduction)
    return getattr(jnp, reduction)(errors)

reduce_loss(jnp.arange(4.0), reduction="mean")
```

## Fix

The fix writes `jnp.isin` for a value among choices, and `jnp.any(array == value)` for one in a
traced array. It is unsafe: the result is an array, and choices that are no numbers fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX307",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TracerBoolConversionError", "TracerArrayConversionError", "ValueError"),
)

COMPARISONS = {
    "==": "compare the static parts alone, the arrays with `jnp.array_equal`",
}
POSITIONS = {"index": "jnp.argmax(sequence == value)", "count": "jnp.sum(sequence == value)"}


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "in" or fact.callee == "case":
        return
    method = fact.dotted.rpartition(".")[2]
    if method in POSITIONS:
        advice = f"use `{POSITIONS[method]}` of arrays"
    elif fact.callee in COMPARISONS:
        advice = COMPARISONS[fact.callee]
    else:
        advice = (
            "use `jnp.isin(value, jnp.asarray(choices))` to find a traced value among choices, "
            "`jnp.any(array == value)` to find a value in a traced array"
        )
    asks = f"`{fact.callee}`" if fact.callee else "`in`"
    asks = "`==` of containers" if fact.callee == "==" else asks
    message = f"{asks} compares with `==` and needs a concrete bool, but {fact.why()}"
    yield rule.finding(fact, message, help=advice)


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    test = fact.node
    if not isinstance(test, ir.Compare) or fact.callee or len(test.ops) != 1:
        return None
    if fixes.boolean_arrays.is_truth_asked(code, test):
        return fixes.where.selected(fact, code)
    mask = fixes.boolean_arrays.Mask(fact, code, is_test=False)
    text = mask.text(test)
    if text is None:
        return None
    title = f"Replace `{test.ops[0]}` with an operation on arrays"
    return code.fix(title, code.expression(test, text), *mask.imports)
