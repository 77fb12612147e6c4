"""
Calls a function of the module `math` with a traced value.

The functions of `math` and `cmath` are written for Python numbers and convert their arguments to
them. A traced array cannot be converted: `jax.errors.ConcretizationTypeError`
(`TracerIntegerConversionError` for functions of integers, `TypeError` for more than one element).
`jax.numpy` has namesakes for most of them, and they are differentiable and work elementwise.
Source: `jax.errors.ConcretizationTypeError` in the JAX documentation.

## Example

```py
@jax.jit
def decay(amplitude, t, tau):
    return amplitude * math.exp(-t / tau)  # error

decay(2.0, 1.0, 0.5)
```

## Use instead

```py fixed
@jax.jit
def decay(amplitude, t, tau):
    return amplitude * jnp.exp(-t / tau)

decay(2.0, 1.0, 0.5)
```

`--fix` calls the namesake in `jax.numpy` or `jax.scipy.special`. That is safe where the code runs
in no other way than traced; a helper that host code calls too gives an array there from then on,
and a rounded number that becomes an array may be needed as one of Python, so both take
`--unsafe-fixes`. A result that is seen to be tested, or to be a size, is left alone.

## Rounding

`math.floor` returns an integer, `jnp.floor` an array of floats.

```py
@jax.jit
def cell_of(position, spacing):
    return jnp.array([math.floor(position / spacing), 0])  # error

cell_of(7.5, 2.0)
```

```py fixed
@jax.jit
def cell_of(position, spacing):
    return jnp.array([jnp.floor(position / spacing).astype(int), 0])

cell_of(7.5, 2.0)
```

## Fine as it is

Shapes, constants and static arguments are Python numbers.

```py
@partial(jax.jit, static_argnames="heads")
def attention_scores(q, k, heads):
    width = math.prod(q.shape[1:]) // heads
    return (q @ k.T) / math.sqrt(width) * math.pi

attention_scores(jnp.ones((3, 4)), jnp.ones((3, 4)), heads=2)
```

Host callbacks run outside the trace, on concrete values.

```py
def host_gamma(x):
    return np.float32(math.gamma(x))

@jax.jit
def gamma_pdf(x, shape):
    norm = jax.pure_callback(host_gamma, jax.ShapeDtypeStruct((), jnp.float32), shape)
    return x ** (shape - 1) * jnp.exp(-x) / norm

gamma_pdf(1.0, 3.0)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Edit,
    Finding,
    Fix,
    Raises,
    Rule,
    Severity,
    Span,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX313",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("ConcretizationTypeError", "TracerIntegerConversionError", "TypeError"),
)

ROUNDING = frozenset({"ceil", "floor", "trunc"})
ABSENT = frozenset({"comb", "fma", "isqrt", "perm", "polar", "rect", "remainder", "sumprod", "ulp"})
SEVERAL_ARGUMENTS = frozenset(
    {
        "atan2",
        "copysign",
        "fmod",
        "gcd",
        "hypot",
        "isclose",
        "lcm",
        "ldexp",
        "log",
        "nextafter",
        "pow",
    }
)
OTHER = {
    "dist": "jnp.linalg.norm",
    "erf": "jax.scipy.special.erf",
    "erfc": "jax.scipy.special.erfc",
    "factorial": "jax.scipy.special.factorial",
    "fsum": "jnp.sum",
    "gamma": "jax.scipy.special.gamma",
    "lgamma": "jax.scipy.special.gammaln",
    "phase": "jnp.angle",
}
# Logarithms to other bases have no namesake.
BASES = {2: "jax.numpy.log2", 10: "jax.numpy.log10"}
MOST = {"jax.numpy.log": 1}


def advice(fact: facts.Concretized) -> str:
    """What to call in place of the function of `math`."""
    module, _, name = fact.dotted.partition(".")
    if module not in ("math", "cmath") or name in ABSENT:
        return f"compute it with `jnp`, or call `{fact.callee}` through `jax.pure_callback`"
    if name in ROUNDING:
        return f"use `jnp.{name}({fact.text}).astype(int)`"
    if name in OTHER or name in SEVERAL_ARGUMENTS:
        return f"use `{OTHER.get(name, f'jnp.{name}')}` instead of `{fact.callee}`"
    return f"use `jnp.{name}({fact.text})`"


@rule.on(facts.Concretized)
def check(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink == "math":
        message = f"`{fact.callee}` needs a concrete number, but {fact.why()}"
        yield rule.finding(fact, message, help=advice(fact))


@rule.fix(facts.Concretized)
def fix(fact: facts.Concretized, code: Code) -> Fix | None:
    call, dotted = code.parent(fact.node), fixes.equivalents.namesake(fact.dotted)
    if fact.sink != "math" or not dotted or not isinstance(call, ir.Call):
        return None
    if code.meaning(call.func) != fact.dotted or (fact.trail and fact.trail.python):
        return None
    more: list[Edit] = []
    if dotted == "jax.numpy.log" and len(call.args) == 2:
        dotted = _to_base(code, call, more)
    is_plain = all(a.keyword is None and not a.star for a in call.args)
    if not (dotted and is_plain and fixes.uses.suits_array(code, call)):
        return None
    edits = fixes.calls.recalled(code, call, dotted)
    if edits is None or (not more and len(call.args) > MOST.get(dotted, 2)):
        return None
    title = f"Replace `{fact.callee}` with `{edits[0].replacement}`"
    is_rounding = dotted.rpartition(".")[2] in ROUNDING
    if is_rounding:
        title += " and `.astype(int)`"
        more.append(code.after(call, ".astype(int)"))
    is_unsafe = is_rounding or not code.is_exclusive(fact)
    return code.fix(title, *edits, *more, unsafe=is_unsafe)


def _to_base(code: Code, call: ir.Call, more: list[Edit]) -> str:
    """The logarithm to the base that a call asks for; what goes is put into `more`."""
    value, base = (argument.value for argument in call.args)
    span = code.between(value, base)
    known = BASES.get(base.value) if isinstance(base, ir.Const) else None
    if known is None or code.source.slice(span).strip() != ",":
        return ""
    end = code.module.locate(base)
    more.append(Edit(Span(span.line, span.column, end.end_line, end.end_column), ""))
    return known
