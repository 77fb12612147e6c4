"""Jits a function that only one other jitted function calls, and once.

A jitted function that is called by another one becomes a function of its own in the program. XLA
inlines it, so nothing runs slower; but the decorator does nothing either, unless the function is
called several times: then it is traced once for all calls. See "Just-in-time compilation" in the
JAX documentation, and https://github.com/jax-ml/jax/issues/2884.

## Example

```py
@jax.jit  # error
def normalised(v):
    return v / jnp.linalg.norm(v)

@jax.jit
def similarity(a, b):
    return normalised(a + b).sum()

similarity(jnp.ones(2), jnp.ones(2))
str(jax.make_jaxpr(similarity)(jnp.ones(2), jnp.ones(2))).count("name=normalised") == 0
```

## Use instead

```py fixed
def normalised(v):
    return v / jnp.linalg.norm(v)

@jax.jit
def similarity(a, b):
    return normalised(a + b).sum()

similarity(jnp.ones(2), jnp.ones(2))
str(jax.make_jaxpr(similarity)(jnp.ones(2), jnp.ones(2))).count("name=normalised") == 0
```

`--fix` takes the transform off. That is safe where the function is given what is traced: the other
one compiles the same operations. Where it may be given numbers or arrays of NumPy, which then stay
what they are, it takes `--unsafe-fixes`. Options that place what is computed are left alone.

## In a chain

```py
@partial(jax.jit, static_argnames="power")  # error
def raised(x, power):
    return x**power

@jax.jit
def cubed(x):
    return raised(x, power=3)

str(jax.make_jaxpr(cubed)(2.0)).count("name=raised") == 0
```

## Fine as it is

Called twice, it is traced once.

```py
@jax.jit
def activated(x):
    return jnp.tanh(x)

@jax.jit
def two_layers(x):
    return activated(activated(x) + 1)

str(jax.make_jaxpr(two_layers)(1.0)).count("name=activated") == 2
```

Called outside compiled code as well.

```py
@jax.jit
def softened(x):
    return jax.nn.softplus(x)

doubled = jax.jit(lambda x: 2 * softened(x))
float(softened(1.0)) < float(doubled(1.0))
```

## Notes

This rule is off by default: the decorator does no harm, and other modules may call the function.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX704",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "redundant-jit":
        yield rule.finding(
            fact,
            f"jitting `{fact.subject}` does nothing: only `{fact.detail}` calls it, which is "
            "jitted, and it calls it once",
            help="take the transform off, unless other modules call the function",
        )


# What changes nothing but how a program is found and what becomes of its buffers.
IDLE = frozenset(
    {"static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "keep_unused"}
)


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    one = fixes.transform_sites.application(code, fact.node)
    options = None if one is None else one.options()
    if fact.kind != "redundant-jit" or one is None or options is None:
        return None
    edit = fixes.transform_sites.taken_off(one, fact.node) if IDLE.issuperset(options) else None
    if edit is None or _needs_arrays(one, fact.subject, code):
        return None
    title = f"Leave `{fact.subject}` to its caller"
    return code.fix(title, edit, unsafe=not _gets_tracers(one, fact.subject, code))


def _needs_arrays(one: fixes.transform_sites.Application, name: str, code: Code) -> bool:
    """Whether a call passes a number of Python that only `jit` makes an array, whose attributes the
    function reads."""
    if one.function is None:
        return False
    params = [param.name for param in one.function.params]
    asked = fixes.forms.asked(one.function)
    return any(
        isinstance(given.value, ir.Const)
        and (given.keyword or (params[at] if at < len(params) else "")) in asked
        for call in fixes.scopes.calls(code.module.body)
        if isinstance(call.func, ir.Name) and call.func.id == name
        for at, given in enumerate(call.args)
    )


def _gets_tracers(one: fixes.transform_sites.Application, name: str, code: Code) -> bool:
    """Whether every call passes what is traced for all parameters but static ones."""
    static = one.option("static_argnames")
    names = set() if static is None else {part.value for part in fixes.literals.constants(static)}
    for call in fixes.scopes.calls(code.module.body):
        if not isinstance(call.func, ir.Name) or call.func.id != name:
            continue
        caller = code.function(call)
        around = None if caller is None else fixes.transform_sites.application(code, caller)
        if caller is None or around is None or around.options() != ():
            return False
        params = {param.name for param in caller.params}
        given = [each.value for each in call.args if each.keyword not in names]
        if not all(_is_traced(value, params, code) for value in given):
            return False
    return one.option("static_argnums") is None


def _is_traced(node: ir.Expr, params: set[str], code: Code) -> bool:
    """Whether an expression is computed from parameters of a compiled function, or by JAX."""
    if isinstance(node, ir.Name):
        return node.id in params
    if isinstance(node, ir.BinOp):
        return _is_traced(node.left, params, code) or _is_traced(node.right, params, code)
    if isinstance(node, ir.UnaryOp):
        return _is_traced(node.operand, params, code)
    return isinstance(node, ir.Call) and code.meaning(node.func).startswith("jax.numpy.")
