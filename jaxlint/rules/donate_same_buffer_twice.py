"""Gives one buffer to a call twice, once of them for good.

If the same array is passed in two places and one of them is donated, the compiled program may
write into what it still has to read, so JAX refuses: `JaxRuntimeError` (or `ValueError`)
"Attempt to use a buffer that was previously donated in the same call". An array that the compiled
function has captured is such a second place: it is a constant of the program, and it is deleted.
Source: "Buffer donation" in the JAX documentation; jax-ml/jax#9635.

## Example

```py
@partial(jax.jit, donate_argnums=0)
def add(into, other):
    return into + other

force = jnp.ones(3)
add(force, force)  # error
```

## Use instead

```py fixed
@partial(jax.jit, donate_argnums=0)
def add(into, other):
    return into + other

force = jnp.ones(3)
add(force.copy(), force)
```

## A part beside the whole

```py
def update(state, anchor):
    return {"w": state["w"] - anchor, "m": 0.9 * state["m"]}

update = jax.jit(update, donate_argnames="state")
state = {"w": jnp.ones(2), "m": jnp.zeros(2)}
update(state, anchor=state["w"])  # error
```

## Two fields of one state

A target network starts as a copy of the online one. Without the copy, both fields hold the same
arrays, and the call that is given the state is given each of them twice.

```py
def init():
    params = {"w": jnp.ones(3), "b": jnp.zeros(3)}
    return {"params": params, "target": params}

@partial(jax.jit, donate_argnums=0)
def update(state, rate):
    params = jax.tree.map(lambda p, t: p - rate * t, state["params"], state["target"])
    return {"params": params, "target": state["target"]}

update(init(), 0.1)  # error
```

## Fine as it is

Two arrays that are equal are two buffers.

```py
add = jax.jit(lambda into, other: into + other, donate_argnums=0)
add(jnp.ones(3), jnp.ones(3))
```

Nothing is donated here.

```py
add = jax.jit(lambda left, right: left + right)
force = jnp.ones(3)
add(force, force)
```

The target is a copy.

```py
@partial(jax.jit, donate_argnums=0)
def update(state, rate):
    params = jax.tree.map(lambda p, t: p - rate * t, state["params"], state["target"])
    return {"params": params, "target": state["target"]}

params = {"w": jnp.ones(3), "b": jnp.zeros(3)}
update({"params": params, "target": jax.tree.map(jnp.copy, params)}, 0.1)
```

The parts of one state are different buffers.

```py
update = jax.jit(lambda w, m: (w - m, 0.9 * m), donate_argnums=(0, 1))
state = {"w": jnp.ones(2), "m": jnp.zeros(2)}
update(state["w"], state["m"])
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX612",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("JaxRuntimeError", "XlaRuntimeError", "RuntimeError", "ValueError"),
)


@rule.on(facts.Donated)
def check(fact: facts.Donated) -> Iterator[Finding]:
    if fact.kind != "twice":
        return
    what = f"`{fact.target}`" if fact.target else "one array"
    if fact.other:
        yield rule.finding(
            fact,
            f"`{fact.target}` and `{fact.other}` are one buffer, which `{fact.callee}` is given to "
            "reuse twice: JAX raises an error",
            help="let one of the two hold a copy: `jax.tree.map(jnp.copy, ...)`",
        )
        return
    if fact.given is None:
        yield rule.finding(
            fact,
            f"`{fact.callee}` gets the buffer of {what} twice, once to keep: it raises an error",
            help="give one of the two places a copy",
        )
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` has captured {what}, and was given its buffer at "
        f"{fact.line_of(fact.given)}: the array is deleted",
        help="pass it as an argument alone, or give the call a copy",
    )
