"""Leaves a call for debugging in the program.

`jax.debug.print` and `jax.debug.breakpoint` go from the compiled program back to Python each time
it runs. `jax.disable_jit`, `jax_debug_nans`, `jax.checking_leaks` and kin make every program slow
that runs under them. They are made to look into a program, and are easily forgotten. See
"Introduction to debugging" in the JAX documentation.

## Example

```py
@jax.jit
def update(w, gradient):
    jax.debug.print("norm {}", jnp.linalg.norm(gradient))  # error
    return w - 0.1 * gradient

len(jax.make_jaxpr(update)(jnp.ones(2), jnp.ones(2)).effects) == 0
```

## Use instead

```py fixed
@jax.jit
def update(w, gradient):
    return w - 0.1 * gradient

len(jax.make_jaxpr(update)(jnp.ones(2), jnp.ones(2)).effects) == 0
```

`--fix` takes out statements that call `jax.debug.print`. That is safe where what is printed is
computed by JAX alone, and takes `--unsafe-fixes` where other functions are called for it. The
other calls and the switches stay.

## Switches

```py
runs = []

@jax.jit
def scale(x):
    runs.append(x)
    return 2 * x

with jax.disable_jit():  # error
    scale(1.0)
    scale(1.0)
len(runs) == 1
```

## Fine as it is

Under a switch of the program's own, which says what it is for.

```py
DEBUG = False

@jax.jit
def update(w, gradient):
    if DEBUG:
        jax.debug.print("norm {}", jnp.linalg.norm(gradient))
    return w - 0.1 * gradient

len(jax.make_jaxpr(update)(jnp.ones(2), jnp.ones(2)).effects) == 0
```

In tests, and where it switches something off.

```py
def test_shrinks():
    with jax.disable_jit():
        assert float(jnp.tanh(0.5)) < 0.5

test_shrinks()
with jax.log_compiles(False):
    shown = jax.jit(lambda x: x)(1.0)
float(shown) == 1.0
```

## Notes

This rule is off by default: programs may well print on purpose. In files for tests, and under a
condition with `debug` or `verbose` in its name, nothing is reported.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX713",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    applicability=Applicability.SAFE,
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "debug-leftover":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is for debugging: it {fact.detail} each time",
            help="take it out, or put it under a switch of the program",
        )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind != "debug-leftover" or not isinstance(call, ir.Call):
        return None
    statement = code.statement(call)
    is_alone = isinstance(statement, ir.ExprStmt) and statement.value is call
    if code.meaning(call.func) != "jax.debug.print" or statement is None or not is_alone:
        return None
    inside = list(fixes.calls.inside(call))
    if any(isinstance(one, (ir.NamedExpr, ir.Await, ir.Yield)) for one in inside):
        return None
    # To compute what is printed may do more than that.
    others = [one for one in inside if isinstance(one, ir.Call) and one is not call]
    is_pure = all(code.meaning(one.func).startswith("jax.") for one in others)
    edit = code.removed(statement) or code.replace(statement, "pass")
    return code.fix("Take it out", edit, unsafe=not is_pure)
