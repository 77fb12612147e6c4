"""
The constructor of a class that is a pytree refuses what JAX makes its objects of.

JAX takes pytrees apart and makes new objects of other leaves: tracers, slices of an axis under
`vmap` and `scan`, placeholders, whatever a function of `jax.tree.map` returns. A constructor that
checks the shapes of its fields refuses them. Objects of a dataclass that is registered with
`register_dataclass` are made with the names of its fields, so that an `__init__` with other
parameters raises.

Source: JAX documentation, "Pytrees", section "Custom pytrees and initialization"; jax-ml/jax#12319,
jax-ml/jax#25486.

## Example

```py
@jax.tree_util.register_pytree_node_class
class Boxes:
    def __init__(self, corners):
        assert corners.ndim == 2  # error
        self.corners = corners

    def tree_flatten(self):
        return (self.corners,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

jax.vmap(lambda box: box.corners.sum())(Boxes(jnp.ones((3, 4))))
```

## Use instead

A function that checks, and a constructor that does not.

```py fixed
@jax.tree_util.register_pytree_node_class
class Boxes:
    def __init__(self, corners):
        self.corners = corners

    @classmethod
    def checked(cls, corners):
        assert corners.ndim == 2
        return cls(corners)

    def tree_flatten(self):
        return (self.corners,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

jax.vmap(lambda box: box.corners.sum())(Boxes.checked(jnp.ones((3, 4))))
```

## An `__init__` with other parameters

```py
from dataclasses import dataclass

@partial(jax.tree_util.register_dataclass, data_fields=["position", "speed"], meta_fields=[])
@dataclass
class State:
    position: jax.Array
    speed: jax.Array

    def __init__(self, *, height):  # error
        self.position = jnp.array([0.0, height])
        self.speed = jnp.zeros(2)

jax.jit(lambda state: state.position + state.speed)(State(height=2.0))
```

## A check after the fields are set

```py
from dataclasses import dataclass

@partial(jax.tree_util.register_dataclass, data_fields=["rows"], meta_fields=[])
@dataclass
class Table:
    rows: jax.Array

    def __post_init__(self):
        if self.rows.ndim != 2:  # error
            raise ValueError("rows and columns are wanted")

jax.tree.map(lambda rows: rows.sum(), Table(jnp.ones((2, 3))))
```

## A conversion

```py
@jax.tree_util.register_pytree_node_class
class Ball:
    def __init__(self, centre, radius):
        self.centre = centre
        self.radius = float(radius)  # error

    def tree_flatten(self):
        return (self.centre, self.radius), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

jax.jit(lambda ball: ball.centre.sum() + ball.radius)(Ball(jnp.zeros(3), 1))
```

## A test of a value

```py
@jax.tree_util.register_pytree_node_class
class Ball:
    def __init__(self, centre, radius):
        if radius < 0.0:  # error
            raise ValueError("a radius is not negative")
        self.centre, self.radius = centre, radius

    def tree_flatten(self):
        return (self.centre, self.radius), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

jax.jit(lambda ball: ball.centre.sum() + ball.radius)(Ball(jnp.zeros(3), 1.0))
```

Dataclasses of Flax are made by their constructor too.

```py
from flax import struct

@struct.dataclass
class Ball:
    radius: float
    turns: int = struct.field(pytree_node=False, default=1)

    def __post_init__(self):
        if self.turns < 1:
            raise ValueError("no turn")
        if not self.radius >= 0.0:  # error
            raise ValueError("a radius is not negative")

jax.jit(lambda ball: 2.0 * ball.radius)(Ball(1.0))
```

## Fine as it is

A test of what is no leaf, or of containers.

```py
@jax.tree_util.register_pytree_node_class
class Balls:
    def __init__(self, radii, turns):
        if not radii:
            raise ValueError("no balls")
        if turns < 1 or len(radii) > 9:
            raise ValueError("too few turns or too many balls")
        self.radii, self.turns = tuple(radii), turns

    def tree_flatten(self):
        return (self.radii,), self.turns

    @classmethod
    def tree_unflatten(cls, turns, children):
        return cls(*children, turns)

jax.jit(lambda balls: balls.turns * sum(balls.radii))(Balls([1.0, 2.0], 3))
```

An object that is made without the constructor, and a check of arrays alone.

```py
@jax.tree_util.register_pytree_node_class
class Boxes:
    def __init__(self, corners):
        assert corners.ndim == 2
        self.corners = corners

    def tree_flatten(self):
        return (self.corners,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = object.__new__(cls)
        (made.corners,) = children
        return made

jax.vmap(lambda box: box.corners.sum())(Boxes(jnp.ones((3, 4))))
```

```py
from dataclasses import dataclass

@partial(
    jax.tree_util.register_dataclass, data_fields=["rows", "weights"], meta_fields=["scale"]
)
@dataclass
class Table:
    rows: jax.Array
    weights: jax.Array
    scale: float = 1.0

    def __post_init__(self):
        if self.scale <= 0.0:
            raise ValueError("the scale must be positive")
        assert self.rows.shape == self.weights.shape

ones = jnp.ones((2, 3))
doubled = jax.tree.map(lambda rows: 2.0 * rows, Table(ones, ones))
doubled.rows * doubled.weights * doubled.scale
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX625",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("AssertionError", "AttributeError", "TypeError", "ValueError", anywhere=True),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "pytree-constructor":
        yield rule.finding(
            fact,
            f"JAX makes objects of `{fact.subject}` with the names of its fields, and `__init__` "
            f"does not take `{fact.detail}`",
            help="let `__init__` take the fields, and build objects otherwise in a class method",
        )
    elif fact.kind == "pytree-conversion":
        yield rule.finding(
            fact,
            f"JAX makes objects of `{fact.subject}` with tracers as well, in `jit` and its kin: "
            f"this conversion in `{fact.detail}` refuses them",
            help="keep what is given, or convert it with `jnp.asarray` in a function that makes "
            "objects",
            severity=Severity.WARNING,
        )
    elif fact.kind == "pytree-test":
        yield rule.finding(
            fact,
            f"JAX makes objects of `{fact.subject}` with tracers as well, in `jit` and its kin: "
            f"this test in `{fact.detail}` needs their values",
            help="check in a function that makes objects, not in the constructor",
            severity=Severity.WARNING,
        )
    elif fact.kind == "pytree-check":
        yield rule.finding(
            fact,
            f"JAX makes objects of `{fact.subject}` with other leaves as well, under `vmap`, "
            f"`scan` and `jax.tree.map`: this check of `{fact.detail}` refuses them",
            help="check in a function that makes objects, not in the constructor",
            severity=Severity.WARNING,
        )
