"""Formats a traced value as a number.

A tracer has no number to show. `f"{x:.3f}"`, `format(x, ".3f")` and `"{:.3f}".format(x)` call
`__format__`, which tracers do not define: a plain `TypeError` ("unsupported format string").
`"%f" % x` asks for a `float` and raises `jax.errors.ConcretizationTypeError`; `"%d" % x` raises a
`TypeError` too. A bare `f"{x}"` runs, and shows the tracer. Source: `jax.errors` and
`jax.debug.print` in the JAX documentation.

## Example

```py
@jax.jit
def step(loss):
    label = f"loss {loss:.3f}"  # error
    return loss * 2

step(1.0)
```

## Use instead

`jax.debug.print` formats on the device's side, when the value is there.

```py fixed jax>=0.5
@jax.jit
def step(loss):
    jax.debug.print("loss {loss:.3f}", loss=loss)
    return loss * 2

step(1.0)
```

## Other ways to format

```py
@jax.jit
def title(rate):
    return rate, "rate %f" % rate  # error

title(0.1)
```

```py
@jax.jit
def scaled(rate):
    names = {"{:.1e}".format(rate): rate}  # error
    return list(names.values())

scaled(0.1)
```

## Fine as it is

Shapes and dtypes are static.

```py
@jax.jit
def named(batch):
    return {f"{batch.shape[0]:03d}_{batch.dtype}": batch}

named(jnp.ones(3))
```

The message of an error about static facts may show a tracer.

```py
@jax.jit
def rows(table):
    if table.ndim != 2:
        raise ValueError(f"bad rank {table.ndim:d} of {table}")
    return table.sum(axis=1)

rows(jnp.ones((2, 3)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX319",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ConcretizationTypeError"),
)


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink == "format":
        yield rule.finding(
            fact,
            f"formatting with `{fact.dotted}` needs the number, but {fact.why()}",
            help='use `jax.debug.print("{x:.3f}", x=x)`, or format outside the traced code',
        )
