"""
A `flax.nnx` object changes inside `jax.jit`, and the change stays behind in the trace.

Modules, optimizers, metrics and `Rngs` of nnx are pytrees, so JAX's own transforms take them: the
function gets a copy, rebuilt from its arrays. What the copy changes of itself (running averages of
`BatchNorm`, the random keys of `Dropout`, weights that an optimizer updates) is dropped unless the
function returns it. Nothing fails: dropout draws the same mask on every call, weights stay as they
are. The transforms of nnx bring changes back.

Source: flax documentation, "Transformations" and "NNX Basics"; google/flax#3997, google/flax#4734.

## Example

```py
from flax import nnx

dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

@jax.jit
def noisy(dropout, x):
    return dropout(x)  # error

x = jnp.ones(64)
[noisy(dropout, x).tolist() for _ in range(2)]
```

## Use instead

```py fixed
from flax import nnx

dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

@nnx.jit
def noisy(dropout, x):
    return dropout(x)

x = jnp.ones(64)
[noisy(dropout, x).tolist() for _ in range(2)]
```

`--fix --unsafe-fixes` writes `nnx.jit` for `jax.jit`, if no option is given that they do not share.
It is unsafe since the caller's object changes from then on.

## A state that is not returned

```py
from flax import nnx

class Counted(nnx.Module):
    def __init__(self):
        self.calls = nnx.Variable(jnp.zeros((), int))

    def __call__(self, x):
        self.calls[...] += 1  # error
        return 2 * x

model = Counted()
double = jax.jit(lambda model, x: model(x))
double(model, jnp.ones(3))
int(model.calls[...])
```

## Fine as it is

What only reads its module may be compiled by `jax.jit`.

```py
from flax import nnx

linear = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
jax.jit(lambda model, x: model(x))(linear, jnp.ones((4, 2)))
```

The function returns the state, and the caller updates the module.

```py
from flax import nnx

norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))
graph, state = nnx.split(norm)

@jax.jit
def normalize(state, x):
    norm = nnx.merge(graph, state)
    return norm(x), nnx.state(norm)

y, state = normalize(state, 5 * jnp.ones((4, 2)))
nnx.update(norm, state)
```

The function returns the module.

```py
from flax import nnx

@jax.jit
def normalize(norm, x):
    y = norm(x)
    return norm, y

norm, y = normalize(nnx.BatchNorm(2, rngs=nnx.Rngs(0)), jnp.ones((4, 2)))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Differs, Finding, Fix, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX951",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Differs(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "nnx-lost":
        return
    of = f" of the argument `{fact.detail}`" if fact.detail else ""
    yield rule.finding(
        fact,
        f"`{fact.subject}` changes the state{of}, but the function gets a copy and does not "
        f"return it: {fact.where()}",
        help="use the transform of nnx (`nnx.jit`), or return the state and `nnx.update` with it",
    )


# The options of `jax.jit` that `nnx.jit` has too, with the same meaning.
OPTIONS = frozenset({"static_argnums", "static_argnames", "donate_argnums", "donate_argnames"})


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    one = None if fact.entry is None else fixes.transform_sites.application(code, fact.entry.node)
    if fact.kind != "nnx-lost" or one is None or code.meaning(one.transform) != "jax.jit":
        return None
    edits = fixes.transform_sites.applied_with(one, "flax.nnx.jit", OPTIONS)
    return None if edits is None else code.fix(f"Replace with `{edits[0].replacement}`", *edits)
