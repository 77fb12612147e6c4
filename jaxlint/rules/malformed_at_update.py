"""
Writes `x.at[...]` without the method that makes an update of it.

`x.at[i]` is no view of the array. It only holds what to index, until `.set(v)`, `.add(v)`,
`.get()` or another method returns an array. `x.at[i] = v`, `x.at[i] += v`, `x.at(i)` and
arithmetic with `x.at[i]` are errors. Source: JAX documentation, `jax.numpy.ndarray.at`.

## Example

```py
def occupy(board, row, column):
    board.at[row, column] = 1  # error
    return board

jax.jit(occupy)(jnp.zeros((3, 3)), 1, 2)
```

## Use instead

```py fixed
def occupy(board, row, column):
    board = board.at[row, column].set(1)
    return board

jax.jit(occupy)(jnp.zeros((3, 3)), 1, 2)
```

## An increment

```py
histogram = jnp.zeros(4)
for value in (0, 2, 2):
    histogram.at[value] += 1  # error
```

```py fixed
histogram = jnp.zeros(4)
for value in (0, 2, 2):
    histogram = histogram.at[value].add(1)
```

## Without a method

```py
@jax.jit
def last(x):
    return x.at[-1] * 2  # error

last(jnp.arange(3.0))
```

## Fine as it is

The helper may be kept and indexed later.

```py
update = jnp.zeros(3).at
first = update[0].set(1.0)
both = first.at[1:].multiply(2.0, mode="drop")
```

Other objects have an `at` of their own.

```py
class Table:
    def __init__(self):
        self.at = {}

table = Table()
table.at["x", 0] = 5
table.at["x", 0] += 1
```

## Fix

The fix writes `x = x.at[i].set(v)`, or brackets for parentheses. It is safe, since what it replaces
has always failed. To add `.get()` in arithmetic is a guess, and unsafe.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX156",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TypeError", "AttributeError"),
)


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    name = fact.subject or "x"
    update = f"`{name} = {name}.at[...].set(value)`"
    if fact.kind == "at-store":
        method = "add" if fact.detail == "augment" else "set"
        message = f"`{name}.at[...]` cannot be assigned to"
        advice = f"write `{name} = {name}.at[...].{method}(value)`"
    elif fact.kind == "at-delete":
        message, advice = f"`{name}.at[...]` cannot be deleted", "use `jnp.delete`"
    elif fact.kind == "at-call":
        message, advice = f"`{name}.at` is indexed, not called", f"write {update}"
    elif fact.kind == "at-unindexed":
        message = f"`.at` has no `{name}`: it is indexed first"
        advice = f"write `x.at[index].{name}(...)`"
    elif fact.kind == "at-method":
        message = f"`.at[...]` has no `{name}`"
        advice = "use `set`, `add`, `multiply`, `divide`, `power`, `min`, `max`, `apply` or `get`"
    elif fact.kind == "at-operand":
        message = f"`{name}` is no array, only what to index: no method makes one of it"
        advice = "add `.get()`, or `.set(value)`, or leave `.at` out"
    else:
        return
    yield rule.finding(fact, message, help=advice)


# What makes an update of `x.at[index]`; another attribute is no way to go on.
UPDATES = frozenset(["set", "add", "multiply", "divide", "power", "min", "max", "apply", "get"])


@rule.fix(facts.ArrayMismatch)
def fix(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    if fact.kind == "at-store":
        return assigned(fact, code)
    if fact.kind == "at-call":
        return called(fact, code)
    around = code.parent(fact.node)
    is_passed = isinstance(around, ir.Call) and code.meaning(around.func).startswith("jax.numpy.")
    if fact.kind == "at-operand" and (is_passed or isinstance(around, ir.BinOp)):
        return code.fix("Add `.get()`", code.after(fact.node, ".get()"), unsafe=True)
    return None


def assigned(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    target = fact.node
    if not (isinstance(target, ir.Subscript) and isinstance(target.value, ir.Attribute)):
        return None
    update = fixes.at_updates.updated(fact, code, target, target.value.value)
    if update is None:
        return None
    array, method, edits = update
    title = f"Replace with `{array.text} = {array.text}.at[...].{method}(...)`"
    return code.fix(title, *edits, unsafe=not array.is_own)


def called(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    """`x.at(i).set(v)`: brackets in the place of the parentheses."""
    call, method = fact.node, code.parent(fact.node)
    if not (isinstance(call, ir.Call) and isinstance(method, ir.Attribute) and call.args):
        return None
    if method.attr not in UPDATES:
        return None
    return code.fix("Index `.at` with brackets", *fixes.argument_lists.bracketed(code, call))
