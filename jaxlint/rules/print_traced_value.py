"""
`print` in traced code shows a tracer, and only while JAX traces.

Under `jax.jit`, `lax.scan` and their kin a function runs as Python once for each new signature,
with tracers in the place of arrays: objects that have a shape and a dtype but no numbers. `print`
belongs to that Python run. It shows the tracer, and the compiled calls that follow print nothing.
`jax.debug.print` becomes part of the compiled program and runs with the numbers of every call.

Source: JAX documentation, "Just-in-time compilation" and "Compiled prints and breakpoints";
jax-ml/jax#196, jax-ml/jax#4615.

## Example

```py
@jax.jit
def descend(weights, rate):
    loss = jnp.sum(weights**2)
    print("loss", loss)  # error
    return weights - rate * 2 * weights

weights = jnp.array([2.0, -1.0])
for _ in range(3):
    weights = descend(weights, 0.25)
weights
```

## Use instead

```py fixed
@jax.jit
def descend(weights, rate):
    loss = jnp.sum(weights**2)
    jax.debug.print("loss {}", loss)
    return weights - rate * 2 * weights

weights = jnp.array([2.0, -1.0])
for _ in range(3):
    weights = descend(weights, 0.25)
weights
```

## The body of a loop is traced too

`lax.scan` traces its body even outside `jax.jit`: one line for four iterations.

```py
def fall(speed, dt):
    print(f"speed {speed}")  # error
    return speed + 8.0 * dt, speed

lax.scan(fall, 0.0, jnp.full(4, 0.5))[0]
```

## Fine as it is

The function given to a host callback is not traced: it receives arrays, at every call.

```py
@jax.jit
def descend(weights):
    loss = jnp.sum(weights**2)
    jax.debug.callback(lambda value: print("loss", float(value)), loss)
    return weights / 2

weights = descend(jnp.array([2.0, -1.0]))
jax.effects_barrier()
weights
```

Shapes and dtypes are static, so a print of them tells which signatures get compiled.

```py
@jax.jit
def normalise(batch):
    print("compiling for", batch.shape, batch.dtype)  # at trace time
    return batch / batch.shape[0]

normalise(jnp.ones((4, 2)))
```

A helper that is only called with the results of a compiled function sees real arrays.

```py
def report(step, loss):
    print(f"step {step}: loss {float(loss)}")

halve = jax.jit(lambda loss: loss / 2)
loss = jnp.float32(8.0)
for step in range(3):
    loss = halve(loss)
    report(step, loss)
loss
```

## Fix

The fix writes `jax.debug.print` with a field for each value; shapes stay in the text, as part of an
f-string. It is unsafe: something is printed at every call then, and in the order in which the
results are ready. `print` with `end` or `file` has none.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Effects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX101",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Effects(),
)


@rule.on(facts.Effect)
def check(fact: facts.Effect) -> Iterator[Finding]:
    if fact.kind != "print" or fact.traced is None:
        return
    operand = " ".join(fact.module.text_of(fact.traced).split())
    yield rule.finding(
        fact,
        f"`{fact.callee}` runs only while `{fact.function}` is traced, and shows a tracer instead "
        f"of `{operand}`; {fact.where()}",
        help="use `jax.debug.print`, with a `{}` for each value: it prints at every call",
    )


@rule.fix(facts.Effect)
def fix(fact: facts.Effect, code: Code) -> Fix | None:
    call = fact.node
    if not isinstance(call, ir.Call) or fact.dotted != "builtins.print":
        return None
    separator = separator_of(call)
    if separator is None:
        return None
    operands = [one.value for one in call.args if not one.keyword]
    parts = []
    for operand in operands:
        found = fixes.format_strings.pieces(code, operand)
        if found is None:
            return None
        parts += [separator, *found]
    quote = next(
        (
            fixes.format_strings.quote_of(code, one)
            for one in operands
            if fixes.format_strings.is_text(code, one)
        ),
        '"',
    )
    given = [one.value for one in parts if not isinstance(one, str)]
    later = [one for one in given if one in fact.operands or not is_shape(one)]
    if not set(map(id, fact.operands)) <= set(map(id, later)):
        return None
    template = fixes.format_strings.FormatWriter(code, later).written(parts[1:], quote)
    reached = code.reach("jax.debug.print", call)
    if template is None or reached is None:
        return None
    edit = code.replace(call, template.call(reached[0], fixes.argument_lists.left_of(code, call)))
    return code.fix(f"Replace with `{reached[0]}`", edit, *reached[1])


def is_shape(node: ir.Expr) -> bool:
    """Whether a value is known while JAX traces, and its text has no braces to be taken for those
    of a field."""
    return isinstance(node, ir.Attribute) and node.attr in ("dtype", "ndim", "shape", "size")


def separator_of(call: ir.Call) -> str | None:
    """What `print` puts between its operands, None where it does more than that."""
    separator = " "
    for one in call.args:
        if one.keyword == "sep" and isinstance(one.value, ir.Const):
            separator = " " if one.value.value is None else str(one.value.value)
        elif one.star or (one.keyword is not None and one.keyword != "flush"):
            return None
    return separator
