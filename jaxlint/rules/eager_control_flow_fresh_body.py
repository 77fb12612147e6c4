"""Gives eager control flow a body that is a new function each time.

`lax.scan`, `lax.cond`, `lax.while_loop` and their kin compile their bodies, outside of `jit` as
well, and remember the program by the identity of the functions. A `lambda` or a local function is a
new object each time it is evaluated, and so is a `functools.partial` or a bound method: each call
traces and compiles again, for a result that may take microseconds. Source: jax-ml/jax#587,
jax-ml/jax#14743.

## Example

```py
def settle(starts):
    done = []
    for start in starts:
        done.append(lax.while_loop(lambda v: v > 1.0, lambda v: v / 2, start))  # error
    return done

settle([jnp.float32(5.0), jnp.float32(9.0)])
```

## Use instead

Named functions of the module are the same objects each time; better still, the caller is compiled.

```py fixed
@jax.jit
def halve_down(start):
    return lax.while_loop(lambda v: v > 1.0, lambda v: v / 2, start)

def settle(starts):
    return [halve_down(start) for start in starts]

settle([jnp.float32(5.0), jnp.float32(9.0)])
```

`--fix --unsafe-fixes` defines bodies that capture nothing of the iteration at module level, or
before the loop; it leaves to you what the caller would have to be compiled for. It is unsafe since
the functions get names that others may read.

## The loop may be the caller's

```py
def total(values):
    def add(carry, value):
        return carry + value, None

    return lax.scan(add, 0.0, values)[0]  # error

[total(jnp.ones(3)) for _ in range(3)]
```

```py fixed
def add(carry, value):
    return carry + value, None


def total(values):
    return lax.scan(add, 0.0, values)[0]

[total(jnp.ones(3)) for _ in range(3)]
```

## Fine as it is

Bodies with names of their own.

```py
def add(carry, value):
    return carry + value, None

[lax.scan(add, 0.0, jnp.ones(3))[0] for _ in range(3)]
```

In traced code the body is a part of the program around it.

```py
@jax.jit
def total(values):
    return lax.scan(lambda carry, value: (carry + value, None), 0.0, values)[0]

[total(jnp.ones(3)) for _ in range(3)]
```

`jax.vmap` and `jax.grad` do not compile what they are given.

```py
[jax.vmap(lambda v: v * 2.0)(jnp.ones(3)) for _ in range(3)]
```

## Notes

Reported where the module itself runs the code, or in a script: what a library defines may only ever
be called in traced code.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Finding,
    Fix,
    Recompiles,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX510",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.FreshBody)
def check(fact: facts.FreshBody) -> Iterator[Finding]:
    often = "iteration" if fact.in_loop else f"call of `{fact.function}`"
    yield rule.finding(
        fact,
        f"`{fact.callee}` compiles again on every {often}: its body is a {fact.body}, a new "
        "object each time, and compiled programs are found by function identity",
        help="define the body at module level, or jit the function around",
    )


@rule.fix(facts.FreshBody)
def fix(fact: facts.FreshBody, code: Code) -> Fix | None:
    return (
        fixes.named_bodies.bodies_once(code, fact.node) if isinstance(fact.node, ir.Call) else None
    )
