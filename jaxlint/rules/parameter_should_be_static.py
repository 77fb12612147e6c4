"""
A parameter of a compiled function is used as a Python value, but is not marked static.

A flag that chooses a branch, a count for `range` or a part of a shape must be known while JAX
traces. Unless the parameter is static, it is traced like all others, and tracing stops where
Python asks for its value; strings and functions are refused at the call.

Source: JAX documentation, "Just-in-time compilation", section "Marking arguments as static", and
`jax.errors.TracerBoolConversionError` ("inadvertently trace over a boolean flag").

## Example

```py
@jax.jit
def dropout_free(x, train: bool):  # error
    if train:
        return x * 0.5
    return x

dropout_free(jnp.ones(3), True)
```

## Use instead

```py fixed
@partial(jax.jit, static_argnames="train")
def dropout_free(x, train: bool):
    if train:
        return x * 0.5
    return x

dropout_free(jnp.ones(3), True)
```

`--fix --unsafe-fixes` adds the parameter to the static ones, where the options of `jit` are written
in the file. It is unsafe since each value compiles a program of its own.

## A count

```py
@jax.jit
def rounds(x, num_steps):  # error
    for _ in range(num_steps):
        x = jnp.sin(x)
    return x

rounds(jnp.ones(3), 4)
```

## A mode

```py
@jax.jit
def pool(x, reduction="mean"):  # error
    if reduction == "mean":
        return x.mean()
    return x.max()

pool(jnp.arange(3.0), "max")  # error: [non-array-argument]
```

## Fine as it is

A flag that is only computed with may be traced.

```py
@jax.jit
def masked(x, keep: bool):
    return jnp.where(keep, x, 0.0)

masked(jnp.ones(3), True)
```

A default that nobody replaces stays a Python value.

```py
@jax.jit
def pool(x, reduction="mean"):
    if reduction == "mean":
        return x.mean()
    return x.max()

pool(jnp.arange(3.0))
```

None and the structure of a container are known while tracing.

```py
@jax.jit
def dense(params, x, bias=None):
    y = params["w"] * x
    return y if bias is None else y + bias

dense({"w": 2.0}, jnp.ones(3), bias=jnp.zeros(3))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX606",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    over=("JAX301", "JAX304", "JAX309", "JAX408", "JAX409", "JAX411", "JAX320"),
    witness=Raises(
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "ConcretizationTypeError",
        "TypeError",
        anywhere=True,
    ),
)


@rule.on(facts.ShouldBeStatic)
def check(fact: facts.ShouldBeStatic) -> Iterator[Finding]:
    where = f" at {fact.line_of(fact.use)}" if fact.use is not None else ""
    name = fact.parameter
    if fact.kind == "test":
        what = f"`{name}` is traced, but looks like a flag that is tested{where}"
    elif fact.kind == "value":
        what = f"`{name}` is traced, but used as a Python value{where}"
    else:
        what = f"`{name}` is traced, but the call{where} passes what is no array"
    yield rule.finding(
        fact,
        f"{what}; {fact.where()}",
        help=f'mark it static: `static_argnames="{name}"`',
    )


@rule.fix(facts.ShouldBeStatic)
def fix(fact: facts.ShouldBeStatic, code: Code) -> Fix | None:
    one = None if fact.entry is None else fixes.transform_sites.application(code, fact.entry.node)
    params = () if one is None or one.function is None else one.function.params
    # The fact is about the parameter: it is where it is.
    param = next((param for param in params if param.origin == fact.node.origin), None)
    edits = None if one is None or param is None else fixes.transform_sites.made_static(one, param)
    return None if edits is None else code.fix(f"Make `{fact.parameter}` static", *edits)
