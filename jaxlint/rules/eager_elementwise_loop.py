"""Handles an array element by element in a Python loop outside compiled code.

Each operation of JAX outside compiled code is dispatched to the device by itself, which takes
microseconds however small the array, and `x.at[i].set(v)` makes a copy of all of `x`. Reading an
element waits for it as well. A loop over the elements pays that price for every one of them. See
"Slow tracing and compilation" and "Asynchronous dispatch" in the JAX documentation.

## Example

```py
import sys

def ramp(n):
    out = jnp.zeros(100)
    for i in range(100):
        out = out.at[i].set(i / n)  # error
    return out

def calls(thunk):
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    thunk()
    sys.setprofile(None)
    return len(seen)

ramp(4.0)
calls(lambda: ramp(4.0)) < 10 * calls(lambda: np.arange(100) / 4.0)
```

## Use instead

Operate on the whole array, or fill one of NumPy and convert it once.

```py fixed
def ramp(n):
    return jnp.arange(100) / n

ramp(4.0).shape == (100,)
```

## Reading elements one by one

```py
import sys

samples = jnp.linspace(0.0, 1.0, 100)

def total():
    found = 0.0
    for value in samples:  # error
        found += float(value)
    return found

def calls(thunk):
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    thunk()
    sys.setprofile(None)
    return len(seen)

total()
calls(total) < 10 * calls(lambda: sum(np.asarray(samples).tolist()))
```

```py fixed
samples = jnp.linspace(0.0, 1.0, 100)

def total():
    return sum(np.asarray(samples).tolist())

total() > 0.0
```

## Fine as it is

NumPy is made for it.

```py
buffer = np.zeros(100)
for i in range(100):
    buffer[i] = i
float(jnp.asarray(buffer)[-1]) == 99.0
```

A loop that calls a compiled function for each batch dispatches one program per iteration.

```py
@jax.jit
def step(total, batch):
    return total + batch.sum()

batches = jnp.ones((40, 8))
total = jnp.float32(0)
for i in range(40):
    total = step(total, batches[i])
float(total) == 320.0
```

A few elements cost little.

```py
position = jnp.zeros(3)
for axis in range(3):
    position = position.at[axis].set(axis)
float(position.sum()) == 3.0
```

## Notes

A loop is reported that runs 32 times or more, or as often as an axis of an array is long. Where
that length is not visible, that elements are read is mere information.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX703",
    severity=Severity.PERF,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ElementwiseLoop)
def check(fact: facts.ElementwiseLoop) -> Iterator[Finding]:
    often = "for each element" if fact.count is None else f"{fact.count} times"
    array = f"`{fact.subject}`" if fact.subject else "the array"
    if fact.how == "update":
        yield rule.finding(
            fact,
            f"this loop copies all of {array} and dispatches an operation {often}, outside "
            "compiled code",
            help="operate on the whole array, fill a NumPy array and convert it once, or compile "
            "the loop with `jax.lax.fori_loop`",
        )
    else:
        what = f"takes {array} apart" if fact.subject else "computes numbers with JAX"
        yield rule.finding(
            fact,
            f"this loop {what} one element at a time: an operation is dispatched {often}, outside "
            "compiled code",
            help="operate on the whole array, or convert it once with `np.asarray`",
            severity=None if fact.count is not None else Severity.INFO,
        )
