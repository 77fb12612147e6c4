"""Passes the result of a call where control flow of `lax` takes a function.

`lax.cond`, `lax.switch`, `lax.scan` and their kin call the functions that they are given, to trace
them. In `lax.cond(p, f(x), g(x))` both branches have run before `cond` does. It gets two arrays,
which cannot be called, and raises `TypeError`. Operands of a branch are arguments of their own,
behind the functions.

Source: JAX documentation of `jax.lax.cond` and `jax.lax.switch`.

## Example

```py
def step(x, is_training):
    return lax.cond(is_training, jnp.tanh(x), jnp.sign(x))  # error

step(jnp.ones(3), True)
```

## Use instead

Pass the functions, and the operands after them.

```py fixed
def step(x, is_training):
    return lax.cond(is_training, jnp.tanh, jnp.sign, x)

step(jnp.ones(3), True)
```

`--fix --unsafe-fixes` writes `lambda:` before a call that is given to `cond` or `switch` without
operands. It is unsafe since only the branch that is chosen runs then, where both ran before.

## Functions that close over their operands

```py
@jax.jit
def activate(kind, x):
    return lax.switch(kind, [jax.nn.relu(x), jnp.tanh(x)])  # error

activate(1, jnp.ones(3))
```

```py fixed
@jax.jit
def activate(kind, x):
    return lax.switch(kind, [lambda: jax.nn.relu(x), lambda: jnp.tanh(x)])

activate(1, jnp.ones(3))
```

## The test of a loop

```py
def root(guess):
    error = guess**2 - 2.0
    return lax.while_loop(error > 1e-3, lambda g: 0.5 * (g + 2.0 / g), guess)  # error

root(jnp.float32(2.0))
```

## Fine as it is

Calls that make a function are what these take.

```py
def scale(by):
    return lambda v: v * by

branches = [scale(0.5), partial(jnp.multiply, 2.0), jax.checkpoint(jnp.sin)]
lax.switch(1, branches, 3.0), lax.cond(True, scale(1.0), jax.jit(jnp.cos), 3.0)
```

An object may be called, and a method too.

```py
class Layer:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return x * self.weight

    def reverse(self, x):
        return x / self.weight

layer = Layer(2.0)
lax.cond(True, layer, layer.reverse, jnp.ones(2))
```

The older order of the arguments, with an operand for each branch, still works.

```py
lax.cond(True, 3.0, lambda v: v + 1, 4.0, lambda v: v - 1)
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX324",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError"),
    applicability=Applicability.UNSAFE,
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind != "no-function":
        return
    if fact.detail == "called":
        yield rule.finding(
            fact,
            f"`{fact.text}` runs before `{fact.callee}` does, which takes a function and gets what "
            "that returned",
            help="pass the function and its operands one by one, or `lambda: ...`",
        )
    else:
        yield rule.finding(
            fact,
            f"`{fact.callee}` takes a function here, and `{fact.text}` is none",
            help="pass a function; operands go behind the functions",
        )


WITHOUT_OPERANDS = {"jax.lax.cond": 3, "jax.lax.switch": 2}


@rule.fix(facts.Refused)
def fix(fact: facts.Refused, code: Code) -> Fix | None:
    node = fact.node
    if fact.kind != "no-function" or fact.detail != "called" or not isinstance(node, ir.Call):
        return None
    call = fixes.calls.call_with(code, node)
    if call is None or any(a.star or a.keyword for a in call.args):
        return None
    # With operands, the function that is called may well be the branch itself.
    if len(call.args) != WITHOUT_OPERANDS.get(code.meaning(call.func)):
        return None
    title = "Call it in the branch: `lambda: ...`"
    return code.fix(title, code.before(node, "lambda: "), unsafe=True)
