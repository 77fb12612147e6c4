"""
A name is used that JAX has deprecated, so that it warns now and will be gone later.

Reading a deprecated name of JAX draws a `DeprecationWarning`, which Python does not show in
imported modules by default. A few names warn only when they are called. Source: "API
compatibility" and the change log in the JAX documentation.

What counts is the newest JAX that the project is for: `target-jax` in `[tool.jaxlint]`, or else
the upper bound of the dependency on `jax` in `pyproject.toml`, or else 0.10.2, the last for Python
3.11.

## Example

```py jax>=0.10.1
mesh = jax.make_mesh((1,), ("data",))
with mesh:  # error
    batch = jnp.arange(3)

2 * batch
```

## Use instead

```py fixed jax>=0.10.1
mesh = jax.make_mesh((1,), ("data",))
with jax.set_mesh(mesh):
    batch = jnp.arange(3)

2 * batch
```

`--fix` writes the new name where it means the same and the newest JAX that the project is for has
it; `shard_map` and `pjit` get their arguments by name. This is safe. `jax.set_mesh` sets a mesh
for more than the old context did, so it takes `--unsafe-fixes`.

## A name that warns when it is called

```py
is_first = jax.host_id() == 0  # error
is_first
```

```py fixed
is_first = jax.process_index() == 0
is_first
```

## Fine as it is

Methods and functions of the same name that are not JAX's.

```py
class Cluster:
    def host_id(self):
        return jax.process_index()

Cluster().host_id()
```

The old home as a fallback for old versions of JAX.

```py
try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

callable(shard_map)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Rule, Severity, Tag, Warns, facts, fixes

rule = Rule(
    __name__,
    code="JAX902",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Warns("DeprecationWarning", "UserWarning"),
    tags=(Tag.DEPRECATED,),
)


@rule.on(facts.Outdated)
def check(fact: facts.Outdated) -> Iterator[Finding]:
    if fact.kind != "deprecated":
        return
    advice = f"use `{fact.instead}`"
    if not fact.instead:
        advice = f"the change log of JAX {fact.since} says what to use instead"
    yield rule.finding(fact, f"`{fact.target}` is deprecated since JAX {fact.since}", help=advice)


@rule.fix(facts.Outdated)
def fix(fact: facts.Outdated, code: Code) -> Fix | None:
    return fixes.rename_api.renamed(code, fact) if fact.kind == "deprecated" else None
