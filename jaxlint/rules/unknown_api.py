"""
A name or an attribute of an array is used that no release of JAX has, so that reading it raises.

`jax.numpy` has most of NumPy's functions and not all: what changes arrays in place or keeps a state
is missing, as are iterators over elements and errors that depend on values. `jax.numpy.random` does
not exist, since random functions take a key: they are in `jax.random`. Source: the API reference of
JAX, `jax.numpy`, and "Pseudorandom numbers".

What counts are the names of all releases that the tables record; names that JAX once had are told
by `removed-api`. Where a project is for a JAX that is newer than these (`target-jax`), nothing is
said.

## Example

```py
@jax.jit
def perturb(x):
    return x + jnp.random.normal(size=x.shape)  # error

perturb(jnp.ones(3))
```

## Use instead

```py fixed
@jax.jit
def perturb(key, x):
    return x + jax.random.normal(key, x.shape)

perturb(jax.random.key(0), jnp.ones(3))
```

## A function of NumPy that `jax.numpy` leaves out

```py
def set_at(x, mask, values):
    jnp.place(x, mask, values, inplace=False)
    return jnp.putmask(x, mask, values)  # error

set_at(jnp.ones(3), jnp.array([True, False, True]), jnp.zeros(3))
```

## An import

```py
from jax.numpy import unsqueeze  # error
```

## An attribute that arrays of other libraries have

What arrays of JAX compute by methods are the functions of NumPy's arrays. What `torch` and
`tensorflow` add has another name here, and there is no gradient and no device to leave. Only what
a function of JAX gives is taken for an array for certain.

```py
@jax.jit
def rows(x):
    hidden = jnp.tanh(x @ x.T)
    return hidden.unsqueeze(0)  # error

rows(jnp.ones((3, 2)))
```

```py
def report(losses):
    return jnp.stack(losses).mean().numpy()  # error

report([jnp.ones(()), jnp.zeros(())])
```

## Fine as it is

```py
if hasattr(jnp, "unsqueeze"):
    expand = jnp.unsqueeze
else:
    expand = jnp.expand_dims

expand(jnp.ones(3), 0).shape
```

An object that takes an array for an operand may be anything.

```py
class Tensor:
    def __init__(self, data):
        self.data = data

    def __rmatmul__(self, other):
        return Tensor(other @ self.data)

    def unsqueeze(self, axis):
        return Tensor(jnp.expand_dims(self.data, axis))

(jnp.ones((2, 3)) @ Tensor(jnp.ones(3))).unsqueeze(0).data.shape
```

NumPy's own names are NumPy's.

```py
values = np.ones(3)
np.putmask(values, values > 0, 0.0)
values.sum()
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX918",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("AttributeError", "ImportError"),
)


_ARRAYS = "see `jax.Array` in the API reference of JAX for what arrays have"


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "unknown-attribute":
        name, _, instead = fact.detail.partition(" ")
        yield rule.finding(fact, f"JAX arrays have no `{name}`", help=instead or _ARRAYS)
    if fact.kind != "unknown-name":
        return
    help = "look for another function in the API reference of JAX"
    if (fact.subject, fact.detail) == ("jax.numpy", "random"):
        help = "draw with a function of `jax.random`, which takes a key"
    yield rule.finding(fact, f"`{fact.subject}` has no `{fact.detail}`", help=help)
