"""Recursion in traced code whose depth depends on a traced value.

A recursion ends where a test says so. While JAX traces, a traced value has no value and the test
cannot decide: it raises `TracerBoolConversionError`. Without a test that Python can decide, the
function calls itself until Python or JAX raise `RecursionError`. Recursion over structure is fine:
shapes, lists and static arguments are known.

Source: JAX documentation, "Control flow and logical operators with JIT".

## Example

```py
@jax.jit
def power(base, exponent):
    return 1.0 if exponent == 0 else base * power(base, exponent - 1)  # error

power(2.0, 3)
```

## Use instead

Make the argument static, or write a loop.

```py fixed
@partial(jax.jit, static_argnames="exponent")
def power(base, exponent):
    return 1.0 if exponent == 0 else base * power(base, exponent - 1)

power(2.0, 3)
```

## Without an end

```py
@jax.jit
def refine(x):
    return refine(x / 2) + 1  # error

refine(8.0)
```

## In a helper

```py
def digits(number):
    return 1 if number < 10 else 1 + digits(number // 10)  # error

@jax.jit
def width(number):
    return digits(number) * 8

width(1234)
```

```py fixed
def digits(number):
    def step(state):
        number, count = state
        return number // 10, count + 1

    return lax.while_loop(lambda state: state[0] >= 10, step, (number, 1))[1]

@jax.jit
def width(number):
    return digits(number) * 8

width(1234)
```

## Fine as it is

Shapes decide.

```py
@jax.jit
def pairwise_sum(x):
    if x.shape[0] == 1:
        return x[0]
    half = x.shape[0] // 2
    return pairwise_sum(x[:half]) + pairwise_sum(x[half:])

pairwise_sum(jnp.arange(4.0))
```

So does the structure of a pytree.

```py
@jax.jit
def depth_weighted(tree, weight):
    if isinstance(tree, dict):
        return sum(depth_weighted(child, weight / 2) for child in tree.values())
    return tree * weight

depth_weighted({"a": 1.0, "b": {"c": 2.0}}, 1.0)
```

A Python number decides in a helper, whatever else is traced.

```py
def repeated(step, x, times):
    return x if times == 0 else repeated(step, step(x), times - 1)

jax.jit(lambda x: repeated(jnp.sin, x, 3))(1.0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX328",
    severity=Severity.ERROR,
    since="0.1",
    over=("JAX301", "JAX304", "JAX305"),
    witness=Raises("TracerBoolConversionError", "RecursionError", "ValueError", anywhere=True),
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind == "recursion-endless":
        yield rule.finding(
            fact,
            f"`{fact.subject}` calls itself each time that it is traced, and nothing ends it",
            help="use `lax.fori_loop`, `lax.while_loop` or `lax.scan`",
        )
    elif fact.kind == "recursion-traced":
        yield rule.finding(
            fact,
            f"the recursion of `{fact.subject}` should end by `{fact.detail}`, which has no value "
            f"during tracing; {fact.where()}",
            help="make the argument static (`static_argnames`), or use `lax.while_loop`",
        )
