"""
Numbers of several types for one parameter, so that a program is compiled for each of them.

A Python number is traced with a weak type, which gives way to the type of any array that it meets.
A carry that starts as a Python number comes back as an array of a type of its own, so that the
second call compiles again; an `int` here and a `float` there make two programs as well.

Source: JAX documentation, "Type promotion semantics", section "Weak types in JAX";
jax-ml/jax#4274.

## Example

```py
@jax.jit
def accumulate(total, batch):
    return total + batch.sum()

total = 0.0
for batch in jnp.ones((4, 3)):
    total = accumulate(total, batch)  # error
accumulate._cache_size() == 1
```

## Use instead

Start with what comes back.

```py fixed
@jax.jit
def accumulate(total, batch):
    return total + batch.sum()

total = jnp.zeros(())
for batch in jnp.ones((4, 3)):
    total = accumulate(total, batch)
accumulate._cache_size() == 1
```

`--fix --unsafe-fixes` starts a carry with an array of the default type, and writes `2.0` for an
`int` beside a `float`. It is unsafe since the result has another type where the arrays that it
meets have a lower precision, or are integers.

## An int here, a float there

```py
@jax.jit
def scale(vector, factor):
    return factor * vector

vector = jnp.ones(3)
doubled, halved = scale(vector, 2), scale(vector, 0.5)  # error
scale._cache_size() == 1
```

```py fixed
@jax.jit
def scale(vector, factor):
    return factor * vector

vector = jnp.ones(3)
doubled, halved = scale(vector, 2.0), scale(vector, 0.5)
scale._cache_size() == 1
```

## Fine as it is

Numbers of one type share a program.

```py
@jax.jit
def scale(vector, factor):
    return factor * vector

vector = jnp.ones(3)
scaled = [scale(vector, factor) for factor in (0.5, 1.0, 2.0)]
scale._cache_size() == 1
```

Loops of `lax` settle the type of their carry before they compile.

```py
@jax.jit
def geometric(ratio):
    return lax.fori_loop(0, 8, lambda i, total: total * ratio + 1.0, 0.0)

geometric(jnp.float32(0.5))
geometric._cache_size() == 1
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX509",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.Retraced)
def check(fact: facts.Retraced) -> Iterator[Finding]:
    if fact.kind == "weak":
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles twice: `{fact.text}` starts with a `{fact.detail}` of "
            "Python's where an array of another type comes back",
            help="start with an array of the type that comes back: `jnp.zeros((), dtype)`",
        )
    elif fact.kind == "kind" and fact.other is not None:
        parameter = f"`{fact.parameter}`" if fact.parameter else "one parameter"
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again: {parameter} gets numbers of different types, "
            f"{fact.detail} (compare {fact.line_of(fact.other)})",
            help="write the numbers alike: `2.0` and `0.5`",
        )


@rule.fix(facts.Retraced)
def fix(fact: facts.Retraced, code: Code) -> Fix | None:
    if fact.kind == "weak" and fact.detail == "float" and isinstance(fact.node, ir.Name):
        return _begun_as_array(fact.node, code)
    if fact.kind == "kind" and isinstance(fact.other, ir.Call):
        numbers = _whole_numbers(fact.node, code)
        edits = [code.replace(one, f"{one.value}.0") for one in numbers]
        written = ", ".join(f"`{one.value}.0`" for one in numbers)
        return code.fix(f"Write {written}", *edits, unsafe=True)
    return None


def _begun_as_array(name: ir.Name, code: Code) -> Fix | None:
    """The number that a carry starts with, as an array of the default type; what comes back may
    have another precision."""
    start = fixes.scopes.value_before(code, name)
    sign = start.operand if isinstance(start, ir.UnaryOp) and start.op == "-" else start
    reached = code.reach("jax.numpy.array", name) if start is not None else None
    if start is None or reached is None or not isinstance(sign, ir.Const):
        return None
    edit = code.replace(start, f"{reached[0]}({code.text(start)}, dtype=float)")
    return code.fix(f"Start with `{edit.replacement}`", edit, *reached[1], unsafe=True)


def _whole_numbers(node: ir.Node, code: Code) -> list[ir.Const]:
    """The `int`s that are written for one parameter in the calls of a function which are made in
    the code around."""
    call = code.parent(node)
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Name):
        return []
    at = next((at for at, one in enumerate(call.args) if one.value is node), 0)
    keyword = call.args[at].keyword
    found: list[ir.Const] = []
    for other in fixes.scopes.calls(code.module.body):
        is_same = isinstance(other.func, ir.Name) and other.func.id == call.func.id
        if not is_same or code.function(other) is not code.function(call):
            continue
        for place, one in enumerate(other.args):
            is_meant = one.keyword == keyword if keyword else place == at and one.keyword is None
            value = one.value
            is_number = isinstance(value, ir.Const) and type(value.value) is int
            if is_meant and isinstance(value, ir.Const) and is_number and not one.star:
                found.append(value)
    return [one for one in found if code.text(one).isdigit()]
