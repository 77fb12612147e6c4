"""
A host callback captures a traced value, or is called where it should be passed.

`jax.debug.callback`, `jax.pure_callback` and `jax.experimental.io_callback` call a Python function
when the compiled code runs, with the arguments that come behind it. A variable that the function
takes from the code around is another matter: it holds the tracer, and after the trace that is all
it ever will. And who passes `log.append(x)` has called the function while JAX traces.

Source: JAX documentation, "External callbacks"; jax-ml/jax#28284 and #26296.

## Example

```py
losses = []

@jax.jit
def step(loss):
    jax.debug.callback(lambda: losses.append(loss))  # error
    return loss * 0.5

step(jnp.float32(3.0))
jax.effects_barrier()
len(losses)
```

## Use instead

```py fixed
losses = []

@jax.jit
def step(loss):
    jax.debug.callback(lambda value: losses.append(float(value)), loss)
    return loss * 0.5

step(jnp.float32(3.0))
jax.effects_barrier()
len(losses)
```

## Captured by a local function

```py
history = {}

@jax.jit
def train(weights):
    norm = jnp.sqrt(jnp.sum(weights**2))

    def record():
        history["norm"] = norm

    jax.debug.callback(record)  # error
    return weights / norm

train(jnp.arange(3.0))
jax.effects_barrier()
```

## Fine as it is

What is known while JAX traces may be captured: shapes, names, flags.

```py
seen = []

@jax.jit
def step(images, name="train"):
    count = images.shape[0]
    jax.debug.callback(lambda mean: seen.append((count, images.dtype, float(mean))), images.mean())
    return images * 2

step(jnp.ones((4, 2)))
jax.effects_barrier()
len(seen)
```

A partial application of constants.

```py
lines = []

def note(prefix, value):
    lines.append(f"{prefix}: {value:.1f}")

@jax.jit
def step(loss):
    jax.debug.callback(partial(note, "loss"), loss)
    return loss

step(jnp.float32(3.0))
jax.effects_barrier()
lines
```

## Fix

The fix gives the function a parameter of the same name and passes the variable behind it, or
passes the function and its arguments where it was called. It is unsafe: the function gets an
array of the host then, at every call of the compiled code.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Edit,
    Finding,
    Fix,
    Leaks,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX115",
    severity=Severity.ERROR,
    since="0.1",
    over=("JAX203",),
    witness=Leaks(),
    applicability=Applicability.UNSAFE,
)


@rule.on(facts.HostCallback)
def check(fact: facts.HostCallback) -> Iterator[Finding]:
    if fact.kind == "captures":
        name = fact.name if " " in fact.name else f"`{fact.name}`"
        yield rule.finding(
            fact,
            f"the function that `{fact.callee}` gets captures {name}, a tracer: on the host it has "
            f"no value; {fact.where()}",
            help=f"pass it behind the function, and take it as a parameter: `{fact.callee}(f, x)`",
        )
    elif fact.kind == "called":
        yield rule.finding(
            fact,
            f"`{fact.name}` is called while tracing, and `{fact.callee}` gets its result, which is "
            "no function",
            help=f"pass the function and its arguments: `{fact.callee}(f, x)`",
        )


# Operands that are not for the function, by what takes it.
OTHERS = {
    "jax.debug.callback": 1,
    "jax.pure_callback": 2,
    "jax.experimental.pure_callback": 2,
    "jax.experimental.io_callback": 2,
}


@rule.fix(facts.HostCallback)
def fix(fact: facts.HostCallback, code: Code) -> Fix | None:
    call, place = fact.node, fact.place
    if not (isinstance(call, ir.Call) and isinstance(place, ir.Expr)):
        return None
    taker = code.meaning(call.func)
    if taker not in OTHERS or not call.args or call.args[0].value is not place:
        return None
    if fact.kind == "captures":
        edits = fixes.callback_operands.handed(code, call, place, fact.name, OTHERS[taker])
        return code.fix(f"Pass `{fact.name}` to the function", *edits)
    if fact.kind == "called" and isinstance(place, ir.Call) and OTHERS[taker] == 1:
        return passed(code, call, place)
    return None


def passed(code: Code, call: ir.Call, inner: ir.Call) -> Fix | None:
    """`callback(f(x))`: the function and its argument, one by one."""
    start = fixes.argument_lists.opening(code, inner)
    is_plain = not any(one.star or one.keyword for one in inner.args)
    if len(call.args) != 1 or not is_plain:
        return None
    between = ", " if inner.args else ""
    edits = (Edit(start, between), Edit(fixes.argument_lists.closing(code, inner), ""))
    return code.fix("Pass the function and its arguments", *edits)
