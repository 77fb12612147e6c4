"""
Assigns to an element or an attribute of a JAX array, which never changes.

A `jax.Array` is immutable, inside of `jit` and outside. `x[i] = v`, `x[i] += v` and `del x[i]`
raise an error, and so does setting `x.shape`. `x.at[i].set(v)` and its kin return an updated copy;
in compiled code the copy is left out where the old array is not used any more. Source: JAX
documentation, "The Sharp Bits", section "In-place updates".

## Example

```py
def one_hot(label, classes):
    code = jnp.zeros(classes)
    code[label] = 1.0  # error
    return code

one_hot(2, 4)
```

## Use instead

```py fixed
def one_hot(label, classes):
    code = jnp.zeros(classes)
    code = code.at[label].set(1.0)
    return code

one_hot(2, 4)
```

## An update in traced code

```py
@jax.jit
def smooth(signal):
    result = signal * 0.5
    result[1:] += signal[:-1] * 0.5  # error
    return result

smooth(jnp.arange(4.0))
```

```py fixed
@jax.jit
def smooth(signal):
    result = signal * 0.5
    result = result.at[1:].add(signal[:-1] * 0.5)
    return result

smooth(jnp.arange(4.0))
```

## Fine as it is

NumPy arrays, lists and dicts change in place; traced code may fill those that it makes.

```py
@jax.jit
def layers(x, weights):
    outputs = [None] * 2
    outputs[0] = x @ weights["first"]
    outputs[1] = outputs[0] @ weights["second"]
    weights["first"] = outputs[1]
    return weights

mask = np.zeros((2, 2))
mask[0, 0] = 1.0
layers(jnp.asarray(mask), {"first": jnp.eye(2), "second": jnp.eye(2)})
```

A copy made by NumPy may be changed.

```py
counts = np.array(jnp.zeros(3, dtype=int))
counts[1] += 1
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Fix, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX151",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.SAFE,
    witness=Raises("TypeError", "AttributeError"),
)


@rule.on(facts.Unlike)
def check(fact: facts.Unlike) -> Iterator[Finding]:
    if fact.kind == "attribute":
        yield rule.finding(
            fact,
            f"`{fact.detail}` of a JAX array cannot be set: arrays never change",
            help="make a new array: `jnp.reshape`, `x.astype(...)`, `lax.complex(...)`",
        )
    if fact.kind != "item":
        return
    name = fact.subject or "array"
    if fact.detail == "delete":
        message = "an element of a JAX array cannot be deleted: arrays never change"
        advice = f"`jnp.delete({name}, index)` returns a copy without the element"
    else:
        method = "add" if fact.detail == "augment" else "set"
        message = "an element of a JAX array cannot be assigned: arrays never change"
        advice = f"write `{name} = {name}.at[index].{method}(value)`"
    yield rule.finding(fact, message, help=advice)
