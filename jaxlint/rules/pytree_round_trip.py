"""
The functions that flatten and unflatten the objects of a pytree class do not fit each other.

JAX flattens objects with `tree_flatten` and rebuilds them with `tree_unflatten`, whenever they go
through a transform or through `jax.tree.map`. What is rebuilt has to be what was flattened:
children in another order are exchanged silently, and a constructor that is given too few of them
raises. `tree_flatten` returns a pair of the children and the auxiliary data; `tree_unflatten` is a
class method that takes the auxiliary data first.

Source: JAX documentation, "Pytrees", section "Custom pytree nodes";
`jax.tree_util.register_pytree_node`.

## Example

```py
@jax.tree_util.register_pytree_node_class
class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def tree_flatten(self):
        return (self.high, self.low), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)  # error

jax.tree.map(jnp.sin, Interval(0.0, 1.0)).low == 0.0
```

## Use instead

```py fixed
@jax.tree_util.register_pytree_node_class
class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def tree_flatten(self):
        return (self.low, self.high), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

jax.tree.map(jnp.sin, Interval(0.0, 1.0)).low == 0.0
```

## What a constructor needs as well

```py
@jax.tree_util.register_pytree_node_class
class Grid:
    def __init__(self, values, spacing):
        self.values, self.spacing = values, spacing

    def tree_flatten(self):
        return (self.values,), self.spacing

    @classmethod
    def tree_unflatten(cls, spacing, children):
        return cls(*children)  # error

def survives(tree):
    try:
        return jax.tree.map(jnp.sin, tree).spacing == tree.spacing
    except TypeError:
        return False

survives(Grid(jnp.ones(3), 0.5))
```

## Auxiliary data and children exchanged

```py
@jax.tree_util.register_pytree_node_class
class Grid:
    def __init__(self, values, spacing):
        self.values, self.spacing = values, spacing

    def tree_flatten(self):
        return (self.values,), self.spacing

    @classmethod
    def tree_unflatten(cls, children, spacing):
        return cls(children, spacing)  # error

jax.tree.map(jnp.sin, Grid(jnp.ones(3), 0.5)).spacing == 0.5
```

## What is not flattened

```py
@jax.tree_util.register_pytree_node_class
class Ring:
    def __init__(self, size):
        self.rows, self.count = jnp.zeros(size), 0

    def tree_flatten(self):
        return (self.rows,), None  # error

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = cls(0)
        (made.rows,) = children
        return made

    def push(self, row):
        self.rows = self.rows.at[self.count].set(row)
        self.count += 1

ring = Ring(3)
ring.push(1.0)
jax.jit(lambda ring: ring)(ring).count == 1
```

## Fine as it is

The parts are put where they belong, in whatever order they come.

```py
@jax.tree_util.register_pytree_node_class
class Interval:
    def __init__(self, low, high, name="x"):
        self.low, self.high, self.name = jnp.asarray(low), jnp.asarray(high), name

    def tree_flatten(self):
        return (self.high, self.low), {"name": self.name}

    @classmethod
    def tree_unflatten(cls, aux, children):
        high, low = children
        return cls(low, high, **aux)

jax.tree.map(lambda x: 2.0 * x, Interval(0.0, 1.0, "time")).high == 2.0
```

An object that is made without its constructor, by functions beside the class.

```py
class Interval:
    def __init__(self, low, width):
        self.low, self.high = low, low + width

def flatten(interval):
    return (interval.low, interval.high), None

def unflatten(aux, children):
    made = object.__new__(Interval)
    made.low, made.high = children
    return made

jax.tree_util.register_pytree_node(Interval, flatten, unflatten)
jax.tree.map(lambda x: 2.0 * x, Interval(1.0, 2.0)).high == 6.0
```
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX628",
    severity=Severity.ERROR,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    one, _, rest = fact.detail.partition("|")
    two, _, three = rest.partition("|")
    if fact.kind == "pytree-order":
        yield rule.finding(
            fact,
            f"transforms rebuild objects of `{fact.subject}`: `{one}` then holds what was "
            f"flattened from `{two}`",
            help="unflatten the parts in the order in which they are flattened; the auxiliary data "
            "comes first",
        )
    elif fact.kind == "pytree-count":
        what = f"`{three}` is missing" if three else f"it takes {two}"
        yield rule.finding(
            fact,
            f"transforms rebuild objects of `{fact.subject}`, which raises: the constructor is "
            f"given {one} argument{'' if one == '1' else 's'}, and {what}",
            help="give the constructor all that was flattened",
        )
    elif fact.kind == "pytree-pair":
        yield rule.finding(
            fact,
            f"`{one}` of `{fact.subject}` does not return a pair: JAX takes the children and the "
            "auxiliary data, and raises",
            help="return `(children, None)` where there is nothing but children",
        )
    elif fact.kind == "pytree-lost":
        yield rule.finding(
            fact,
            f"objects of `{fact.subject}` lose `{one}` in transforms: it is not flattened, so a "
            "rebuilt object has the value that the constructor sets",
            help="flatten it too: an array as a child, a constant as auxiliary data",
        )
    elif fact.kind == "pytree-arity":
        takes = "the object alone" if two == "1" else "the auxiliary data and the children"
        yield rule.finding(
            fact,
            f"JAX calls `{one}` of `{fact.subject}` with {takes}, and it cannot be called so",
            help="let `tree_unflatten` be a class method with two more parameters"
            if two == "2"
            else "let it take the object",
        )
