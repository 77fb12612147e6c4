"""
A branch that `jax.vmap` selects has an effect, which happens whatever is selected.

`lax.cond` and `lax.switch` run the branch that is selected and no other one. Where `vmap` maps
their predicate, rows select different branches: JAX runs all of them, for all rows, and selects
among their results. A `jax.debug.callback` or `jax.debug.print` in one of them happens for each
row, also for those that select another branch.

Source: JAX documentation of `jax.lax.cond`; jax-ml/jax#19314.

## Example

```py
alarms = []

def check(level):
    lax.cond(
        level > 0.5,
        lambda v: jax.debug.callback(lambda a: alarms.append(float(a)), v),  # error
        lambda v: None,
        level,
    )
    return level

jax.vmap(check)(jnp.array([0.1, 0.9, 0.3]))
jax.effects_barrier()
len(alarms) == 1
```

## Use instead

`lax.map` goes through the rows one by one. Or let the callback look at the predicate.

```py
alarms = []

def check(level):
    lax.cond(
        level > 0.5,
        lambda v: jax.debug.callback(lambda a: alarms.append(float(a)), v),
        lambda v: None,
        level,
    )
    return level

lax.map(check, jnp.array([0.1, 0.9, 0.3]))
jax.effects_barrier()
len(alarms) == 1
```

```py fixed
alarms = []

def note(level, is_high):
    if is_high:
        alarms.append(float(level))

def check(level):
    jax.debug.callback(note, level, level > 0.5)
    return level

jax.vmap(check)(jnp.array([0.1, 0.9, 0.3]))
jax.effects_barrier()
len(alarms) == 1
```

## Through a helper

```py
seen = []

def report(v):
    jax.debug.callback(lambda a: seen.append(float(a)), v)  # error
    return v * 2

def step(v):
    return lax.switch(jnp.int32(v > 0), [lambda a: a, report], v)

jax.jit(jax.vmap(step))(jnp.array([-1.0, 2.0])).block_until_ready()
jax.effects_barrier()
len(seen) == 1
```

## Fine as it is

The predicate is the same for all rows.

```py
seen = []

def check(level, armed):
    lax.cond(
        armed,
        lambda: jax.debug.callback(lambda a: seen.append(float(a)), level),
        lambda: None,
    )
    return level

jax.vmap(check, in_axes=(0, None))(jnp.array([0.1, 0.9]), False)
jax.effects_barrier()
len(seen) == 0
```

Nothing happens in the branches.

```py
seen = []

def check(level):
    jax.debug.callback(lambda a: seen.append(float(a)), level)
    return lax.cond(level > 0.5, lambda v: v * 2, lambda v: v, level)

jax.vmap(check)(jnp.array([0.1, 0.9]))
jax.effects_barrier()
len(seen) == 2
```
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX117",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "branch-effect":
        yield rule.finding(
            fact,
            f"`jax.vmap` maps the predicate of `{fact.detail}`, so `{fact.subject}` happens for "
            f"each row, whichever branch it selects; {fact.where()}",
            help="give the callback the predicate, or map with `jax.lax.map`, which selects",
        )
