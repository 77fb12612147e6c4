"""Updates the elements of an array that a traced boolean mask selects.

`x.at[mask].set(value)` first turns the mask into the list of selected indices. The length of
that list is the number of true values, which tracing cannot know, so it stops with
`jax.errors.NonConcreteBooleanIndexError`. That the result would have the shape of `x`, or that
`value` is a scalar, does not help. The page "Errors" of the JAX documentation shows the same
mistake in a hand-written clip.

## Example

```py
@jax.jit
def rectify(scores):
    return scores.at[scores < 0].set(0.0)  # error

rectify(jnp.array([1.0, -2.0, 3.0]))
```

## Use instead

`jnp.where` chooses per element and needs no list. For `add` or `multiply`, choose between the
changed and the old array: `jnp.where(mask, x + value, x)`.

```py fixed
@jax.jit
def rectify(scores):
    return jnp.where(scores < 0, 0.0, scores)

rectify(jnp.array([1.0, -2.0, 3.0]))
```

`--fix --unsafe-fixes` writes `jnp.where` where the mask compares the array itself, so that both
have the same shape. It is unsafe since `where` may give a wider dtype than the array has.

## One mask among several indices

```py
@jax.jit
def reward(table, labels):
    hit = labels == 1
    return table.at[hit, 0].add(1.0)  # error

reward(jnp.zeros((3, 2)), jnp.array([1, 0, 1]))
```

## Fine as it is

Traced integers are good indices: their number is in their shape.

```py
@jax.jit
def suppress_best(scores):
    return scores.at[jnp.argmax(scores)].set(-jnp.inf)

suppress_best(jnp.array([1.0, 5.0, 3.0]))
```

A comparison that was converted to integers is an index too, not a mask. This one counts.

```py
@jax.jit
def count_signs(scores):
    return jnp.zeros(2, int).at[(scores > 0).astype(int)].add(1)

count_signs(jnp.array([1.0, -5.0, 3.0]))
```

A NumPy mask has its values at trace time.

```py
@jax.jit
def clear_border(image):
    inside = np.zeros(image.shape, bool)
    inside[1:-1, 1:-1] = True
    return image.at[~inside].set(0.0)

clear_border(jnp.ones((3, 4)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX402",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("NonConcreteBooleanIndexError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "mask-update":
        yield rule.finding(
            fact,
            f"how many elements the mask `{fact.text}` updates is unknown during tracing; "
            f"{fact.why()}",
            help=f"write `jnp.where({fact.text}, new, old)`: it keeps the shape",
        )


OPERATORS = {"add": "+", "divide": "/", "mul": "*", "multiply": "*", "subtract": "-"}


@rule.fix(facts.ShapeNeeded)
def fix(fact: facts.ShapeNeeded, code: Code) -> Fix | None:
    mask, item = fact.node, code.parent(fact.node)
    if fact.need != "mask-update" or not isinstance(mask, ir.Expr):
        return None
    at = item.value if isinstance(item, ir.Subscript) and item.index is mask else None
    call = None if item is None else fixes.calls.method_call(code, item)
    if not (isinstance(at, ir.Attribute) and at.attr == "at") or call is None:
        return None
    array, method = at.value, call.func
    is_plain = len(call.args) == 1 and not call.args[0].star and not call.args[0].keyword
    if not is_plain or not isinstance(array, ir.Name) or not isinstance(method, ir.Attribute):
        return None
    reached = code.reach("jax.numpy.where", call)
    if reached is None or not _is_of(code, mask, array.id):
        return None
    value = call.args[0].value
    if method.attr == "set":
        new = code.text(value) if "\n" not in code.text(value) else code.operand(value)
    elif method.attr in OPERATORS:
        new = f"{array.id} {OPERATORS[method.attr]} {code.operand(value)}"
    else:
        return None
    text = f"{reached[0]}({code.text(mask)}, {new}, {array.id})"
    return code.fix(
        f"Choose for each element: `{reached[0]}(...)`",
        code.replace(call, text),
        *reached[1],
        unsafe=True,
    )


def _is_of(code: Code, mask: ir.Expr, array: str) -> bool:
    """Whether a mask says something of each element of an array: it compares the array itself."""
    if isinstance(mask, ir.Name):
        value = fixes.forms.definition(code, mask)
        return value is not None and not isinstance(value, ir.Name) and _is_of(code, value, array)
    if isinstance(mask, ir.UnaryOp):
        return _is_of(code, mask.operand, array)
    if isinstance(mask, ir.BinOp):
        return _is_of(code, mask.left, array) or _is_of(code, mask.right, array)
    sides: tuple[ir.Expr, ...] = ()
    if isinstance(mask, ir.Compare):
        sides = (mask.left, *mask.comparators)
    elif isinstance(mask, ir.Call) and code.meaning(mask.func).startswith("jax.numpy.is"):
        sides = tuple(a.value for a in mask.args)
    return any(isinstance(one, ir.Name) and one.id == array for one in sides)
