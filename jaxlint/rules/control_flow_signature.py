"""Gives control flow of `lax` a function with the wrong signature, or operands of the wrong form.

Every construct has its own contract. `lax.scan` calls `f(carry, x)`, which returns the pair of the
next carry and one output; `lax.fori_loop` calls `body(i, carry)`; the test of `lax.while_loop`
returns one boolean; branches take as many arguments as there are operands; a predicate is one
number; what is scanned over has leading axes of one length; what combines two elements for
`lax.associative_scan` gives one like them. What breaks one of them raises `TypeError`, `ValueError`
or `IndexError` whenever it is traced.

Source: JAX documentation of `jax.lax.scan`, `jax.lax.fori_loop`, `jax.lax.while_loop` and
`jax.lax.cond`.

## Example

```py
def total(xs):
    def add(carry, x):
        return carry + x

    return lax.scan(add, 0.0, xs)  # error

total(jnp.arange(3.0))
```

## Use instead

Return an output too, `None` if there is none.

```py fixed
def total(xs):
    def add(carry, x):
        return carry + x, None

    return lax.scan(add, 0.0, xs)

total(jnp.arange(3.0))
```

## A test that gives a number

```py
@jax.jit
def countdown(n):
    return lax.while_loop(lambda left: left, lambda left: left - 1, n)  # error

countdown(3)
```

```py fixed
@jax.jit
def countdown(n):
    return lax.while_loop(lambda left: left > 0, lambda left: left - 1, n)

countdown(3)
```

## Arguments that nobody passes

```py
def grow(population):
    return lax.fori_loop(0, 5, lambda size: size * 1.1, population)  # error

grow(10.0)
```

## A list of numbers

The elements of a list are leaves of a pytree, each of which is sliced along its leading axis. A
number has none.

```py
rates = [0.1, 0.2, 0.3]
lax.scan(lambda sum, rate: (sum + rate, sum), 0.0, rates)  # error
```

```py fixed
rates = jnp.array([0.1, 0.2, 0.3])
lax.scan(lambda sum, rate: (sum + rate, sum), 0.0, rates)
```

## Arrays of several lengths

```py
prices, amounts = jnp.linspace(1.0, 2.0, 6), jnp.arange(5)
lax.scan(lambda sum, both: (sum + both[0] * both[1], None), 0.0, (prices, amounts))  # error
```

```py fixed
prices, amounts = jnp.linspace(1.0, 2.0, 6), jnp.arange(5)
lax.scan(lambda sum, both: (sum + both[0] * both[1], None), 0.0, (prices[1:], amounts))
```

## A predicate for each element

```py
@jax.jit
def absolute(x):
    x = jnp.asarray([x, -x])
    return lax.cond(x > 0, lambda v: v, lambda v: -v, x)  # error

absolute(2.0)
```

```py fixed
@jax.jit
def absolute(x):
    x = jnp.asarray([x, -x])
    return jnp.where(x > 0, x, -x)

absolute(2.0)
```

## Fine as it is

Any pytree can be scanned over as long as its leaves are arrays, or nothing at all for a number of
steps.

```py
xs = {"position": jnp.zeros((3, 2)), "weight": (jnp.ones(3), None)}
lax.scan(lambda c, x: (c + x["weight"][0] * x["position"].sum(), None), 0.0, xs)
lax.scan(lambda c, _: (c * 2, c), 1, None, length=4)
```

Defaults and `*args` take what is passed, `partial` passes the rest.

```py
def body(scale, i, carry, offset=0.0):
    return carry + scale * i + offset

def both(*operands):
    return operands[0] + operands[1]

lax.fori_loop(0, 3, partial(body, 2.0), 0.0)
lax.cond(True, both, jnp.maximum, 1.0, 2.0)
```

The pair may come from somewhere else.

```py
def advance(state, noise):
    state = state + noise
    return state, state**2

lax.scan(lambda state, noise: advance(state, noise), 0.0, jnp.ones(3))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX325",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ValueError", "IndexError"),
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind == "order":
        what, _, first = fact.detail.partition("|")
        yield rule.finding(
            fact,
            f"`{fact.callee}` passes {what} first, and here it arrives as `{first}`, the other one "
            f"as `{fact.subject}`",
            help=f"write the parameters the other way round: `({fact.subject}, {first})`",
            severity=Severity.WARNING,
        )
    told = _MESSAGES.get(fact.kind)
    if told is not None:
        message, help = told
        yield rule.finding(
            fact,
            message.format(subject=fact.subject, callee=fact.callee, detail=fact.detail),
            help=help.format(detail=fact.detail),
        )


_COMBINED = (
    "`{callee}` combines elements of {subject}, for which the function returns {detail}",
    "return what the function is given: as many arrays, of the same shapes and dtypes",
)
_MESSAGES = {
    "combined-tree": _COMBINED,
    "combined-type": _COMBINED,
    "scan-pair": (
        "the function that `{callee}` gets returns {subject}, and has to return the pair of the "
        "next carry and an output",
        "return `(carry, output)`, with `None` for no output",
    ),
    "arity": (
        "`{callee}` calls `{subject}` with {detail}, which it does not take",
        "write the function with the arguments that it is called with",
    ),
    "loop-test": (
        "the test that `{callee}` gets returns {subject}, and has to return one boolean",
        "compare, and reduce with `jnp.all` or `jnp.any`",
    ),
    "selector": (
        "`{callee}` selects one branch, and its `{detail}` is {subject}, not one number",
        "use `jnp.where` or `lax.select` to select element by element",
    ),
    "scan-leaves": (
        "`{callee}` slices every leaf along its leading axis, and there is {subject} in {detail}",
        "make one array of it: `jnp.array(...)`",
    ),
    "scan-lengths": (
        "`{callee}` takes as many steps as its operands are long, and there are lengths of "
        "{subject} and {detail}",
        "give it arrays with leading axes of one length",
    ),
    "scan-length": (
        "`{callee}` has nothing to scan over and no `length`",
        "pass `length=`",
    ),
    "branches": (
        "`{callee}` takes a sequence of functions, and gets `{subject}` alone",
        "put the branches into a list",
    ),
}
