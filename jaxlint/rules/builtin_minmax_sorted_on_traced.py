"""
Compares traced values with the builtins `min`, `max` or `sorted`.

The builtins compare two elements at a time and turn each comparison into a `bool`. Between traced
values it has none: `jax.errors.TracerBoolConversionError`, or the plain `ValueError` for arrays of
more than one element. `list.sort` and `functools.reduce(max, ...)` do the same. `sum`, `abs`,
`round` and `pow` only compute, and work. Source: `jax.errors` in the JAX documentation.

## Example

```py
@jax.jit
def cosine(a, b):
    length = jnp.sqrt(jnp.sum(a**2) * jnp.sum(b**2))
    return jnp.dot(a, b) / max(length, 1e-6)  # error

cosine(jnp.array([1.0, 2.0]), jnp.array([2.0, 1.0]))
```

## Use instead

```py fixed
@jax.jit
def cosine(a, b):
    length = jnp.sqrt(jnp.sum(a**2) * jnp.sum(b**2))
    return jnp.dot(a, b) / jnp.maximum(length, 1e-6)

cosine(jnp.array([1.0, 2.0]), jnp.array([2.0, 1.0]))
```

## The elements of one array, or of a list

```py
@jax.jit
def trimmed_mean(samples):
    ordered = sorted(samples)  # error
    return sum(ordered[1:-1]) / (len(ordered) - 2)

trimmed_mean(jnp.array([9.0, 1.0, 2.0, 3.0]))
```

```py fixed
@jax.jit
def trimmed_mean(samples):
    ordered = jnp.sort(samples)
    return jnp.mean(ordered[1:-1])

trimmed_mean(jnp.array([9.0, 1.0, 2.0, 3.0]))
```

## Fine as it is

Shapes and lengths are Python numbers.

```py
@jax.jit
def patch(image, size=8):
    size = min(size, *image.shape)
    return image[:size, :size] * max(image.ndim, len(image))

patch(jnp.ones((4, 6)))
```

Items of a dictionary are sorted by their keys: different strings never let the values be compared.

```py
@jax.jit
def flatten(params):
    return jnp.concatenate([value.ravel() for _, value in sorted(params.items())])

flatten({"w": jnp.ones((2, 2)), "b": jnp.zeros(2)})
```

A key function that returns static values compares only those.

```py
@jax.jit
def deepest(tree):
    return max(jax.tree.leaves(tree), key=lambda leaf: leaf.ndim).sum()

deepest([jnp.ones(3), jnp.ones((2, 2))])
```

## Fix

The fix writes `jnp.maximum` and `jnp.minimum` for several operands, `jnp.max`, `jnp.min` and
`jnp.sort` for an array. It is safe in code that only JAX runs, and unsafe in a function that the
host calls too, which gets an array then. A `sorted` whose list is used as one has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX308",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TracerBoolConversionError", "ValueError"),
)

ELEMENTWISE = {"min": "jnp.minimum", "max": "jnp.maximum"}


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "order":
        return
    name = fact.dotted.rpartition(".")[2]
    if name in ELEMENTWISE:
        advice = (
            f"use `{ELEMENTWISE[name]}(a, b)` of two operands, "
            f"`jnp.{name}(x)` of the elements of one array"
        )
    elif name in ("sort", "sorted"):
        advice = "use `jnp.sort` of an array; stack separate values with `jnp.array([...])`"
    else:
        advice = "use `jnp.minimum` or `jnp.maximum` of two operands, `jnp.sort` to sort"
    asks = fact.callee or name
    message = f"`{asks}` compares elements and needs a concrete bool, but {fact.why()}"
    yield rule.finding(fact, message, help=advice)


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    call = fixes.argument_lists.call_of(code, fact.node)
    name = fact.dotted.removeprefix("builtins.")
    if call is None or code.meaning(call.func) != fact.dotted or not call.args:
        return None
    if is_for_host(code, call):
        return None
    if name == "sorted":
        return ordered(fact, code, call)
    if name not in ELEMENTWISE or any(one.keyword or one.star for one in call.args):
        return None
    if len(call.args) == 1:
        return reduced(fact, code, call, name)
    return chosen(fact, code, call, name, [one.value for one in call.args])


def chosen(
    fact: facts.Concretized, code: Code, call: ir.Call, name: str, operands: list[ir.Expr]
) -> Fix | None:
    """`max(a, b)`."""
    reached = code.reach(f"jax.numpy.{name}imum", call)
    if reached is None:
        return None
    title, unsafe = f"Replace with `{reached[0]}`", not code.is_exclusive(fact)
    if len(call.args) == 2:
        edit = code.replace(call.func, reached[0])
        return code.fix(title, edit, *reached[1], unsafe=unsafe)
    text = code.text(operands[0])
    for one in operands[1:]:
        text = f"{reached[0]}({text}, {code.text(one)})"
    return code.fix(title, code.replace(call, text), *reached[1], unsafe=unsafe)


def reduced(fact: facts.Concretized, code: Code, call: ir.Call, name: str) -> Fix | None:
    """`max(x)`, where `x` is an array or a list of numbers."""
    given = call.args[0].value
    if isinstance(given, ir.Sequence) and given.kind != "set" and len(given.items) > 1:
        if any(isinstance(one, ir.Starred) for one in given.items):
            return None
        return chosen(fact, code, call, name, list(given.items))
    reached = code.reach(f"jax.numpy.{name}", call)
    if fact.container != "array" or reached is None:
        return None
    edit, unsafe = code.replace(call.func, reached[0]), not code.is_exclusive(fact)
    return code.fix(f"Replace with `{reached[0]}`", edit, *reached[1], unsafe=unsafe)


def ordered(fact: facts.Concretized, code: Code, call: ir.Call) -> Fix | None:
    """`sorted(x)`, where an array is as good as a list: for JAX, or for one of its elements."""
    around = code.parent(call)
    is_picked = isinstance(around, ir.Subscript) and around.value is call
    if isinstance(around, ir.Subscript) and isinstance(around.index, ir.Slice):
        return None
    if not is_picked and not (isinstance(around, ir.Call) and is_of_jax(code, around)):
        return None
    reached = code.reach("jax.numpy.sort", call)
    if len(call.args) != 1 or fact.container != "array" or reached is None:
        return None
    edit, unsafe = code.replace(call.func, reached[0]), not code.is_exclusive(fact)
    return code.fix(f"Replace with `{reached[0]}`", edit, *reached[1], unsafe=unsafe)


def is_of_jax(code: Code, call: ir.Call) -> bool:
    return code.meaning(call.func).startswith("jax.numpy.")


def is_for_host(code: Code, call: ir.Call) -> bool:
    """Whether the result is used where only a number of Python is taken: then the operands were
    meant to be numbers too."""
    statement = code.statement(call)
    targets = statement.targets if isinstance(statement, ir.Assign) else ()
    names = {one.id for one in targets if isinstance(one, ir.Name)}
    return any(
        needs_number(code, one) for one in (call, *fixes.argument_lists.reads(code, call, names))
    )


def needs_number(code: Code, node: ir.Expr) -> bool:
    around, called = code.parent(node), fixes.argument_lists.call_of(code, node)
    meaning = "" if called is None else code.meaning(called.func)
    is_host = meaning.startswith(("builtins.", "math.")) and meaning not in TAKING
    return is_host or isinstance(around, ir.Slice)


# Builtins that take arrays.
TAKING = frozenset(f"builtins.{name}" for name in ("abs", "max", "min", "print", "sum", "tuple"))
