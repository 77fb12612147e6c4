"""
Catches the error of tracing, so compiled code always takes the handler.

Asking a traced value for a number, a bool or a shape raises while JAX traces. A `try` around such
code that catches `TypeError`, `ValueError` or everything runs its handler then, and the handler
alone is compiled: without `jit` the same call takes the other path. Source: `jax.errors` in the
JAX documentation.

## Example

```py
@jax.jit
def rescale(signal, gain):
    try:
        factor = float(gain)  # error
    except TypeError:
        factor = 1.0
    return signal * factor

rescale(jnp.arange(3.0), 4.0)
```

## Use instead

Arithmetic needs no Python number.

```py fixed
@jax.jit
def rescale(signal, gain):
    return signal * gain

rescale(jnp.arange(3.0), 4.0)
```

## A helper that gives up

```py
def is_small(step):
    return bool(abs(step) < 1.0)  # error

@jax.jit
def advance(position, step):
    try:
        small = is_small(step)
    except Exception:
        small = False
    return position + step if small else position

advance(1.0, 0.5)
```

## A helper that answers for what it cannot read

A function that traced code calls, whose handler returns, may be meant for both: arrays are read,
and for tracers there is a safe answer. So may a handler that binds `None`, where the rest of the
code asks for it. Both are warnings.

```py
def block_size(weights):
    try:
        return 8 if float(weights.max()) > 1.0 else 4  # error
    except Exception:
        return 4

@jax.jit
def apply(weights):
    return weights.reshape(-1, block_size(weights)).sum(0)

apply(2.0 * jnp.ones(16))
```

## An error that never comes

Division by zero gives infinity or NaN in JAX, and no exception.

```py
@jax.jit
def ratio(hits, total):
    try:
        return hits / total  # error
    except ZeroDivisionError:
        return 0.0

ratio(1, 0)
```

## Fine as it is

A missing key is found while tracing, the same at every call.

```py
@jax.jit
def affine(params, x):
    try:
        shift = params["b"]
    except KeyError:
        shift = 0.0
    return params["w"] * x + shift

affine({"w": 2.0}, 3.0)
```

A handler that names the error of JAX expects it, and one that raises hides nothing.

```py
def as_number(value):
    try:
        return float(value)
    except jax.errors.ConcretizationTypeError:
        return None

@jax.jit
def double(value):
    number = as_number(value)
    return 2 * value if number is None else jnp.float32(2 * number)

double(1.5)
```
"""

from collections.abc import Iterator

from jaxlint.api import Differs, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX321", severity=Severity.ERROR, since="0.1", witness=Differs())


@rule.on(facts.Swallowed)
def check(fact: facts.Swallowed) -> Iterator[Finding]:
    handler = f"`except {fact.handler}`" if fact.handler else "`except`"
    if fact.kind == "never":
        yield rule.finding(
            fact,
            f"{handler} never runs in traced code: JAX divides by zero without an error, and "
            f"{fact.why()}",
            help="choose with `jnp.where`, and divide by something that is not zero",
        )
        return
    yield rule.finding(
        fact,
        f"{handler} hides that this cannot be evaluated while tracing, so compiled code always "
        f"takes the handler: {fact.why()}",
        help="leave the value traced, or catch the class of `jax.errors` that is expected",
        severity=Severity.WARNING if fact.idle or fact.answered or fact.supposed else None,
    )
