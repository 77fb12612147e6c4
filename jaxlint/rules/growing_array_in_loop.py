"""Appends to an array in a loop, which compiles and copies for each new size.

An array of JAX has a fixed size, so `jnp.append` and `jnp.concatenate` make a new one. In a loop
that copies everything that was there in each iteration, and as every size is a shape of its own,
JAX compiles the operation again each time. See "JAX - The Sharp Bits" in the JAX documentation
about shapes and compilation.

## Example

```py
trace, shapes = jnp.zeros((0,)), set()
for i in range(20):
    trace = jnp.append(trace, 0.5 * i)  # error
    shapes.add(trace.shape)
len(shapes) == 1
```

## Use instead

Gather the parts in a Python list and put them together once, or reserve the array and set its
elements.

```py fixed
trace, shapes = [], set()
for i in range(20):
    trace.append(jnp.float32(0.5 * i))
shapes.add(jnp.stack(trace).shape)
len(shapes) == 1
```

## Rows

```py
def table(shapes):
    rows = jnp.zeros((0, 3))
    for i in range(12):
        row = jnp.full((1, 3), i)
        rows = jnp.concatenate([rows, row])  # error
        shapes.add(rows.shape)
    return rows

sizes = set()
table(sizes)
len(sizes) == 1
```

```py fixed
def table(shapes):
    rows = jnp.concatenate([jnp.full((1, 3), i) for i in range(12)])
    shapes.add(rows.shape)
    return rows

sizes = set()
table(sizes)
len(sizes) == 1
```

## Fine as it is

A list that is stacked at the end.

```py
rows = []
for i in range(6):
    rows.append(jnp.ones(2) * i)
jnp.stack(rows).shape == (6, 2)
```

Each iteration puts together something of its own.

```py
def padded(signals):
    out = []
    for signal in signals:
        signal = jnp.concatenate([jnp.zeros(1), signal])
        out.append(signal)
    return out

len(padded([jnp.ones(2), jnp.ones(2), jnp.ones(2), jnp.ones(2)])) == 4
```

NumPy copies as well, but compiles nothing.

```py
seen = np.zeros(0)
for i in range(5):
    seen = np.append(seen, i)
seen.size == 5
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if nothing tells that the loop is
a long one and it calls no compiled function.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX709",
    severity=Severity.PERF,
    since="0.1",
    over=("JAX508",),
    witness=Expects(),
)


@rule.on(facts.LoopCost)
def check(fact: facts.LoopCost) -> Iterator[Finding]:
    if fact.kind == "grow":
        yield rule.finding(
            fact,
            f"`{fact.subject}` grows in each iteration: JAX copies all of it every time, and "
            "compiles the operation again for every size",
            help="gather the parts in a list and put them together after the loop, or reserve the "
            "array and fill it with `.at[i].set(...)`",
        )
