"""
A branch that `where` does not choose has no finite derivative, so the gradient is NaN.

`jnp.where(test, a, b)` computes both branches and picks. Its derivative does the same: what is not
picked gets a derivative of zero, which is then multiplied by the derivative of that branch. Where
this is infinite (a logarithm or a root at zero, a division by zero), zero times infinity is NaN,
although the value itself is right. Keep the operand away from there, before the operation.
Source: JAX documentation, FAQ, "Gradients contain NaN where using where"; jax-ml/jax#1052.

Only code that is seen to be differentiated is reported.

## Example

```py
def entropy(p):
    terms = jnp.where(p > 0, p * jnp.log(p), 0.0)  # error
    return -jnp.sum(terms)

p = jnp.array([0.5, 0.5, 0.0])
bool(jnp.all(jnp.isfinite(jax.grad(entropy)(p))))
```

## Use instead

Choose the operand first: in the branch that is not picked, any harmless value will do.

```py fixed
def entropy(p):
    positive = jnp.where(p > 0, p, 1.0)
    terms = jnp.where(p > 0, p * jnp.log(positive), 0.0)
    return -jnp.sum(terms)

p = jnp.array([0.5, 0.5, 0.0])
bool(jnp.all(jnp.isfinite(jax.grad(entropy)(p))))
```

`--fix --unsafe-fixes` puts such a choice around an operand that is a parameter. It is unsafe since
the gradient changes where the condition does not hold.

## Division by a norm

```py
def direction(v):
    length = jnp.sqrt(jnp.sum(v**2))
    unit = jnp.where(length > 0.0, v / length, jnp.zeros_like(v))  # error
    return unit[0]

bool(jnp.all(jnp.isfinite(jax.jit(jax.grad(direction))(jnp.zeros(2)))))
```

## Fine as it is

A bound keeps the operand where the derivative is finite.

```py
def penalty(x):
    return jnp.where(x > 0, jnp.log(jnp.maximum(x, 1e-6)), 0.0)

bool(jnp.isfinite(jax.grad(penalty)(0.0)))
```

Both branches have a derivative everywhere.

```py
def elu(x):
    return jnp.where(x > 0, x, jnp.expm1(x))

bool(jnp.isfinite(jax.grad(elu)(0.0)))
```

Nothing is differentiated here, or not with respect to what is divided by.

```py
def mean(total, count):
    return jnp.where(count > 0, total / count, 0.0)

float(mean(jnp.float32(3.0), 0)) == 0.0
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX906",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "where-gradient":
        return
    yield rule.finding(
        fact,
        f"the gradient is NaN where the condition leaves out `{fact.subject}`: its derivative is "
        "not finite there, and zero times that is NaN",
        help=f"choose the operand first: `jnp.where(..., {fact.detail}, 1.0)` inside",
    )


INVERSE = re.compile(r"\ba(?:rc)?(?:sin|cos|tan)h?\(")


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind != "where-gradient" or not isinstance(call, ir.Call) or len(call.args) != 3:
        return None
    is_plain = not any(a.star or a.keyword for a in call.args)
    if not is_plain or code.meaning(call.func) not in ("jax.numpy.where", "jax.lax.select"):
        return None
    condition, *branches = (a.value for a in call.args)
    reached = code.reach("jax.numpy.where", call)
    uses = [
        (is_first, one)
        for is_first, branch in zip((True, False), branches, strict=True)
        for one in fixes.calls.inside(branch)
        if isinstance(one, ir.Expr) and code.text(one) == fact.subject
    ]
    if len(uses) != 1 or reached is None or "\n" in code.text(condition):
        return None
    is_first, use = uses[0]
    operand = _operand(code, use, fact.detail)
    if operand is None:
        return None
    chosen = (fact.detail, "1.0") if is_first else ("1.0", fact.detail)
    text = f"{reached[0]}({code.text(condition)}, {chosen[0]}, {chosen[1]})"
    title = f"Choose `{fact.detail}` before it is used"
    return code.fix(title, code.replace(operand, text), *reached[1], unsafe=True)


def _operand(code: Code, use: ir.Expr, text: str) -> ir.Name | None:
    """The parameter that decides whether an operation has a derivative; one is inside all of their
    domains, but for the inverse functions of sine and the like."""
    function = code.function(use)
    found = [one for one in fixes.calls.inside(use) if isinstance(one, ir.Name) and one.id == text]
    named = function is not None and text in {p.name for p in function.params}
    if len(found) != 1 or not named or INVERSE.search(code.text(use)):
        return None
    return found[0]
