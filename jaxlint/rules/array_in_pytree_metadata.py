"""
An array is in the static part of a pytree, which JAX compares and cannot.

What is no leaf of a pytree is part of its structure: meta fields, `field(pytree_node=False)`, what
`tree_flatten` returns beside the children. JAX compares structures, to find compiled programs and
to match two trees. Comparing arrays gives an array, so that `ValueError` is raised as soon as a
second object meets the first.

Source: JAX documentation, "Pytrees", section "Custom pytree nodes"; jax-ml/jax#19547.

## Example

```py
@jax.tree_util.register_pytree_node_class
class Mesh:
    def __init__(self, places, cells):
        self.places, self.cells = places, cells

    def tree_flatten(self):
        return (self.places,), (self.cells,)  # error

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)

@jax.jit
def lengths(mesh):
    ends = mesh.places[mesh.cells]
    return ends[:, 1] - ends[:, 0]

def line():
    left = jnp.arange(3)
    return Mesh(jnp.linspace(0.0, 1.0, 4), jnp.stack([left, left + 1], axis=1))

lengths(line()), lengths(line())
```

## Use instead

```py fixed
@jax.tree_util.register_pytree_node_class
class Mesh:
    def __init__(self, places, cells):
        self.places, self.cells = places, cells

    def tree_flatten(self):
        return (self.places, self.cells), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

@jax.jit
def lengths(mesh):
    ends = mesh.places[mesh.cells]
    return ends[:, 1] - ends[:, 0]

def line():
    left = jnp.arange(3)
    return Mesh(jnp.linspace(0.0, 1.0, 4), jnp.stack([left, left + 1], axis=1))

lengths(line()), lengths(line())
```

## A meta field

```py
from dataclasses import dataclass

@partial(jax.tree_util.register_dataclass, data_fields=["weights"], meta_fields=["grid"])
@dataclass
class Field:
    weights: jax.Array
    grid: np.ndarray  # error

@jax.jit
def total(field):
    return field.weights @ field.grid

for scale in (1.0, 2.0):
    total(Field(scale * jnp.ones(3), np.linspace(0.0, 1.0, 3)))
```

## Fine as it is

Numbers, texts and tuples are compared, and an array that is a child is none of the structure.

```py
from dataclasses import dataclass

@partial(jax.tree_util.register_dataclass, data_fields=["weights", "grid"], meta_fields=["names"])
@dataclass
class Field:
    weights: jax.Array
    grid: np.ndarray
    names: tuple[str, ...] = ("x", "y")

@jax.jit
def total(field):
    return field.weights @ field.grid

for scale in (1.0, 2.0):
    total(Field(scale * jnp.ones(3), np.linspace(0.0, 1.0, 3)))
```

The grid is the same object in every tree: a module has it, not the tree.

```py
from dataclasses import dataclass

GRID = np.linspace(0.0, 1.0, 3)

@partial(jax.tree_util.register_dataclass, data_fields=["weights"], meta_fields=["degree"])
@dataclass
class Field:
    weights: jax.Array
    degree: int = 2

@jax.jit
def total(field):
    return field.weights @ GRID**field.degree

for scale in (1.0, 2.0):
    total(Field(scale * jnp.ones(3)))
```

## Notes

A warning: with one object alone, and nothing that is compared with it, nothing raises.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX626",
    severity=Severity.WARNING,
    since="0.1",
    witness=Raises("ValueError", anywhere=True),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "pytree-metadata":
        yield rule.finding(
            fact,
            f"`{fact.detail}` of `{fact.subject}` is an array in the static part of a pytree: JAX "
            "compares that part, which raises for arrays",
            help=f"make `{fact.detail}` a child, or keep a tuple of numbers there",
        )
