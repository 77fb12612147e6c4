"""
A name is used that JAX has removed, so that importing or reading it raises.

JAX deprecates a name, warns for at least three months, and takes it away. From then on reading it
raises `AttributeError`, importing it `ImportError` or `ModuleNotFoundError`. Names that move keep
their meaning under the new name. Source: "API compatibility" and the change log in the JAX
documentation.

What counts is the newest JAX that the project is for: `target-jax` in `[tool.jaxlint]`, or else
the upper bound of the dependency on `jax` in `pyproject.toml`, or else 0.10.2, the last for Python
3.11.

## Example

```py jax>=0.6
weights = {"kernel": jnp.ones((2, 3)), "bias": jnp.zeros(3)}
jax.tree_map(jnp.shape, weights)  # error
```

## Use instead

```py fixed jax>=0.6
weights = {"kernel": jnp.ones((2, 3)), "bias": jnp.zeros(3)}
jax.tree.map(jnp.shape, weights)
```

`--fix` writes the new name, in expressions, imports and keywords, where it means the same and the
newest JAX that the project is for has it. This is safe, but for a few names whose replacement
differs at the edges (`isin` keeps the shape, `jax.Array` also stands for tracers), which take
`--unsafe-fixes`.

## A module that is gone

```py jax>=0.8
def tap(values):
    from jax.experimental import host_callback as hcb  # error

    return hcb.id_print(values)

tap(jnp.ones(3))
```

## A function of `jax.numpy`

```py jax>=0.4.30
from jax import numpy

samples = numpy.linspace(0.0, 1.0, 5)
numpy.trapz(samples**2, samples)  # error
```

## Fine as it is

Code for several versions asks which of them it meets.

```py
if hasattr(jax, "tree_map"):
    tree_map = jax.tree_map
else:
    tree_map = jax.tree.map

tree_map(jnp.negative, [jnp.ones(2)])
```

```py
try:
    from jax.core import Primitive
except ImportError:
    from jax.extend.core import Primitive

Primitive("clamp").name
```

The same name elsewhere is another function.

```py
class Pipeline:
    def tree_map(self, function, tree):
        return jax.tree_util.tree_map(function, tree)

(Pipeline().tree_map(jnp.negative, {"a": jnp.ones(2)}), np.column_stack([np.ones(2)]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, Tag, facts, fixes

rule = Rule(
    __name__,
    code="JAX901",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError"),
    tags=(Tag.DEPRECATED,),
)


@rule.on(facts.Outdated)
def check(fact: facts.Outdated) -> Iterator[Finding]:
    if fact.kind != "removed":
        return
    advice = f"use `{fact.instead}`"
    if not fact.instead:
        advice = f"the change log of JAX {fact.since} says what to use instead"
    yield rule.finding(fact, f"`{fact.target}` is not in JAX {fact.since} and later", help=advice)


@rule.fix(facts.Outdated)
def fix(fact: facts.Outdated, code: Code) -> Fix | None:
    return fixes.rename_api.renamed(code, fact) if fact.kind == "removed" else None
