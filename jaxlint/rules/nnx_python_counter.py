"""
A Python number of a `flax.nnx` object changes under `nnx.jit`, so each call compiles again.

Attributes that are no `Variable` are part of the structure of an nnx object, and `nnx.jit` compiles
for each structure. A counter that the compiled function increases is brought back to the object
after the call: the next call finds another structure, and traces and compiles once more.

Source: flax documentation, "NNX Basics" (static attributes), and `tests/frameworks/test_flax.py`.

## Example

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((2, 2)))
        self.calls = 0

    def __call__(self, x):
        self.calls += 1  # error
        return x @ self.weight

model = Model()
forward = nnx.jit(lambda model, x: model(x))
forward(model, jnp.ones((1, 2)))
```

## Use instead

```py fixed
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((2, 2)))
        self.calls = nnx.Variable(jnp.zeros((), int))

    def __call__(self, x):
        self.calls[...] += 1
        return x @ self.weight

model = Model()
forward = nnx.jit(lambda model, x: model(x))
forward(model, jnp.ones((1, 2)))
```

`--fix --unsafe-fixes` holds a number that the initialiser sets as a variable, and reads and writes
it by `[...]` throughout the file. It is unsafe since other files may take it for a number.

## A schedule in the object

```py
from flax import nnx

class Annealed(nnx.Module):
    def __init__(self):
        self.temperature = 1.0

@nnx.jit
def soften(model, logits):
    model.temperature = model.temperature * 0.9  # error
    return logits / model.temperature

model = Annealed()
soften(model, jnp.ones(3))
```

## Fine as it is

Eager code counts as it likes.

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((2, 2)))
        self.epoch = 0

@nnx.jit
def forward(model, x):
    return x @ model.weight

model = Model()
model.epoch += 1
forward(model, jnp.ones((1, 2)))
forward(model, jnp.ones((1, 2)))
```

What is set to the same value each time settles.

```py
from flax import nnx

class Model(nnx.Module):
    def __init__(self):
        self.scale = 2
        self.seen = None

    def __call__(self, x):
        self.seen = x.shape[0]
        return self.scale * x

model = Model()
forward = nnx.jit(lambda model, x: model(x))
forward(model, jnp.ones(4))
forward(model, jnp.ones(4))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Finding,
    Fix,
    Recompiles,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX953",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "nnx-counter":
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}` is a Python number that changes on every call, and each value compiles "
        f"again: {fact.where()}",
        help="hold it as an array: `nnx.Variable(jnp.zeros((), int))`, changed by `[...] += 1`",
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    node = fact.node
    if fact.kind != "nnx-counter" or not isinstance(node, ir.Attribute):
        return None
    variable, array = code.reach("flax.nnx.Variable", node), code.reach("jax.numpy.array", node)
    places = fixes.scopes.attributes(code, node.attr)
    starts = [one for one in places if _start(one, code) is not None]
    start = _start(starts[0], code) if len(starts) == 1 else None
    if variable is None or array is None or start is None:
        return None
    others = [one for one in places if one is not starts[0]]
    if not all(_is_plain(one, code) for one in others):
        return None
    made = f"{variable[0]}({array[0]}({code.text(start)}))"
    edits = [code.after(one, "[...]") for one in others]
    return code.fix(
        f"Hold it as `{made}`", code.replace(start, made), *edits, *variable[1], *array[1]
    )


def _start(place: ir.Attribute, code: Code) -> ir.Const | None:
    """The number that an initialiser sets an attribute to."""
    statement, function = code.parent(place), code.function(place)
    if not isinstance(statement, ir.Assign) or function is None or function.name != "__init__":
        return None
    is_number = isinstance(statement.value, ir.Const) and isinstance(
        statement.value.value, (int, float)
    )
    if statement.targets != (place,) or not is_number:
        return None
    return statement.value if isinstance(statement.value, ir.Const) else None


def _is_plain(place: ir.Attribute, code: Code) -> bool:
    """Whether an attribute is read or set as a whole, as a number is, and not by an initialiser."""
    parent, function = code.parent(place), code.function(place)
    is_set = isinstance(parent, ir.Assign) and any(place is one for one in parent.targets)
    if is_set and function is not None and function.name == "__init__":
        return False
    if isinstance(parent, (ir.Attribute, ir.Subscript, ir.AnnAssign, ir.Delete)):
        return False
    return not (isinstance(parent, ir.Call) and parent.func is place)
