"""
`jax.pure_callback` is used for an effect, which JAX may drop, repeat or add.

A pure callback is there for its result. JAX calls it as often as it likes: not at all where nobody
uses the result, more than once where that is faster, and under `vmap` of `lax.cond` for branches
that are not taken. Whoever wants the effect wants `jax.experimental.io_callback`, which runs
exactly once, or `jax.debug.callback`.

Source: JAX documentation, "External callbacks", section "Exploring `pure_callback`".

## Example

```py
saved = []

def save(weights):
    saved.append(weights.sum())
    return weights

@jax.jit
def step(weights):
    jax.pure_callback(save, weights, weights)  # error
    return weights * 2

step(jnp.ones(3))
jax.effects_barrier()
len(saved)
```

## Use instead

```py fixed
from jax.experimental import io_callback

saved = []

def save(weights):
    saved.append(weights.sum())

@jax.jit
def step(weights):
    io_callback(save, None, weights)
    return weights * 2

step(jnp.ones(3))
jax.effects_barrier()
len(saved)
```

## A result that nobody reads

```py
calls = {"count": 0}

def count(x):
    calls["count"] += 1
    return x

@jax.jit
def step(x):
    seen = jax.pure_callback(count, x, x)  # error
    return x + 1

step(jnp.float32(1.0))
jax.effects_barrier()
calls["count"]
```

## Fine as it is

The function computes, and its result is used.

```py
@jax.jit
def ordered(x):
    return jax.pure_callback(lambda a: np.sort(a), x, x)

ordered(jnp.array([3.0, 1.0, 2.0]))
```

Random numbers from a generator of the call's own, and a memo, repeat what they did.

```py
sizes = {}

def noise(x):
    if x.shape not in sizes:
        sizes[x.shape] = np.float32(x.size)
    generator = np.random.default_rng(0)
    return generator.normal(size=x.shape).astype(np.float32) * sizes[x.shape]

@jax.jit
def perturb(x):
    added = jax.pure_callback(noise, x, x)
    return {"x": x + added}

perturb(jnp.zeros(2))["x"].shape
```

## Fix

The fix calls `jax.experimental.io_callback` instead. It is unsafe: the effect happens at every call
then, and what JAX does with pure callbacks (`vmap`, `grad`) is not for those with effects.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Differs, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX116",
    severity=Severity.WARNING,
    since="0.1",
    witness=Differs(),
    applicability=Applicability.UNSAFE,
)


@rule.on(facts.HostCallback)
def check(fact: facts.HostCallback) -> Iterator[Finding]:
    help = "use `jax.experimental.io_callback` for effects: it runs exactly once"
    if fact.kind == "unused":
        yield rule.finding(
            fact,
            f"nobody reads what `{fact.callee}` gives, so JAX drops the call; {fact.where()}",
            help=help,
        )
    elif fact.kind == "impure":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gets a function with an effect (`{fact.name}`), which may happen "
            "never or several times",
            help=help,
        )


# Options of `jax.pure_callback` that `io_callback` would hand to the function.
OPTIONS = ("vmap_method", "vectorized")


@rule.fix(facts.HostCallback)
def fix(fact: facts.HostCallback, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind not in ("unused", "impure") or not isinstance(call, ir.Call):
        return None
    reached = code.reach("jax.experimental.io_callback", call)
    options = [one for one in call.args if one.keyword in OPTIONS]
    removed = [fixes.argument_lists.without_argument(code, call, one) for one in options]
    if reached is None or any(one.star == "**" for one in call.args):
        return None
    renamed = code.replace(call.func, reached[0])
    return code.fix(f"Replace with `{reached[0]}`", renamed, *removed, *reached[1])
