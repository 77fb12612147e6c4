"""
Takes a traced array out of JAX with `.item()` or `.tolist()`.

These methods return Python objects, so they need the values of the array. While JAX traces, there
are none: `jax.errors.ConcretizationTypeError`. Code ported from PyTorch often has `loss.item()`
inside the training step; JAX has it after the step. Source: `jax.errors.ConcretizationTypeError`
in the JAX documentation.

## Example

```py
@jax.jit
def train_step(w, x, y):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    return w - 0.1 * grad, {"loss": loss.item()}  # error

train_step(jnp.zeros(2), jnp.eye(2), jnp.ones(2))
```

## Use instead

```py fixed
@jax.jit
def train_step(w, x, y):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    return w - 0.1 * grad, {"loss": loss}

w, metrics = train_step(jnp.zeros(2), jnp.eye(2), jnp.ones(2))
w, {"loss": metrics["loss"].item()}
```

`--fix --unsafe-fixes` takes `.item()` away, unless the number is seen to be needed as one. It is
unsafe since an array of one element and one axis keeps that axis.

## A list to loop over

Python can iterate over the array itself, and `jnp` can do without the loop.

```py
def weigh(carry, row):
    return carry + sum(row.tolist()), None  # error

lax.scan(weigh, 0.0, jnp.ones((3, 2)))
```

## Fine as it is

A concrete array from outside has its values while tracing.

```py
WIDTH = jnp.array(2)

@jax.jit
def fold(x):
    return x.reshape(-1, WIDTH.item())

fold(jnp.arange(6.0))
```

An argument that `vmap` does not map keeps its values; only the mapped ones are traced.

```py
def scaled(row, factor):
    return row * factor.item()

jax.vmap(scaled, in_axes=(0, None))(jnp.ones((2, 3)), jnp.float32(2.0))
```

`.items()` of a dictionary is not `.item()`, and the leaves of one are not asked for anything.

```py
@jax.jit
def penalty(params):
    return sum(jnp.sum(p**2) for name, p in params.items() if name != "bias")

penalty({"w": jnp.ones(2), "bias": jnp.ones(1)})
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX311",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("ConcretizationTypeError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink != "method":
        return
    method = fact.dotted.rpartition(".")[2]
    outside = f"`.{method}()` outside, on what the traced function returns"
    yield rule.finding(
        fact,
        f"`.{method}()` needs the values of an array, but {fact.why()}",
        help=f"compute with `{fact.text}` as it is, and call {outside}",
    )


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    if fact.sink != "method" or fact.dotted != "item":
        return None
    call = fixes.calls.method_call(code, fact.node)
    if call is None or call.args or not fixes.uses.suits_array(code, call):
        return None
    edit = fixes.calls.without_method(code, call)
    return None if edit is None else code.fix("Leave it an array", edit, unsafe=True)
