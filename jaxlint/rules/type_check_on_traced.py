"""
Asks a traced parameter whether it is a Python number or a NumPy array: it never is.

`jax.jit` makes tracers of its arguments, whether the caller passes a float, an integer or a NumPy
array. So `isinstance(x, float)`, `type(x) is int`, `isinstance(x, np.ndarray)`, `np.isscalar(x)`
and `x is True` are false in the traced function, and true for the same arguments without `jit`: the
function computes something else when it is compiled. Source: jax-ml/jax#1080.

## Example

```py
@jax.jit
def scale(x, factor):
    if isinstance(factor, float):  # error
        return x * factor
    return x

scale(jnp.ones(2), 3.0)
```

## Use instead

Numbers compute like arrays; ask for the dtype or the shape if that matters.

```py fixed
@jax.jit
def scale(x, factor):
    if jnp.issubdtype(factor.dtype, jnp.floating):
        return x * factor
    return x

scale(jnp.ones(2), jnp.float32(3.0))
```

## A flag

```py
@jax.jit
def normalise(x, centre):
    offset = x.mean() if centre is True else 0.0  # error
    return x - offset

normalise(jnp.arange(3.0), True)
```

## Fine as it is

Traced values are arrays, and containers stay what they are.

```py
@jax.jit
def first(x, shift=None):
    if isinstance(x, (tuple, list)):
        x = x[0]
    assert isinstance(x, jax.Array)
    return x if shift is None else x + shift

first((jnp.ones(2), 2.0)), first(jnp.ones(2), 2.0)
```

Static arguments are what the caller passes, and a helper may be called with either.

```py
def axis_of(where):
    return where if isinstance(where, int) else 0

@partial(jax.jit, static_argnames="where")
def total(x, where=None):
    return x.sum(axis=axis_of(where))

total(jnp.ones((2, 3)), where=1)
```

To make an array of what is none yet does no harm.

```py
@jax.jit
def as_column(x):
    if isinstance(x, (float, np.ndarray)):
        x = jnp.asarray(x)
    return x.reshape(-1, 1)

as_column(np.ones(3))
```
"""

from collections.abc import Iterator

from jaxlint.api import Differs, Finding, Rule, Severity, facts

rule = Rule(__name__, code="JAX322", severity=Severity.WARNING, since="0.1", witness=Differs())


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind != "question":
        return
    if fact.subject == "is":
        message, advice = f"no traced value is `{fact.detail}`", "compare with `==`, or mark static"
    elif fact.subject == "same":
        message = "traced parameters are never the same object, even if the caller passes one twice"
        advice = "compare what they hold, or decide where the function is called"
    elif fact.subject == "isscalar":
        message = f"`{fact.detail}` is false for every traced value"
        advice = "ask for `x.ndim == 0`"
    else:
        message = f"no traced value is of type `{fact.detail}`"
        advice = "ask for `jax.Array`, `x.dtype` or `x.ndim`, or mark the parameter static"
    name = fact.trail.root().name if fact.trail else ""
    yield rule.finding(fact, f"{message}, and `{name}` is one: {fact.where()}", help=advice)
