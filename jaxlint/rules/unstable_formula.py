"""
A formula overflows or cancels where a function of JAX computes the same exactly.

The exponential of a large number is infinite, and the difference of two numbers that are almost
equal has few digits left. For the usual formulas JAX has functions that avoid both:
`jax.nn.logsumexp`, `jax.nn.log_softmax`, `jax.nn.log_sigmoid`, `jnp.log1p`, `jnp.expm1`, `jnp.var`.
Source: documentation of these functions.

This rule is off by default: for numbers of moderate size the formulas are right.

## Example

```py
scores = jnp.full(3, 200.0)
total = jnp.log(jnp.sum(jnp.exp(scores)))  # error
bool(jnp.isfinite(total))
```

## Use instead

```py fixed
scores = jnp.full(3, 200.0)
total = jax.nn.logsumexp(scores)
bool(jnp.isfinite(total))
```

`--fix` writes the function where the formula is one expression. It is safe: the results differ by
what the formula loses. The variance of complex numbers is defined otherwise, so `jnp.var` takes
`--unsafe-fixes`.

## Probabilities that become zero

```py
scores = jnp.array([0.0, 200.0])
loss = -jnp.log(jax.nn.softmax(scores))  # error
bool(jnp.all(jnp.isfinite(loss)))
```

## Digits that cancel

```py
rate = jnp.float32(1e-8)
growth = jnp.exp(rate) - 1.0  # error
bool(growth > 0.0)
```

## Fine as it is

```py
scores = jnp.array([0.0, 200.0])
bool(jnp.all(jnp.isfinite(jax.nn.log_softmax(scores)))) and bool(jnp.expm1(1e-8) > 0.0)
```

Sums of something else, and numbers of Python.

```py
values = jnp.array([1.0, 2.0])
energy = jnp.log(jnp.sum(values**2)) + (math.exp(1.0) - 1.0)
bool(jnp.isfinite(energy)) and bool(jnp.isfinite(jnp.log(values + 2.0)).all())
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX907",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "unstable":
        yield rule.finding(
            fact,
            f"`{fact.text}` overflows or loses digits where `{fact.subject}` does not",
            help=f"use `{fact.subject}`",
        )


# The functions that a logarithm undoes, each with what then computes both.
UNDONE = {
    "jax.nn.softmax": "jax.nn.log_softmax",
    "jax.scipy.special.softmax": "jax.nn.log_softmax",
    "jax.nn.sigmoid": "jax.nn.log_sigmoid",
    "jax.scipy.special.expit": "jax.nn.log_sigmoid",
}


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    node = fact.node
    if fact.kind != "unstable" or not isinstance(node, ir.Expr):
        return None
    if isinstance(node, ir.BinOp):
        found = _difference(code, node)
    elif isinstance(node, ir.Call) and _is(code, node, "jax.numpy.log"):
        found = _logarithm(code, node.args[0].value)
    else:
        return None
    if found is None:
        return None
    dotted, text = found
    reached = code.reach(dotted, node)
    if reached is None:
        return None
    edit = code.replace(node, f"{reached[0]}({text})")
    # The variance of complex numbers is another one.
    is_unsafe = dotted == "jax.numpy.var"
    return code.fix(f"Use `{reached[0]}`", edit, *reached[1], unsafe=is_unsafe)


def _logarithm(code: Code, inner: ir.Expr) -> tuple[str, str] | None:
    """The function that the logarithm of an expression is, and its arguments."""
    if isinstance(inner, ir.BinOp) and inner.op == "+":
        for one, other in ((inner.left, inner.right), (inner.right, inner.left)):
            if _is_one(one):
                return "jax.numpy.log1p", code.text(other)
    if not isinstance(inner, ir.Call):
        return None
    other_name = UNDONE.get(code.meaning(inner.func))
    if other_name is not None:
        return other_name, fixes.calls.arguments(code, inner)
    return _of_sum(code, inner)


def _of_sum(code: Code, inner: ir.Call) -> tuple[str, str] | None:
    """`jnp.log(jnp.sum(jnp.exp(x), axis=1))`."""
    if code.meaning(inner.func) == "jax.numpy.sum" and inner.args:
        whole, options = inner.args[0].value, inner.args[1:]
    elif isinstance(inner.func, ir.Attribute) and inner.func.attr == "sum":
        whole, options = inner.func.value, inner.args
    else:
        return None
    known = all(a.keyword in (None, "axis", "keepdims") and not a.star for a in options)
    by_position = sum(a.keyword is None for a in options)
    if not isinstance(whole, ir.Call) or not _is(code, whole, "jax.numpy.exp") or not known:
        return None
    if by_position > 1:
        return None
    values = [f"{a.keyword or 'axis'}={code.text(a.value)}" for a in options]
    return "jax.nn.logsumexp", ", ".join([code.text(whole.args[0].value), *values])


def _difference(code: Code, node: ir.BinOp) -> tuple[str, str] | None:
    """`jnp.exp(x) - 1`, and the mean of squares less the square of the mean."""
    left, right = node.left, node.right
    if node.op != "-" or not isinstance(left, ir.Call):
        return None
    if _is_one(right) and _is(code, left, "jax.numpy.exp"):
        return "jax.numpy.expm1", code.text(left.args[0].value)
    square = left.args[0].value if _is(code, left, "jax.numpy.mean") else None
    mean = _squared(right)
    base = None if square is None else _squared(square)
    if base is None or not isinstance(mean, ir.Call) or not _is(code, mean, "jax.numpy.mean"):
        return None
    text = code.text(base)
    return ("jax.numpy.var", text) if code.text(mean.args[0].value) == text else None


def _squared(node: ir.Expr) -> ir.Expr | None:
    """`x` of `x**2`."""
    if not (isinstance(node, ir.BinOp) and node.op == "**" and isinstance(node.right, ir.Const)):
        return None
    return node.left if node.right.value == 2 else None


def _is(code: Code, call: ir.Call, dotted: str) -> bool:
    """Whether this calls a function with a single argument."""
    plain = len(call.args) == 1 and not call.args[0].star and not call.args[0].keyword
    return plain and code.meaning(call.func) == dotted


def _is_one(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and not isinstance(node.value, bool) and node.value == 1
