"""Compiles a bound method that is a new object on each access.

`model.loss` looks like one thing, but Python makes a new bound method whenever it evaluates the
attribute. JAX remembers compiled programs by the identity of the function, so
`jax.jit(model.loss)` compiles again each time it is evaluated (issues 9672 and 19570 of
jax-ml/jax).

## Example

```py
class Line:
    def __init__(self, slope):
        self.slope = slope

    def loss(self, x, y):
        return ((self.slope * x - y) ** 2).mean()

def evaluate(model, batches):
    return [jax.jit(model.loss)(x, y) for x, y in batches]  # error

evaluate(Line(2.0), [(jnp.ones(3), jnp.ones(3)), (jnp.ones(3), jnp.zeros(3))])
```

## Use instead

Take the bound method once, before the loop or in the constructor, and keep what `jit` returns.

```py fixed
class Line:
    def __init__(self, slope):
        self.slope = slope
        self.fast_loss = jax.jit(self.loss)

    def loss(self, x, y):
        return ((self.slope * x - y) ** 2).mean()

def evaluate(model, batches):
    return [model.fast_loss(x, y) for x, y in batches]

MODEL = Line(2.0)
evaluate(MODEL, [(jnp.ones(3), jnp.ones(3)), (jnp.ones(3), jnp.zeros(3))])
```

`--fix --unsafe-fixes` compiles the method before the loop, or in the initialiser of a class that is
all in the file. It is unsafe since the compiled method keeps the state of its object as it was when
it was traced.

## Inside the class

```py
class Filter:
    def smooth(self, x):
        return (x + jnp.roll(x, 1)) / 2

    def __call__(self, x):
        return jax.jit(self.smooth)(x)  # error

smoother = Filter()
[smoother(jnp.arange(4.0)) for _ in range(3)]
```

```py fixed
class Filter:
    def __init__(self):
        self.compiled_smooth = jax.jit(self.smooth)

    def smooth(self, x):
        return (x + jnp.roll(x, 1)) / 2

    def __call__(self, x):
        return self.compiled_smooth(x)

smoother = Filter()
[smoother(jnp.arange(4.0)) for _ in range(3)]
```

## Fine as it is

A static method and a function of a module are the same object on each access.

```py
class Losses:
    @staticmethod
    def square(x):
        return x * x

[jax.jit(Losses.square)(jnp.ones(2)) + jax.jit(jnp.tanh)(jnp.ones(2)) for _ in range(3)]
```

A field that holds a function is not a method.

```py
from typing import Callable, NamedTuple

class Model(NamedTuple):
    apply: Callable

def forward(x):
    return jnp.sin(x)

model = Model(forward)
[jax.jit(model.apply)(jnp.ones(2)) for _ in range(3)]
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
    code="JAX504",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Recompiles(),
)


@rule.on(facts.FreshJit)
def check(fact: facts.FreshJit) -> Iterator[Finding]:
    if fact.cause == "method":
        often = f"call of `{fact.function}`" if fact.place == "call" else "iteration"
        yield rule.finding(
            fact,
            f"`{fact.callee}` compiles again on every {often}: `{fact.target}` is a new bound "
            "method each time, and compiled programs are found by identity",
            help=f"keep the result of `{fact.callee}({fact.target})`: create it once, before the "
            "loop or in `__init__`",
        )


@rule.fix(facts.FreshJit)
def fix(fact: facts.FreshJit, code: Code) -> Fix | None:
    if fact.cause != "method" or not isinstance(fact.node, ir.Call):
        return None
    return fixes.compile_once.compiled_once(code, fact.node) or fixes.cached_methods.kept(
        code, fact.node
    )
