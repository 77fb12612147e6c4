"""Computes with JAX what is a number of Python.

`jnp.sqrt(x.shape[-1])` or `jnp.log(2.0)` know all that they need while Python runs. As operations
of JAX they become part of the traced program, or are dispatched to the device by themselves, and
their result is an array of a device where a number would do. See "JAX - The Sharp Bits" and
"Tracing" in the JAX documentation.

## Example

```py
@jax.jit
def scores(q, k):
    return q @ k.T / jnp.sqrt(q.shape[-1])  # error

text = str(jax.make_jaxpr(scores)(jnp.ones((2, 4)), jnp.ones((2, 4))))
"sqrt" not in text
```

## Use instead

```py fixed
@jax.jit
def scores(q, k):
    return q @ k.T / math.sqrt(q.shape[-1])

text = str(jax.make_jaxpr(scores)(jnp.ones((2, 4)), jnp.ones((2, 4))))
"sqrt" not in text
```

`--fix` calls the namesake where the operands are numbers by their looks. That is safe beside a
traced array in code that is compiled, for functions that fail for no operand and give the same
kind of number; anything else takes `--unsafe-fixes`, since a number of Python has no methods of an
array, and `math.log(0)` raises.

## Outside compiled code

```py
def blocks(n):
    return jnp.ceil(n / 4)

parts = jnp.ceil(10 / 4)  # error
isinstance(parts, int)
```

```py fixed
def blocks(n):
    return math.ceil(n / 4)

parts = math.ceil(10 / 4)
isinstance(parts, int)
```

## Fine as it is

With an array among the operands.

```py
@jax.jit
def scaled(x):
    return x * jnp.sqrt(x)

scaled(jnp.ones(3)).shape == (3,)
```

Constants of the module.

```py
circle = np.linspace(0.0, 2 * jnp.pi, 5)
circle.shape == (5,)
```

## Notes

This rule is off by default: in compiled code XLA computes such constants once.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX710",
    severity=Severity.PERF,
    since="0.1",
    default=False,
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "number-operand":
        yield rule.finding(
            fact,
            f"`{fact.subject}` of plain numbers is an operation on the device, and its result an "
            "array",
            help=f"use `{fact.detail}`",
        )


# These differ for no number in what kind of number they give, and fail for none.
ALIKE = frozenset({"abs", "math.atan", "math.cos", "math.sin", "math.tan", "math.tanh"})
# And these fail for none that a shape or a constant is.
POSITIVE = frozenset({"math.log", "math.log10", "math.log1p", "math.log2", "math.sqrt"})


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind != "number-operand" or not isinstance(call, ir.Call):
        return None
    reached = fixes.host_math.function(code, call, fact.detail)
    if reached is None or not fixes.uses.suits_number(code, call):
        return None
    # Other calls of the code around may bring arrays where this one brings numbers.
    if any(fixes.host_math.written(code, argument.value) is None for argument in call.args):
        return None
    outer = code.parent(call)
    if isinstance(outer, ir.Call) and code.meaning(outer.func).startswith("jax."):
        return None
    return code.fix(
        f"Replace `{fact.subject}` with `{reached[0]}`",
        code.replace(call.func, reached[0]),
        *reached[1],
        unsafe=not (code.is_exclusive(fact) and _is_sound(fact, call) and _is_beside(code, call)),
    )


def _is_beside(code: Code, call: ir.Call) -> bool:
    """Whether the number is an operand beside an array of JAX, so that the result is one too."""
    parent = code.parent(call)
    if not isinstance(parent, ir.BinOp):
        return False
    return fixes.forms.is_traced(code, parent.left if call is parent.right else parent.right)


def _is_sound(fact: facts.ContractViolation, call: ir.Call) -> bool:
    """Whether the function of Python gives a number of the same kind, for every operand."""
    value = call.args[0].value
    if fact.detail == "math.sqrt" and fixes.forms.is_static(value):
        return True
    number = value.value if isinstance(value, ir.Const) else None
    is_positive = isinstance(number, (int, float)) and number > 0
    return fact.detail in ALIKE or (fact.detail in POSITIVE and is_positive)
