"""Gives names where JAX expects numbers of parameters, or numbers where it expects names.

`static_argnums` and `donate_argnums` take an integer or several, `static_argnames` and
`donate_argnames` a string or several. Anything else raises `TypeError` when the transform is
applied. Only a bool goes through: `True` is the integer 1, which is seldom what it was meant to
say. Source: `jax.jit` in the JAX documentation.

## Example

```py
def repeat(values, times):
    return jnp.tile(values, times)

jax.jit(repeat, static_argnums="times")(jnp.ones(2), times=2)  # error
```

## Use instead

```py fixed
def repeat(values, times):
    return jnp.tile(values, times)

jax.jit(repeat, static_argnames="times")(jnp.ones(2), times=2)
```

`--fix` writes the name of the other option where all that is given is of its kind. That is safe:
what is given as it stands always raises.

## Numbers among names

```py
@partial(jax.jit, static_argnames=(1,))  # error
def repeat(values, times):
    return jnp.tile(values, times)
```

## Names of what is donated

```py
def decay(state, rate):
    return state * rate

step = jax.jit(decay, donate_argnums=["state"])  # error
```

## Names for what is differentiated

The derivatives have numbers alone.

```py
def loss(weights, bias):
    return jnp.sum(weights) + bias

jax.grad(loss, argnums="bias")(jnp.ones(2), 1.0)  # error
jax.jacrev(loss, argnums=("weights", "bias"))(jnp.ones(2), 1.0)  # error
```

## Fine as it is

Lists, sets and nothing at all are taken as tuples are.

```py
def repeat(values, times):
    return jnp.tile(values, times)

(
    jax.jit(repeat, static_argnums=[1])(jnp.ones(2), 2),
    jax.jit(repeat, static_argnames={"times"})(jnp.ones(2), times=2),
    jax.jit(jnp.sin, static_argnums=(), static_argnames=None)(1.0),
)
```

The same word is an option of something else.

```py
def plan(**options):
    return options["static_argnums"]

plan(static_argnums="all")
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX604",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TypeError"),
)


@rule.on(facts.InvalidOption)
def check(fact: facts.InvalidOption) -> Iterator[Finding]:
    if fact.kind != "type":
        return
    wanted = "numbers" if fact.option.endswith("argnums") else "names"
    if fact.accepted:
        yield rule.finding(
            fact,
            f"`{fact.option}` takes `{fact.given}` for the number {int(fact.given == 'True')} of a "
            "parameter",
            help="write the number of the parameter, or its name",
            severity=Severity.WARNING,
        )
        return
    yield rule.finding(
        fact,
        f"`{fact.option}` takes {wanted} of parameters, not `{fact.given}`: `{fact.callee}` raises "
        "`TypeError`",
        help=f"write `{fact.detail}`" if fact.detail else f"give {wanted} of parameters",
    )


@rule.fix(facts.InvalidOption)
def fix(fact: facts.InvalidOption, code: Code) -> Fix | None:
    one = fixes.transform_sites.application(code, fact.node)
    text = None if one is None else one.text()
    if one is None or text is None or not fact.detail or fact.accepted:
        return None
    given, at = one.option(fact.option), text.index(fact.option)
    if given is None or at is None or one.option(fact.detail) is not None:
        return None
    kind = str if fact.detail.endswith("names") else int
    if not fixes.literals.is_literal(given):
        return None
    values = [part.value for part in fixes.literals.constants(given)]
    if any(type(value) is not kind or not _is_known(value, one.function) for value in values):
        return None
    edit = text.renamed(at, fact.detail)
    return None if edit is None else code.fix(f"Replace with `{fact.detail}`", edit)


def _is_known(value: str | int, function: ir.FunctionDef | None) -> bool:
    """Whether a function has a parameter of this name or number; True where it is not seen."""
    params = () if function is None else function.params
    if function is None or any(param.kind in ("vararg", "kwarg") for param in params):
        return True
    if isinstance(value, str):
        return any(one.name == value and one.kind in ("plain", "keyword") for one in params)
    count = sum(one.kind in ("plain", "positional") for one in params)
    return -count <= value < count
