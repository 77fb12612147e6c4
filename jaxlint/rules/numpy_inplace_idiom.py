"""
Changes a JAX array as NumPy code does, which raises an error or changes nothing.

Some methods and functions of NumPy work in place. For a JAX array `x.sort()` returns a sorted copy
and leaves `x` alone: written as a statement it does nothing. `x.fill(0)` and its kin do not exist,
`np.copyto` and `np.put` need a NumPy array, no function of `jax.numpy` takes `out=`, and
`jnp.put`, `jnp.place`, `jnp.put_along_axis` and `jnp.fill_diagonal` only work with
`inplace=False`. Source: JAX documentation, `jax.numpy.put` and `jax.numpy.fill_diagonal`.

## Example

```py
def median(sample):
    sample = jnp.asarray(sample)
    sample.sort()  # error
    return sample[sample.size // 2]

median([3.0, 1.0, 2.0])
```

## Use instead

```py fixed
def median(sample):
    sample = jnp.asarray(sample)
    sample = sample.sort()
    return sample[sample.size // 2]

median([3.0, 1.0, 2.0])
```

## In traced code

```py
@jax.jit
def regularise(matrix):
    jnp.fill_diagonal(matrix, 1.0)  # error
    return matrix

regularise(jnp.zeros((2, 2)))
```

```py fixed
@jax.jit
def regularise(matrix):
    matrix = jnp.fill_diagonal(matrix, 1.0, inplace=False)
    return matrix

regularise(jnp.zeros((2, 2)))
```

## A buffer to write to

```py
total = jnp.zeros(3)
jnp.sum(jnp.ones((2, 3)), axis=0, out=total)  # error
```

## Fine as it is

Lists and NumPy arrays are sorted in place.

```py
order = ["b", "a"]
order.sort()
weights = np.array([3.0, 1.0])
weights.sort()
np.copyto(weights, jnp.ones(2))
```

The result of a method is used.

```py
@jax.jit
def top_two(x):
    return x.sort()[-2:]

top_two(jnp.array([3.0, 1.0, 2.0]))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Fruitless, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX153",
    severity=Severity.ERROR,
    since="0.1", over=("JAX111", "JAX314"),
    fix=Fix.UNSAFE,
    witness=Fruitless(
        "AttributeError", "NotImplementedError", "TracerArrayConversionError", "TypeError",
        "ValueError",
    ),
)  # fmt: skip


@rule.on(facts.Unlike)
def check(fact: facts.Unlike) -> Iterator[Finding]:
    if fact.kind == "copied":
        message = f"`{fact.subject}.{fact.detail}()` returns a copy and leaves the array as it is"
        advice = f"write `{fact.subject} = {fact.subject}.{fact.detail}()`"
    elif fact.kind == "method":
        message = f"JAX arrays have no `{fact.subject}`: they never change"
        advice = "make a new array, with `jnp.full_like` or `x.at[...].set(...)` for example"
    elif fact.kind == "function":
        message = f"`{fact.subject}` changes its argument, and a JAX array never changes"
        advice = "make a new array with `x.at[...].set(...)` or a function of `jax.numpy`"
    elif fact.kind == "inplace":
        message = f"`{fact.subject}` cannot change its argument, and raises an error unless told so"
        advice = f"write `x = {fact.subject}(x, ..., inplace=False)`"
    elif fact.kind == "out":
        message = f"`{fact.subject}` cannot write to `out`: arrays of JAX never change"
        advice = "use what the function returns"
    else:
        return
    yield rule.finding(fact, message, help=advice)
