"""
Indexes a Python sequence or a NumPy array with a traced value.

A list, tuple, string or range asks its index for a Python integer, which a traced value is not:
`jax.errors.TracerIntegerConversionError` (floats and arrays: `TypeError`). A NumPy array converts
the index to NumPy: `jax.errors.TracerArrayConversionError`. A JAX array takes traced indices, and
`lax.switch` chooses among functions. Source: both errors in `jax.errors` of the JAX documentation.

## Example

```py
RATES = [0.1, 0.01, 0.001]

@jax.jit
def descend(w, grad, phase):
    return w - RATES[phase] * grad  # error

descend(1.0, 2.0, 1)
```

## Use instead

```py fixed
RATES = [0.1, 0.01, 0.001]

@jax.jit
def descend(w, grad, phase):
    return w - jnp.asarray(RATES)[phase] * grad

descend(1.0, 2.0, 1)
```

`--fix` writes `jnp.asarray(table)[index]` for arrays of NumPy and for lists and tuples of numbers:
safe where the code runs in no other way than traced. A list of anything else is left alone, since
`lax.switch` needs functions.

## A NumPy table

The loop variable of `lax.fori_loop` is traced wherever the loop is called from.

```py
ENERGIES = np.array([0.5, 1.5, 2.5])

def add_level(level, total):
    return total + ENERGIES[level]  # error

lax.fori_loop(0, 3, add_level, 0.0)
```

```py fixed
ENERGIES = jnp.array([0.5, 1.5, 2.5])

def add_level(level, total):
    return total + ENERGIES[level]

lax.fori_loop(0, 3, add_level, 0.0)
```

## Fine as it is

A Python loop over a list of traced arrays has static indices.

```py
@jax.jit
def mlp(layers, x):
    for i in range(len(layers)):
        x = jnp.tanh(x @ layers[i]) if i + 1 < len(layers) else x @ layers[-1]
    return x

mlp([jnp.ones((2, 3)), jnp.ones((3, 1))], jnp.ones(2))
```

An argument that `vmap` does not map is the Python integer it was.

```py
GRAVITY = (9.81, 1.62, 3.71)

def weight(mass, planet):
    return mass * GRAVITY[planet]

jax.vmap(weight, in_axes=(0, None))(jnp.ones(2), 1)
```

Branches that differ in code are chosen by `lax.switch`.

```py
ACTIVATIONS = [jnp.tanh, jax.nn.relu, jnp.sin]

@jax.jit
def activate(kind, x):
    return lax.switch(kind, ACTIVATIONS, x)

activate(1, -2.0)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX317",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TracerIntegerConversionError", "TracerArrayConversionError", "TypeError"),
)

KINDS = {"ndarray": "a NumPy array", "str": "a string"}


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "subscript":
        return
    kind = KINDS.get(fact.container, f"a {fact.container or 'sequence'}")
    asks = f"`{fact.callee}`" if fact.callee else f"indexing {kind}"
    message = f"{asks} needs a concrete integer, but {fact.why()}"
    if fact.container == "ndarray":
        advice = f"index a JAX array: `jnp.asarray(array)[{fact.text}]`"
    elif fact.container in ("list", "tuple"):
        advice = (
            f"index a JAX array: `jnp.asarray({fact.container}_of_numbers)[{fact.text}]`, or "
            f"choose among functions with `lax.switch({fact.text}, ...)`"
        )
    else:
        advice = "compute the value with `jnp`, or index outside the traced function"
    root = fact.trail.root() if fact.trail else None
    if root and root.name == fact.text and root.entry.application.is_plain_jit:
        advice += f"; or mark `{root.name}` static with `static_argnames`"
    yield rule.finding(fact, message, help=advice)


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    is_table = fact.container == "ndarray" or fact.numbers
    if fact.sink != "subscript" or fact.callee or not is_table or fact.dtype in ("bool", "float"):
        return None
    index = code.parent(fact.node)
    whole = index if isinstance(index, ir.Sequence) else fact.node
    item = code.parent(whole)
    if not (
        isinstance(item, ir.Subscript)
        and item.index is whole
        and fixes.uses.suits_array(code, item)
    ):
        return None
    # Other calls may bring another list.
    if fixes.forms.is_parameter(code, item.value):
        return None
    edits = fixes.calls.wrapped(code, item.value, "jax.numpy.asarray")
    if edits is None:
        return None
    title = f"Index `{edits[0].replacement}{code.text(item.value)})`"
    return code.fix(title, *edits, unsafe=not code.is_exclusive(fact))
