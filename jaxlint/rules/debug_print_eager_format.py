"""
The format of `jax.debug.print` is filled in while JAX traces, or does not fit its arguments.

`jax.debug.print(fmt, ...)` prints when the compiled code runs, and only then puts the numbers into
`fmt`. An f-string, `%` or `.format` makes its text at once, from the tracer: every call prints the
same `JitTracer(...)`. And the fields are those of `str.format`: an argument that no `{}` stands
for, as behind a printf-style `%s`, is refused with `ValueError`.

Source: JAX documentation, `jax.debug.print` and "Debugging runtime values"; jax-ml/jax#26296.

## Example

```py
@jax.jit
def step(loss):
    jax.debug.print(f"loss = {loss}")  # error
    return loss * 0.5

step(jnp.float32(3.0))
```

## Use instead

```py fixed
@jax.jit
def step(loss):
    jax.debug.print("loss = {loss}", loss=loss)
    return loss * 0.5

step(jnp.float32(3.0))
```

## Formatted by a method or an operator

```py
@jax.jit
def norms(weights):
    jax.debug.print("norm {}".format(jnp.sum(weights)))  # error
    jax.debug.print("largest " + str(weights.max()))  # error
    return weights

norms(jnp.arange(3.0))
jax.effects_barrier()
```

## Fine as it is

What is known while JAX traces may well be in the text already; braces that are doubled are left
for the numbers.

```py
@jax.jit
def step(images):
    jax.debug.print(f"images of shape {images.shape}: mean {{}}", images.mean())
    return images * 2

step(jnp.ones((2, 3)))
jax.effects_barrier()
```

Numbers of the host are printed by the host, where an f-string is as good as any.

```py
losses = jnp.arange(3.0)
jax.debug.print(f"first loss {losses[0]}, then {losses[1]}")
jax.effects_barrier()
```
"""

from collections.abc import Iterator

from jaxlint.api import Effects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX114",
    severity=Severity.ERROR,
    since="0.1",
    witness=Effects(),
    fix=Fix.SAFE,
)


@rule.on(facts.DebugFormat)
def check(fact: facts.DebugFormat) -> Iterator[Finding]:
    if fact.kind == "eager":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gets text that `{fact.subject}` was formatted into while tracing: "
            f"every call shows a tracer; {fact.where()}",
            help=f'leave a field for the number and pass it: `{fact.callee}("{{}}", ...)`',
        )
    elif fact.kind == "unused":
        yield rule.finding(
            fact,
            f"`{fact.callee}` raises ValueError: the format has no field for `{fact.subject}`",
            help="write a `{}` field for each argument: the format is that of `str.format`",
        )
    else:
        yield rule.finding(
            fact,
            f"`{fact.callee}` raises: nothing is passed for the field `{fact.subject}`",
            help="pass an argument for each field of the format",
        )
