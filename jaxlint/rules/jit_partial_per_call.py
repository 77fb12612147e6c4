"""Compiles a `functools.partial` that is new each time.

Two partials of the same function with the same arguments are different objects, and JAX remembers
compiled programs by the identity of what it compiles. So `jax.jit(partial(f, ...))` compiles
whenever it is evaluated again. See "JIT and caching" on the page "Just-in-time compilation" of
the JAX documentation, which warns of exactly this.

## Example

```py
def huber(delta, error):
    size = jnp.abs(error)
    return jnp.where(size < delta, 0.5 * error**2, delta * (size - 0.5 * delta))

def total_loss(errors):
    total = 0.0
    for error in errors:
        total += jax.jit(partial(huber, 1.0))(error).sum()  # error
    return total

total_loss([jnp.arange(3.0), jnp.ones(3)])
```

## Use instead

Compile the function itself: a partial of a compiled function shares its programs. The bound value
becomes an ordinary traced argument; name it in `static_argnames` if it must stay a Python value.

```py fixed
@jax.jit
def huber(delta, error):
    size = jnp.abs(error)
    return jnp.where(size < delta, 0.5 * error**2, delta * (size - 0.5 * delta))

def total_loss(errors):
    loss = partial(huber, 1.0)
    return sum(loss(error).sum() for error in errors)

total_loss([jnp.arange(3.0), jnp.ones(3)])
```

`--fix --unsafe-fixes` compiles the partial once, outside, where it binds nothing of the iteration;
otherwise it binds the arguments of the compiled function, as static ones where they are seen to be
Python values. It is unsafe since arrays that were constants of the program become arguments.

## On every call

```py
def shift(x, by):
    return jnp.roll(x, by)

def rotated(x, by):
    return jax.jit(partial(shift, by=by))(x)  # error

[rotated(jnp.arange(4), 1) for _ in range(3)]
```

```py fixed
def shift(x, by):
    return jnp.roll(x, by)

def rotated(x, by):
    return partial(jax.jit(shift, static_argnames="by"), by=by)(x)

[rotated(jnp.arange(4), 1) for _ in range(3)]
```

## Fine as it is

The decorator idiom binds arguments of `jit`, not of the function.

```py
@partial(jax.jit, static_argnames="times")
def tiled(x, times):
    return jnp.tile(x, times)

[tiled(jnp.arange(3), times=2) for _ in range(3)]
```

One partial, compiled once, serves every call.

```py
def scaled(factor, x):
    return factor * x

halve = jax.jit(partial(scaled, 0.5))
[halve(jnp.arange(3.0)) for _ in range(3)]
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if each iteration of the loop
compiles another function, which needs a program of its own; and outside of loops, if what is
compiled uses what the call was given and no loop of the file is seen to call the function.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Finding,
    Fix,
    Recompiles,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX503",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.FreshJit)
def check(fact: facts.FreshJit) -> Iterator[Finding]:
    if fact.cause == "partial":
        often = f"call of `{fact.function}`" if fact.place == "call" else "iteration"
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again on every {often}: `{fact.target}` is a new object "
            "each time, and compiled programs are found by identity",
            help=f"bind the arguments of the compiled function, `partial({fact.callee}(f), ...)`, "
            "or create it once, outside",
        )


@rule.fix(facts.FreshJit)
def fix(fact: facts.FreshJit, code: Code) -> Fix | None:
    if fact.cause != "partial" or not isinstance(fact.node, ir.Call):
        return None
    return fixes.compile_once.compiled_once(code, fact.node) or _swapped(fact, fact.node, code)


def _swapped(fact: facts.FreshJit, call: ir.Call, code: Code) -> Fix | None:
    """`partial(jit(f), a)` for `jit(partial(f, a))`: what is bound becomes an argument, a static
    one if it is a Python value."""
    inner = call.args[0].value if len(call.args) == 1 else None
    if not isinstance(inner, ir.Call) or not inner.args or not fact.bound:
        return None
    function, *given = inner.args
    is_made_here = fixes.hoist.captured(code, call, fixes.hoist.free_in_expression(function.value))
    if any(one.star for one in inner.args) or not given or is_made_here:
        return None
    static = ""
    if fact.bound == "python":
        names = [f'"{one.keyword}"' for one in given if one.keyword is not None]
        numbers = [str(at) for at, one in enumerate(given) if one.keyword is None]
        static = _option("static_argnums", numbers) + _option("static_argnames", names)
    text = fixes.call_text.CallText(code, inner)
    rest = ", ".join(text.written(at) for at in range(1, len(inner.args)))
    jit, made = code.text(call.func), code.text(inner.func)
    edit = code.replace(call, f"{made}({jit}({text.written(0)}{static}), {rest})")
    return code.fix(f"Bind the arguments of `{jit}({text.written(0)})`", edit)


def _option(name: str, values: list[str]) -> str:
    """An option that lists some values, behind a comma."""
    if not values:
        return ""
    return f", {name}={values[0]}" if len(values) == 1 else f", {name}=({', '.join(values)})"
