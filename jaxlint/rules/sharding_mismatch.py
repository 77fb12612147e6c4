"""
Lays an array out over an axis that the mesh or the array does not have.

A `PartitionSpec` names, for each dimension of an array, the axes of the mesh that the dimension is
split over. `NamedSharding` and `jax.shard_map` take only names that the mesh has, each of them
once; an array needs as many dimensions as the specification has entries, and `jax.device_put` and
`jax.jit` split them into equal parts. `in_shardings` and `in_specs` are a tree prefix of the
arguments by position: a tuple has one entry for each of them. `out_specs` puts the results of all
devices together. It has at most one entry for each dimension of a result. It names each axis that
the result varies over: only what is reduced over an axis is the same on all devices along it. JAX
raises a ValueError otherwise, `jax.shard_map` not before it is called.

Source: JAX documentation, "Distributed arrays and automatic parallelization", `jax.shard_map`,
`jax.jit` (`in_shardings`).

## Example

```py
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))

def place(params):
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))  # error
    return jax.device_put(params, sharding)

place(jnp.ones(4))
```

## Use instead

Name an axis of the mesh.

```py fixed
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))

def place(params):
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    return jax.device_put(params, sharding)

place(jnp.ones(4))
```

## A result that differs between devices

Each device has the mean of its own rows, and `out_specs` promises one number.

```py jax>=0.6.1
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
P = jax.sharding.PartitionSpec

def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)  # error

total = jax.shard_map(loss, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
total(jnp.ones(3), jnp.ones((4, 3)))
```

With `lax.pmean(..., "data")` it is one number.

```py jax>=0.6.1
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
P = jax.sharding.PartitionSpec

def loss(params, batch):
    return lax.pmean(jnp.mean((batch @ params) ** 2), "data")

total = jax.shard_map(loss, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
total(jnp.ones(3), jnp.ones((4, 3)))
```

## An axis that is named twice

```py
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("data", "model"))
jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(("data", "model"), "data"))  # error
```

## More arguments than entries

```py
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))

def update(params, batch, rate):
    return params - rate * batch.mean(0)

step = jax.jit(update, in_shardings=(whole, rows))  # error
step(jnp.ones(3), jnp.ones((4, 3)), 0.1)
```

## More entries than dimensions

```py
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data", None))

@jax.jit
def total(x):
    row = lax.with_sharding_constraint(x.sum(0), rows)  # error
    return row.sum()

total(jnp.ones((4, 3)))
```

## In a mapped function

```py
P = jax.sharding.PartitionSpec
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
shard_map = getattr(jax, "shard_map", None)
if shard_map is None:
    from jax.experimental.shard_map import shard_map

double = shard_map(lambda x: 2 * x, mesh=mesh, in_specs=P("rows"), out_specs=P("data"))  # error
double(jnp.ones(4))
```

## Fine as it is

One sharding for all arguments, several axes for one dimension, and fewer entries than dimensions.

```py
P = jax.sharding.PartitionSpec
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("data", "model"))
rows = jax.sharding.NamedSharding(mesh, P(("data", "model")))
add = jax.jit(lambda x, y: x + y, in_shardings=rows)
add(jnp.ones((4, 3)), jnp.ones((4, 3)))
```

Arguments that have a default may be left out, and a static one has no entry.

```py
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))

def scaled(x, factor=2.0):
    return factor * x

def repeated(n, x):
    return sum([x] * n)

jax.jit(scaled, in_shardings=(rows,))(jnp.ones(4))
jax.jit(repeated, in_shardings=(rows,), static_argnums=0)(2, jnp.ones(4))
```

The arguments of a partial application count no more.

```py
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))

def update(params, batch, rate):
    return params - rate * batch

step = jax.jit(partial(update, rate=0.1), in_shardings=(rows, rows))
step(jnp.ones(4), jnp.ones(4))
```

A specification without a mesh is a plain value.

```py
rules = {"kernel": jax.sharding.PartitionSpec(None, "model"), "bias": None}
{name: rule for name, rule in rules.items() if rule is not None}
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX630",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError", "DuplicateSpecError", "KeyError", anywhere=True),
)

_MESSAGES = {
    "mesh-axis": (
        "the mesh has no axis {subject}: its axes are {detail}",
        "name an axis of the mesh, or make the mesh with this one",
    ),
    "mesh-repeat": (
        "the specification names the axis {subject} twice: an axis splits one dimension at most",
        "name it for one dimension, and put `None` for the other",
    ),
    "layout-count": (
        "{subject}, and the function takes {detail} by position",
        "give each argument by position an entry, `None` where nothing is to be said of it",
    ),
    "layout-call": (
        "{subject}, and this call passes {detail} by position",
        "give each argument by position an entry, `None` where nothing is to be said of it",
    ),
    "layout-rank": (
        "the specification has {subject}, and the array {detail}",
        "leave out the entries that the array has no dimension for",
    ),
    "layout-result": (
        "`out_specs` has {subject} for this result, and the result {detail}",
        "leave out the entries that the result has no dimension for, or give it more dimensions",
    ),
    "layout-spread": (
        "`out_specs` does not name the axis {subject}, and this result varies over it",
        "reduce it over the axis (`lax.pmean`, `lax.psum`), or name the axis in `out_specs`",
    ),
    "layout-size": (
        "an axis of length {subject} is split over {detail} devices, which gives no equal parts",
        "pad the array, or lay it out over axes whose sizes divide it",
    ),
}


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind in _MESSAGES:
        message, help = _MESSAGES[fact.kind]
        yield rule.finding(
            fact, message.format(subject=fact.subject, detail=fact.detail), help=help
        )
