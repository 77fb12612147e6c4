"""Reads an array whose buffer was given away.

A call of a function with donated parameters hands the buffers of those arguments to XLA, which
writes results into them. The arrays are deleted with that, on CPU as well, whether a result could
use the buffer or not; reading one raises `RuntimeError`. So is what shares the buffer: another
name, `w[:]`, `jnp.asarray(w)`. Shape and dtype stay known. Source: "Buffer donation" in the JAX
documentation; jax-ml/jax#9675.

## Example

```py
@partial(jax.jit, donate_argnums=0)
def decay(weights, rate):
    return weights * (1 - rate)

weights = jnp.ones(3)
smaller = decay(weights, 0.1)
jnp.sum(weights - smaller)  # error
```

## Use instead

Give a copy away, or go on with the result under the same name.

```py fixed
@partial(jax.jit, donate_argnums=0)
def decay(weights, rate):
    return weights * (1 - rate)

weights = jnp.ones(3)
smaller = decay(weights.copy(), 0.1)
jnp.sum(weights - smaller)
```

## Part of a state

All arrays of a donated pytree go.

```py
def train(state, batch):
    return {"w": state["w"] - batch, "step": state["step"] + 1}

step = jax.jit(train, donate_argnums=(0,))
state = {"w": jnp.ones(2), "step": jnp.int32(0)}
after = step(state, jnp.ones(2))
print(state["step"])  # error
```

## By another name

```py
halve = jax.jit(lambda v: v / 2, donate_argnums=0)
position = jnp.ones(3)
start = position[:]
position = halve(position)
jnp.linalg.norm(position - start)  # error
```

## Fine as it is

The name means the result from now on.

```py
step = jax.jit(lambda v: v / 2, donate_argnums=0)
weights = jnp.ones(3)
for _ in range(3):
    weights = step(weights)
weights + 1
```

An array of NumPy is copied to the device, and stays as it is.

```py
step = jax.jit(lambda v: v / 2, donate_argnums=0)
weights = np.ones(3)
step(weights)
weights + 1
```

What was computed before, a copy, and the shape survive.

```py
step = jax.jit(lambda v: v / 2, donate_argnums=0)
weights = jnp.ones(3)
total, kept = weights.sum(), jnp.array(weights)
step(weights)
total, kept, weights.shape, weights.dtype
```

In traced code the inner donation means nothing.

```py
step = jax.jit(lambda v: v / 2, donate_argnums=0)

@jax.jit
def change(weights):
    return weights - step(weights)

change(jnp.ones(3))
```
"""

from collections.abc import Iterator

from jaxlint.api import Donates, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX611",
    severity=Severity.ERROR,
    since="0.1",
    witness=Donates(),
)


@rule.on(facts.Donated)
def check(fact: facts.Donated) -> Iterator[Finding]:
    if fact.kind == "kept":
        at = f" at {fact.line_of(fact.given)}" if fact.given is not None else ""
        yield rule.finding(
            fact,
            f"`{fact.holder}` keeps the buffer of `{fact.target}`, which `{fact.callee}` is given"
            f"{at} and deletes: reading it after that raises",
            help="keep a copy: `jax.tree.map(jnp.copy, ...)`",
        )
    if fact.kind != "use":
        return
    what = f"`{fact.target}`" if fact.target else "an argument"
    at = f" at {fact.line_of(fact.given)}" if fact.given is not None else ""
    yield rule.finding(
        fact,
        f"this reads a buffer that was given away: {what} went to `{fact.callee}`{at}, which "
        "deletes it",
        help="go on with what the call returns, or give it a copy",
    )
