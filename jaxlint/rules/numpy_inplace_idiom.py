"""
Changes a JAX array as NumPy code does, which raises an error or changes nothing.

Some methods and functions of NumPy work in place. For a JAX array `x.sort()` returns a sorted copy
and leaves `x` alone: written as a statement it does nothing. `x.fill(0)` and its kin do not exist,
`np.copyto` and `np.put` need a NumPy array, no function of `jax.numpy` takes `out=`, and
`jnp.put`, `jnp.place`, `jnp.put_along_axis` and `jnp.fill_diagonal` only work with
`inplace=False`. Source: JAX documentation, `jax.numpy.put` and `jax.numpy.fill_diagonal`.

## Example

```py
def median(sample):
    sample = jnp.asarray(sample)
    sample.sort()  # error
    return sample[sample.size // 2]

median([3.0, 1.0, 2.0])
```

## Use instead

```py fixed
def median(sample):
    sample = jnp.asarray(sample)
    sample = sample.sort()
    return sample[sample.size // 2]

median([3.0, 1.0, 2.0])
```

## In traced code

```py
@jax.jit
def regularise(matrix):
    jnp.fill_diagonal(matrix, 1.0)  # error
    return matrix

regularise(jnp.zeros((2, 2)))
```

```py fixed
@jax.jit
def regularise(matrix):
    matrix = jnp.fill_diagonal(matrix, 1.0, inplace=False)
    return matrix

regularise(jnp.zeros((2, 2)))
```

## A buffer to write to

```py
total = jnp.zeros(3)
jnp.sum(jnp.ones((2, 3)), axis=0, out=total)  # error
```

## Fine as it is

Lists and NumPy arrays are sorted in place.

```py
order = ["b", "a"]
order.sort()
weights = np.array([3.0, 1.0])
weights.sort()
np.copyto(weights, jnp.ones(2))
```

The result of a method is used.

```py
@jax.jit
def top_two(x):
    return x.sort()[-2:]

top_two(jnp.array([3.0, 1.0, 2.0]))
```

## Fix

The fix binds the new array to the name of the old one, with the function of `jax.numpy` and
`inplace=False` where there is one. It is unsafe: other names of the array keep the old one.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Edit,
    Finding,
    Fix,
    Fruitless,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX153",
    severity=Severity.ERROR,
    since="0.1", over=("JAX111", "JAX314"),
    applicability=Applicability.UNSAFE,
    witness=Fruitless(
        "AttributeError", "NotImplementedError", "TracerArrayConversionError", "TypeError",
        "ValueError",
    ),
)  # fmt: skip


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind == "copied":
        message = f"`{fact.subject}.{fact.detail}()` returns a copy and leaves the array as it is"
        advice = f"write `{fact.subject} = {fact.subject}.{fact.detail}()`"
    elif fact.kind == "method":
        message = f"JAX arrays have no `{fact.subject}`: they never change"
        advice = "make a new array, with `jnp.full_like` or `x.at[...].set(...)` for example"
    elif fact.kind == "function":
        message = f"`{fact.subject}` changes its argument, and a JAX array never changes"
        advice = "make a new array with `x.at[...].set(...)` or a function of `jax.numpy`"
    elif fact.kind == "inplace":
        message = f"`{fact.subject}` cannot change its argument, and raises an error unless told so"
        advice = f"write `x = {fact.subject}(x, ..., inplace=False)`"
    elif fact.kind == "out":
        message = f"`{fact.subject}` cannot write to `out`: arrays of JAX never change"
        advice = "use what the function returns"
    else:
        return
    yield rule.finding(fact, message, help=advice)


# Functions of NumPy that `jax.numpy` has too, with a parameter `inplace`.
COPIED = frozenset(["fill_diagonal", "place", "put", "put_along_axis"])


@rule.fix(facts.ArrayMismatch)
def fix(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    call = fact.node
    if not isinstance(call, ir.Call) or any(one.star for one in call.args):
        return None
    if fact.kind == "copied" and isinstance(call.func, ir.Attribute):
        return bound(fact, code, call, call.func.value)
    if fact.kind == "method":
        return filled(fact, code, call)
    if fact.kind == "out":
        return returned(fact, code, call)
    first = call.args[0] if call.args else None
    if first is None or first.keyword:
        return None
    if fact.kind == "inplace":
        change = asked(code, call)
        return bound(fact, code, call, first.value, change) if change else None
    name = fact.subject.rpartition(".")[2]
    if fact.kind == "function" and name in COPIED:
        change = asked(code, call)
        reached = code.reach(f"jax.numpy.{name}", call)
        if change is None or reached is None:
            return None
        renamed = code.replace(call.func, reached[0])
        return bound(fact, code, call, first.value, change, renamed, *reached[1])
    if fact.kind == "function" and name == "copyto":
        return overwritten(fact, code, call)
    return None


def bound(
    fact: facts.ArrayMismatch, code: Code, call: ir.Call, array: ir.Expr, *edits: Edit
) -> Fix | None:
    """Binds what a statement computes to the array that it should have changed."""
    statement = code.statement(call)
    if not (isinstance(statement, ir.ExprStmt) and statement.value is call):
        return None
    made = fixes.at_updates.rebound(fact, code, array, statement)
    if made is None:
        return None
    title = f"Bind the new array to `{made.text}`"
    return code.fix(title, code.before(statement, f"{made.text} = "), *edits)


def asked(code: Code, call: ir.Call) -> Edit | None:
    """The edit that asks for a changed copy."""
    for one in call.args:
        if one.keyword == "inplace":
            return code.replace(one.value, "False")
    return fixes.argument_lists.with_argument(code, call, "inplace=False")


def filled(fact: facts.ArrayMismatch, code: Code, call: ir.Call) -> Fix | None:
    """`x.fill(value)`."""
    method = call.func
    if not isinstance(method, ir.Attribute) or method.attr != "fill" or len(call.args) != 1:
        return None
    reached = code.reach("jax.numpy.full_like", call)
    if reached is None:
        return None
    array, value = code.text(method.value), code.text(call.args[0].value)
    made = code.replace(call, f"{reached[0]}({array}, {value})")
    return bound(fact, code, call, method.value, made, *reached[1])


def overwritten(fact: facts.ArrayMismatch, code: Code, call: ir.Call) -> Fix | None:
    """`np.copyto(x, value)`."""
    if len(call.args) != 2 or call.args[1].keyword:
        return None
    array, value = (one.value for one in call.args)
    made = code.replace(call, f"{code.text(array)}.at[...].set({code.text(value)})")
    return bound(fact, code, call, array, made)


def returned(fact: facts.ArrayMismatch, code: Code, call: ir.Call) -> Fix | None:
    """`f(x, out=y)`."""
    out = next((one for one in call.args if one.keyword == "out"), None)
    if out is None:
        return None
    edit = fixes.argument_lists.without_argument(code, call, out)
    return bound(fact, code, call, out.value, edit)
