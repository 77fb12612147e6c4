"""Changes the type of a loop's carry, or gives branches that return different types.

A loop of `lax` is compiled once for all of its iterations, so what an iteration gives to the next
has the pytree structure, the shapes and the dtypes of what it got. The branches of `lax.cond` and
`lax.switch` are compiled into one result likewise. JAX raises `TypeError` ("carry input and carry
output must have equal types", "branches must have equal output types"). A Python number that a
loop starts with has a weak type and gives way to a stronger one; an array with a dtype does not.
In `jax.shard_map`, the type has the axes of the mesh that the array varies over, so that a loop
over rows cannot start with `jnp.zeros(...)` (since JAX 0.6): `lax.pcast(..., to="varying")` makes
it vary.

Source: JAX documentation of `jax.lax.scan`, `jax.shard_map` and "Type promotion semantics";
jax-ml/jax#9046, jax-ml/jax#15178.

## Example

```py
def mean(xs):
    count_and_sum = (jnp.int32(0), jnp.int32(0))

    def add(carry, x):
        count, sum = carry
        return (count + 1, sum + x), None

    (count, sum), _ = lax.scan(add, count_and_sum, xs)  # error
    return sum / count

mean(jnp.array([0.5, 1.5]))
```

## Use instead

Start with the type that the loop computes.

```py fixed
def mean(xs):
    count_and_sum = (jnp.int32(0), jnp.zeros((), xs.dtype))

    def add(carry, x):
        count, sum = carry
        return (count + 1, sum + x), None

    (count, sum), _ = lax.scan(add, count_and_sum, xs)
    return sum / count

mean(jnp.array([0.5, 1.5]))
```

## Another container

```py
@jax.jit
def orbit(position, velocity):
    def move(_, state):
        position, velocity = state
        return [position + velocity, velocity]

    return lax.fori_loop(0, 3, move, (position, velocity))  # error

orbit(0.0, 1.0)[0]
```

```py fixed
@jax.jit
def orbit(position, velocity):
    def move(_, state):
        position, velocity = state
        return position + velocity, velocity

    return lax.fori_loop(0, 3, move, (position, velocity))

orbit(0.0, 1.0)[0]
```

## Branches that disagree

Numbers of Python do not give way to each other here.

```py
@jax.jit
def reward(done):
    return lax.cond(done, lambda: 1.5, lambda: 0)  # error

reward(True)
```

```py fixed
@jax.jit
def reward(done):
    return lax.cond(done, lambda: 1.5, lambda: 0.0)

reward(True)
```

## A scalar that becomes an array

```py
weights = jnp.array([0.2, 0.8])
lax.fori_loop(0, 4, lambda i, total: total + weights, 0.0)  # error
```

## Fine as it is

The type of a Python number gives way to what the loop computes.

```py
samples = jnp.array([0.5, 2.0])
lax.scan(lambda total, x: (total + x, None), 0, samples)
lax.fori_loop(0, 3, lambda i, total: total + 0.5, 0)
```

A Python number that is added to an array does not change the dtype of that.

```py
def half_steps(state, _):
    count, level = state
    return (count + 1, level + 0.5), None

lax.scan(half_steps, (jnp.int32(0), jnp.zeros(2, jnp.bfloat16)), None, length=2)
```

Structures that are spelled differently are the same structure.

```py
def update(state, x):
    state = dict(state, total=state["total"] + x)
    return state, None

lax.scan(update, dict(total=0.0, best=jnp.float32(1)), jnp.ones(2))
lax.cond(True, lambda: {"a": 1.0, "b": None}, lambda: dict(b=None, a=2.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX326",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError"),
    applicability=Applicability.UNSAFE,
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    kind, _, what = fact.kind.partition("-")
    if what not in ("type", "tree"):
        return
    if kind == "carry":
        help = "convert it with `.astype`" if what == "type" else "return what the loop starts with"
        yield rule.finding(
            fact,
            f"the carry of `{fact.callee}` starts with {fact.subject}, for which the function "
            f"returns {fact.detail}",
            help=f"start with the type that the function returns, or {help}",
        )
    elif kind == "branch":
        yield rule.finding(
            fact,
            f"the branches of `{fact.callee}` return different types: {fact.subject} in one, "
            f"{fact.detail} in another",
            help="let all branches return the same structure, shapes and dtypes",
        )
