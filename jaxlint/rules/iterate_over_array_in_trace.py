"""Iterates over a traced array, which slices it once per element.

Python can iterate over a traced array, because its shape is known. But each element is a slicing
operation of its own in the traced program, and so is everything that is done with it: the program
grows with the data. See "Slow tracing and compilation" in the JAX documentation.

## Example

```py
@jax.jit
def total_norm(rows):
    total = 0.0
    for row in rows:  # error
        total = total + jnp.linalg.norm(row)
    return total

total_norm(jnp.ones((80, 3)))
```

## Use instead

Most such loops are one operation along an axis. `jax.vmap` makes one of a function of an element,
and `jax.lax.scan` of a step that depends on the previous one.

```py fixed
@jax.jit
def total_norm(rows):
    return jnp.sum(jax.vmap(jnp.linalg.norm)(rows))

total_norm(jnp.ones((80, 3)))
```

## In comprehensions and builtin functions

`sum`, `zip`, `enumerate`, `list` and kin iterate as a loop does.

```py
@jax.jit
def weighted(values, weights):
    return jnp.stack([v * w for v, w in zip(values, weights)])  # error

weighted(jnp.ones(70), jnp.ones(70))
```

```py fixed
@jax.jit
def weighted(values, weights):
    return values * weights

weighted(jnp.ones(70), jnp.ones(70))
```

## Fine as it is

Unpacking a few elements.

```py
@jax.jit
def cross(u, v):
    a, b, c = u
    d, e, f = v
    return jnp.stack([b * f - c * e, c * d - a * f, a * e - b * d])

cross(jnp.ones(3), jnp.ones(3))
```

Containers of arrays have a fixed structure, and iterating over them slices nothing.

```py
@jax.jit
def size_of(params):
    return sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(params))

size_of({"w": jnp.ones((2, 2)), "b": jnp.ones(2)})
```

Nor does an array matter that is made with a few elements.

```py
@jax.jit
def shifted(x):
    return [jnp.roll(x, 1) * factor for factor in jnp.array([-1.0, 0.5, 2.0])]

shifted(jnp.ones(4))
```

## Notes

A finding is minor, and reported only where the rule is selected, if the array has fewer than 64
elements, or a length that is not visible. An array is reported whose first axis has 32 elements or
more, or a length that is not visible: for what is computed of parameters, that is mere information,
as many such arrays are short. A loop is reported if its body has operations of JAX. `for w, b in x`
is taken to run over the layers of a model, unless it is seen to run over an array. In twenty public
projects a dozen places were found, half of them arrays of coordinates or agents that are always
short, which are mere information.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Rule, Severity, Unrolls, facts

rule = Rule(
    __name__,
    code="JAX702",
    severity=Severity.PERF,
    since="0.1",
    witness=Unrolls(),
)


@rule.on(facts.ArrayIterated)
def check(fact: facts.ArrayIterated) -> Iterator[Finding]:
    length = "" if fact.count is None else f" ({fact.count} of them)"
    is_parameter = fact.trail is not None and fact.trail.parent is None
    yield rule.finding(
        fact,
        f"this iterates over an array in traced code: each element{length} is a slice of its own "
        f"in the program, which grows with the data; {fact.why()}",
        help="use an operation along the axis, `jax.vmap`, or `jax.lax.scan`",
        severity=None if fact.count is not None or is_parameter else Severity.INFO,
    )
