"""
Takes a Python number out of a value that `grad` differentiates, and loses its derivative.

Without `jit`, `jax.grad` and its kin work on tracers that carry their values. `.item()` hands such
a value out as a Python number, and `jnp.unique` and the other set operations without `size` go on
with the values alone. No error is raised: what is computed from them counts as constant, and the
gradient is zero or lacks a part. Source: jax-ml/jax#2783, where `float(x)` was made an error
because it would act like a silent `stop_gradient`.

## Example

```py
def loss(weight):
    scale = weight.item()  # error
    return scale * weight

float(jax.grad(loss)(3.0)) == 6.0
```

## Use instead

An array of one element computes like a number.

```py fixed
def loss(weight):
    scale = weight
    return scale * weight

float(jax.grad(loss)(3.0)) == 6.0
```

`--fix --unsafe-fixes` takes `.item()` away, or gives `jnp.unique` the size of its operand. It is
unsafe since the gradient changes, which may have been meant, and since what is left over of that
size is filled.

## A set operation

```py
def spread(x):
    levels = jnp.unique(x)  # error
    return levels[-1] - levels[0]

float(jnp.abs(jax.grad(spread)(jnp.array([1.0, 4.0, 2.0]))).sum()) == 2.0
```

With `size` the elements are selected by operations that have a derivative.

```py fixed
def spread(x):
    levels = jnp.unique(x, size=x.shape[0])
    return levels[-1] - levels[0]

float(jnp.abs(jax.grad(spread)(jnp.array([1.0, 4.0, 2.0]))).sum()) == 2.0
```

## Fine as it is

A branch on the value has the derivative of the arm that is taken.

```py
def huber(error):
    return 0.5 * error**2 if error.item() < 1.0 else error - 0.5

float(jax.grad(huber)(0.5)) == 0.5
```

What is not differentiated is a plain array, and what is only shown does not count.

```py
def loss(weights, batch):
    value = (weights**2).sum() / batch["count"].item()
    logging.debug("loss %f", value.item())
    return value

float(jax.grad(loss)(jnp.ones(2), {"count": jnp.array(4)})[0]) == 0.5
```

Where a constant is meant, `lax.stop_gradient` says so.

```py
def scaled(x):
    return lax.stop_gradient(x).item() * x

float(jax.grad(scaled)(jnp.float32(3.0))) == 3.0
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX312",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "derivative":
        return
    item = fact.subject == ".item()"
    advice = "leave it an array" if item else "pass `size` so that the elements keep a derivative"
    name = "`.item()`" if item else fact.subject
    yield rule.finding(
        fact,
        f"{name} loses the derivative of what it is given, so the gradient of "
        f"`{fact.function}` lacks a part: {fact.why()}",
        help=f"{advice}, or say `lax.stop_gradient` where a constant is meant",
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    if fact.kind != "derivative":
        return None
    return _left(fact, code) if fact.subject == ".item()" else _sized(fact, code)


def _left(fact: facts.ContractViolation, code: Code) -> Fix | None:
    call = fixes.calls.method_call(code, fact.node)
    if call is None or call.args or not fixes.uses.suits_array(code, call):
        return None
    edit = fixes.calls.without_method(code, call)
    return None if edit is None else code.fix("Leave it an array", edit, unsafe=True)


def _sized(fact: facts.ContractViolation, code: Code) -> Fix | None:
    call = fact.node
    if not isinstance(call, ir.Call) or code.meaning(call.func) != "jax.numpy.unique":
        return None
    value = call.args[0].value if len(call.args) == 1 else None
    if not isinstance(value, ir.Name) or call.args[0].star or call.args[0].keyword:
        return None
    size = f"size={value.id}.size"
    return code.fix(f"Pass `{size}`", code.after(value, f", {size}"), unsafe=True)
