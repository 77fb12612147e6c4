"""
A Pallas kernel treats a reference as if it were an array, or leaves its output unwritten.

The parameters of a kernel are references to memory: `ref[...]` reads an array, `ref[...] = value`
writes one. The reference itself has a shape and a dtype, and no arithmetic. Results leave a kernel
by being written to its output references: giving the name of one to an array writes nothing, and
returning an array is refused.

Source: JAX documentation, "Pallas Quickstart".

## Example

```py
from jax.experimental import pallas as pl

def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref * 2  # error

@jax.jit
def double(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(double_kernel, out_shape=shape, interpret=True)(x)

double(jnp.arange(4.0))
```

## Use instead

```py fixed
from jax.experimental import pallas as pl

def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2

@jax.jit
def double(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(double_kernel, out_shape=shape, interpret=True)(x)

double(jnp.arange(4.0))
```

`--fix --unsafe-fixes` adds the `[...]`, and writes what a kernel returns to its one output that it
does not mention. It is unsafe since it may have been meant for a part of it.

## An output that is never written

The name `o_ref` now means an array; the output holds whatever was in memory.

```py
from jax.experimental import pallas as pl

def add_kernel(x_ref, y_ref, o_ref):
    o_ref = x_ref[...] + y_ref[...]  # error

def add(x, y):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(add_kernel, out_shape=shape, interpret=True)(x, y)

add(jnp.ones(4), jnp.ones(4))
```

```py fixed
from jax.experimental import pallas as pl

def add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]

def add(x, y):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(add_kernel, out_shape=shape, interpret=True)(x, y)

add(jnp.ones(4), jnp.ones(4))
```

## A returned array

```py
from jax.experimental import pallas as pl

def exp_kernel(x_ref, o_ref):
    return jnp.exp(x_ref[...])  # error

x = jnp.arange(4.0)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(exp_kernel, out_shape=shape, interpret=True)(x)
```

## An array that was read never changes

```py
from jax.experimental import pallas as pl

def first_kernel(x_ref, o_ref):
    row = x_ref[...]
    row[0] = 0.0  # error
    o_ref[...] = row

x = jnp.arange(4.0)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(first_kernel, out_shape=shape, interpret=True)(x)
```

## Fine as it is

References are written, updated and asked for their shape.

```py
from jax.experimental import pallas as pl

def running_sum_kernel(x_ref, o_ref, *, scale):
    o_ref[...] = jnp.zeros_like(o_ref)
    for i in range(x_ref.shape[0]):
        o_ref[i] += x_ref[i] * scale

    @pl.when(x_ref[0] > 0)
    def _():
        o_ref[0] = 0.0

x = jnp.arange(4.0)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(partial(running_sum_kernel, scale=2.0), out_shape=shape, interpret=True)(x)
```

The name of an input may be given to what was read from it.

```py
from jax.experimental import pallas as pl

def square_kernel(x, out):
    x = x[...]
    out[...] = x * x

x = jnp.arange(4.0)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
pl.pallas_call(square_kernel, out_shape=shape, interpret=True)(x)
```
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
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX961",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Fruitless("AttributeError", "TypeError", "ValueError"),
)

_MESSAGES = {
    "ref-unread": "`{0}` is a reference, not an array: operators and functions of arrays refuse it",
    "ref-stored": "`{0}` is a reference: what it refers to has to be read before it is stored",
    "ref-rebound": "`{0}` now names an array: the output that it referred to is not written",
    "kernel-returns": "a kernel returns nothing, but this one returns `{0}`",
    "ref-item": "`{0}` was read from a reference: it is an array, which cannot be changed",
}
_HELP = {
    "ref-unread": "read it: `{0}[...]`",
    "ref-stored": "read it: `{0}[...]`",
    "ref-rebound": "write to the output: `{0}[...] = ...`",
    "kernel-returns": "write the result to an output reference: `o_ref[...] = ...`",
    "ref-item": "write to the reference, or use `{0}.at[...].set(...)`",
}


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind not in _MESSAGES:
        return
    subject = fact.subject
    yield rule.finding(
        fact,
        f"{_MESSAGES[fact.kind].format(subject)}; {fact.where()}",
        help=_HELP[fact.kind].format(subject),
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    node = fact.node
    if fact.kind == "ref-stored":
        statement = code.statement(node)
        is_target = isinstance(statement, ir.Assign) and node in statement.targets
        node = statement.value if isinstance(statement, ir.Assign) and is_target else node
    if fact.kind in ("ref-unread", "ref-stored") and isinstance(node, PLAIN):
        return code.fix(f"Read it: `{code.text(node)}[...]`", code.after(node, "[...]"))
    if fact.kind == "ref-rebound" and isinstance(node, ir.Name):
        statement = code.statement(node)
        if isinstance(statement, (ir.Assign, ir.AugAssign)):
            return code.fix(f"Write to `{node.id}[...]`", code.after(node, "[...]"))
    if fact.kind == "kernel-returns" and isinstance(node, ir.Return):
        return _written(node, code)
    return None


PLAIN = (ir.Name, ir.Attribute, ir.Subscript)


def _written(node: ir.Return, code: Code) -> Fix | None:
    """The value that a kernel returns last, written to its last parameter, if that is the only one
    of which nothing is said in it."""
    kernel, value = code.function(node), node.value
    if kernel is None or value is None or kernel.body[-1] is not node:
        return None
    if any(param.kind not in ("plain", "positional") for param in kernel.params):
        return None
    unused = [one.name for one in kernel.params if not fixes.scopes.mentions(one.name, kernel.body)]
    if unused != [kernel.params[-1].name] or isinstance(value, ir.Sequence):
        return None
    place = f"{unused[0]}[...]"
    gap = "" if code.text(node).startswith("return ") else " "
    return code.fix(f"Write to `{place}`", code.begun(node, "return", f"{place} ={gap}"))
