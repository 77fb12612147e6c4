"""
Runs Haiku modules in a transform of JAX inside `hk.transform`, so that their parameters leak.

A function that Haiku transformed keeps parameters, state and a sequence of keys while it runs.
`jax.jit`, `jax.checkpoint`, `lax.scan`, `lax.cond` and the other control flow run their functions
in a trace of their own: what a module makes there during `init` is a tracer of that trace, and
Haiku still hands it out when the trace is over. The same goes for state that is set there, and for
the key after one that is drawn there.

Source: Haiku documentation, "Limitations of nesting JAX functions and Haiku modules";
google-deepmind/dm-haiku#176, google-deepmind/dm-haiku#214.

## Example

```py
import haiku as hk

def network(x):
    @jax.jit
    def dense(y):  # error
        return hk.Linear(2)(y)

    return dense(x)

params = hk.transform(network).init(jax.random.key(0), jnp.ones((1, 2)))
jax.tree.map(jnp.sum, params)
```

## Use instead

Transform what Haiku gives, which is a pure function.

```py fixed
import haiku as hk

def network(x):
    return hk.Linear(2)(x)

model = hk.transform(network)
params = model.init(jax.random.key(0), jnp.ones((1, 2)))
jax.tree.map(jnp.sum, params)
```

`--fix --unsafe-fixes` writes `hk.remat` and `hk.map` for those of JAX, and `hk.scan` for a body
that makes no modules. It is unsafe since parameters may get other names.

## Control flow

```py
import haiku as hk

def network(x):
    dense = hk.Linear(2)
    return lax.cond(x.sum() > 0, dense, lambda y: y, x)  # error

params = hk.transform(network).init(jax.random.key(0), jnp.ones((1, 2)))
jax.tree.map(jnp.sum, params)
```

## State that is set in a loop

```py
import haiku as hk

def network(x):
    def step(total, y):
        hk.set_state("last", y)
        return total + y, None

    return lax.scan(step, jnp.zeros(2), x)[0]  # error

model = hk.transform_with_state(network)
params, state = model.init(None, jnp.ones((3, 2)))
jax.tree.map(jnp.sum, state)
```

## Fine as it is

Haiku's own control flow hands parameters through.

```py
import haiku as hk

def network(x):
    dense = hk.Linear(2)
    return hk.scan(lambda carry, _: (dense(carry), None), x, None, length=3)[0]

hk.transform(network).init(jax.random.key(0), jnp.ones((1, 2)))
```

The parameters are made before.

```py
import haiku as hk

def network(x):
    dense = hk.Linear(2)
    if hk.running_init():
        return dense(x)
    return lax.scan(lambda carry, _: (dense(carry), None), x, None, length=3)[0]

model = hk.without_apply_rng(hk.transform(network))
params = model.init(jax.random.key(0), jnp.ones((1, 2)))
jax.jit(model.apply)(params, jnp.ones((1, 2)))
```

Nothing in the body is Haiku's; what `grad` and `vmap` run is not staged.

```py
import haiku as hk

def network(x):
    scale = hk.get_parameter("scale", (2,), init=jnp.ones)
    rows = jax.jit(jnp.sin)(x) * scale
    return jax.vmap(hk.Linear(2))(rows)

model = hk.transform(network)
params = model.init(jax.random.key(0), jnp.ones((3, 2)))
jax.tree.map(jnp.sum, params)
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Leaks, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX958",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Leaks(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "hk-jax-transform" or fact.entry is None:
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}` {fact.detail} while `{fact.function}` is {fact.entry.phrase} inside a "
        "function that Haiku transforms: Haiku keeps a tracer of it",
        help="transform the `apply` function, outside, or use Haiku's counterpart of the "
        "transform (`hk.scan`, `hk.cond`, `hk.remat`)",
    )


# What Haiku has for transforms of JAX, with the keywords that both take. Branches of a `cond` have
# to make the same parameters, which is seldom what is written.
_REMAT = ("remat", frozenset({"policy", "prevent_cse", "static_argnums"}))
LIFTED = {
    "jax.checkpoint": _REMAT,
    "jax.remat": _REMAT,
    "jax.lax.map": ("map", frozenset({"f", "xs"})),
    "jax.lax.scan": ("scan", frozenset({"f", "init", "length", "reverse", "unroll", "xs"})),
}


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    node = None if fact.entry is None else fact.entry.node
    if fact.kind != "hk-jax-transform" or node is None:
        return None
    one = fixes.transform_sites.application(code, node)
    lifted = LIFTED.get(code.meaning(one.transform)) if one is not None else None
    if one is None or lifted is None or (lifted[0] in _TWICE and not _runs_again(one)):
        return None
    edits = fixes.transform_sites.applied_with(one, f"haiku.{lifted[0]}", lifted[1])
    return None if edits is None else code.fix(f"Replace with `{edits[0].replacement}`", *edits)


# What runs a body once for its parameters, and then for each element.
_TWICE = frozenset({"map", "scan"})


def _runs_again(one: fixes.transform_sites.Application) -> bool:
    """Whether a body may run twice for one set of parameters: it makes no modules, each of which
    would have parameters of its own."""
    if one.function is None:
        return False
    called = [each.func for each in fixes.scopes.calls(one.function)]
    return not any(_name(callee)[:1].isupper() for callee in called)


def _name(callee: ir.Expr) -> str:
    if isinstance(callee, ir.Attribute):
        return callee.attr
    return callee.id if isinstance(callee, ir.Name) else ""
