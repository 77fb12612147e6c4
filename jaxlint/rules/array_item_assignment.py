"""
Assigns to an element or an attribute of a JAX array, which never changes.

A `jax.Array` is immutable, inside of `jit` and outside. `x[i] = v`, `x[i] += v` and `del x[i]`
raise an error, and so does setting `x.shape`. `x.at[i].set(v)` and its kin return an updated copy;
in compiled code the copy is left out where the old array is not used any more. Source: JAX
documentation, "The Sharp Bits", section "In-place updates".

## Example

```py
def one_hot(label, classes):
    code = jnp.zeros(classes)
    code[label] = 1.0  # error
    return code

one_hot(2, 4)
```

## Use instead

```py fixed
def one_hot(label, classes):
    code = jnp.zeros(classes)
    code = code.at[label].set(1.0)
    return code

one_hot(2, 4)
```

## An update in traced code

```py
@jax.jit
def smooth(signal):
    result = signal * 0.5
    result[1:] += signal[:-1] * 0.5  # error
    return result

smooth(jnp.arange(4.0))
```

```py fixed
@jax.jit
def smooth(signal):
    result = signal * 0.5
    result = result.at[1:].add(signal[:-1] * 0.5)
    return result

smooth(jnp.arange(4.0))
```

## A view that NumPy makes

`np.asarray(x)` and `jax.device_get(x)` show the memory of a JAX array, which cannot be written.

```py
def centred(table):
    result = np.asarray(table)
    result -= result.mean(axis=0)  # error
    return result

centred(jnp.ones((2, 3)))
```

```py fixed
def centred(table):
    result = np.array(table)
    result -= result.mean(axis=0)
    return result

centred(jnp.ones((2, 3)))
```

## Fine as it is

NumPy arrays, lists and dicts change in place; traced code may fill those that it makes.

```py
@jax.jit
def layers(x, weights):
    outputs = [None] * 2
    outputs[0] = x @ weights["first"]
    outputs[1] = outputs[0] @ weights["second"]
    weights["first"] = outputs[1]
    return weights

mask = np.zeros((2, 2))
mask[0, 0] = 1.0
layers(jnp.asarray(mask), {"first": jnp.eye(2), "second": jnp.eye(2)})
```

A copy made by NumPy may be changed.

```py
counts = np.array(jnp.zeros(3, dtype=int))
counts[1] += 1
```

## Fix

The fix binds the updated copy to the name, to an attribute that a plain class sets, or to an item
of a dict. It is safe where nothing else goes by the name of the array, and unsafe where NumPy
arrays may come along too. There is none where nobody reads the name afterwards. An assignment
through a mask of the array itself becomes a `jnp.where` in traced code.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX151",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TypeError", "AttributeError", "ValueError"),
)


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind == "attribute":
        yield rule.finding(
            fact,
            f"`{fact.detail}` of a JAX array cannot be set: arrays never change",
            help="make a new array: `jnp.reshape`, `x.astype(...)`, `lax.complex(...)`",
        )
    if fact.kind == "readonly":
        yield rule.finding(
            fact,
            f"`{fact.subject}` cannot be written into: `{fact.detail}` gives a read-only view of a "
            "JAX array",
            help="make a copy: `np.array(x)`",
        )
    if fact.kind != "item":
        return
    name = fact.subject or "array"
    if fact.detail == "delete":
        message = "an element of a JAX array cannot be deleted: arrays never change"
        advice = f"`jnp.delete({name}, index)` returns a copy without the element"
    else:
        method = "add" if fact.detail == "augment" else "set"
        message = "an element of a JAX array cannot be assigned: arrays never change"
        advice = f"write `{name} = {name}.at[index].{method}(value)`"
    yield rule.finding(fact, message, help=advice)


@rule.fix(facts.ArrayMismatch)
def fix(fact: facts.ArrayMismatch, code: Code) -> Fix | None:
    target = fact.node
    is_item = isinstance(target, ir.Subscript) and fact.kind == "item"
    if not isinstance(target, ir.Subscript) or not is_item or fact.detail == "delete":
        return None
    if fact.masked:
        return replaced(fact, code, target)
    update = fixes.at_updates.updated(fact, code, target, target.value)
    if update is None:
        return None
    array, method, edits = update
    return code.fix(
        f"Replace with `{array.text} = {array.text}.at[...].{method}(...)`",
        code.after(target.value, ".at"),
        *edits,
        unsafe=not (array.is_own and code.is_exclusive(fact)),
    )


def replaced(fact: facts.ArrayMismatch, code: Code, target: ir.Subscript) -> Fix | None:
    """`x[x < 0] = 0` in traced code: a selection, since the mask is as large as the array."""
    statement, test, array = code.statement(target), target.index, target.value
    if not (isinstance(statement, ir.Assign) and statement.targets == (target,)):
        return None
    value = statement.value
    if not (isinstance(test, ir.Compare) and len(test.ops) == 1 and is_number(value)):
        return None
    sides = (test.left, test.comparators[0])
    is_own = code.text(sides[0]) == code.text(array) and is_number(sides[1])
    made = fixes.at_updates.rebound(fact, code, array, statement)
    reached = code.reach("jax.numpy.where", target)
    if made is None or reached is None or not is_own:
        return None
    selected = f"{reached[0]}({code.text(test)}, {code.text(value)}, {made.text})"
    # An array of integers would become one of other numbers.
    is_kept = made.is_own and isinstance(value, ir.Const) and isinstance(value.value, int)
    return code.fix(
        f"Replace with `{made.text} = {reached[0]}(...)`",
        code.replace(statement, f"{made.text} = {selected}"),
        *reached[1],
        unsafe=not (is_kept and code.is_exclusive(fact)),
    )


def is_number(node: ir.Expr) -> bool:
    if isinstance(node, ir.UnaryOp) and node.op == "-":
        return is_number(node.operand)
    return isinstance(node, ir.Const) and isinstance(node.value, (int, float))
