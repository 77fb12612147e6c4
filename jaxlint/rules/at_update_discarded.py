"""
An update `x.at[i].set(v)` is thrown away, so that nothing has changed.

JAX arrays are immutable. `x.at[i].set(v)` and its kin do not write into `x`: they return a new
array, in which the element is another one. As a statement of its own, such a call computes an
array that nobody keeps; `x` is what it was, and nothing is raised.

Source: JAX documentation, "The Sharp Bits", section "In-place updates"; jax-ml/jax#2287.

## Example

```py
board = jnp.zeros((3, 3))
board.at[1, 1].set(7.0)  # error
board.sum()
```

## Use instead

```py fixed
board = jnp.zeros((3, 3))
board = board.at[1, 1].set(7.0)
board.sum()
```

## In a loop of a jitted function

```py
@jax.jit
def histogram(bins, counts):
    for index in range(3):
        counts.at[bins[index]].add(1)  # error
    return counts

histogram(jnp.array([0, 2, 2]), jnp.zeros(4))
```

```py fixed
@jax.jit
def histogram(bins, counts):
    for index in range(3):
        counts = counts.at[bins[index]].add(1)
    return counts

histogram(jnp.array([0, 2, 2]), jnp.zeros(4))
```

## Fine as it is

Several updates, one on top of the other.

```py
@jax.jit
def frame(image):
    return image.at[0].set(1.0).at[-1].set(1.0).at[:, 0].multiply(0.5)

frame(jnp.zeros((4, 4)))
```

A mutable reference is written through the same indices, without `.at`.

```py jax>=0.7
counter = jax.new_ref(jnp.zeros(3))
counter[1] = 5.0
counter[...].sum()
```

Something else that has an `at`, which changes.

```py
class Timetable:
    def __init__(self):
        self.at = {9: set(), 10: set()}

timetable = Timetable()
timetable.at[9].add("standup")
len(timetable.at[9])
```

## Fix

The fix binds the new array to the name of the old one. It is unsafe: another name may have been
meant, and the program computes something else then.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Finding,
    Fix,
    Fruitless,
    Rule,
    Severity,
    Tag,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX152",
    severity=Severity.ERROR,
    since="0.1",
    witness=Fruitless(),
    applicability=Applicability.UNSAFE,
    tags=(Tag.UNNECESSARY,),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "update-discarded":
        return
    what, array = fact.text, fact.subject or "the array"
    help = "bind the new array to a name and go on with it"
    if fact.detail and fact.subject:
        what = f"{fact.subject}.at[...].{fact.detail}(...)"
        help = f"bind the result: `{fact.subject} = {what}`"
    yield rule.finding(
        fact,
        f"`{what}` returns a new array, which is thrown away here: `{array}` stays as it is",
        help=help,
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    statement = code.statement(fact.node)
    if not (isinstance(statement, ir.ExprStmt) and statement.value is fact.node):
        return None
    array = statement.value
    while isinstance(array, ir.Call):
        base = updated_by(array)
        if base is None:
            return None
        array = base
    made = fixes.at_updates.rebound(fact, code, array, statement)
    if made is None:
        return None
    title = f"Bind the new array to `{made.text}`"
    return code.fix(title, code.before(statement, f"{made.text} = "))


def updated_by(call: ir.Call) -> ir.Expr | None:
    """The array that `x.at[i].set(v)` is a changed copy of."""
    method = call.func
    if not isinstance(method, ir.Attribute) or method.attr == "get":
        return None
    indexed = method.value.value if isinstance(method.value, ir.Subscript) else None
    return indexed.value if isinstance(indexed, ir.Attribute) and indexed.attr == "at" else None
