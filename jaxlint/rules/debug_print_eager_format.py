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

## Text for a callback

```py jax>=0.5
lines = []

@jax.jit
def step(loss):
    jax.debug.callback(lines.append, f"loss = {loss}")  # error
    return loss * 0.5

step(jnp.float32(3.0))
jax.effects_barrier()
lines
```

```py fixed jax>=0.5
lines = []

@jax.jit
def step(loss):
    jax.debug.callback(lambda value: lines.append(f"loss = {value}"), loss)
    return loss * 0.5

step(jnp.float32(3.0))
jax.effects_barrier()
lines
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

## Fix

The fix leaves a field in the text for each traced value, and passes the value: the numbers are
printed, and nothing else changes. So it is safe, unless the code runs with values of the host
too; that an argument without a field is shown behind the text is only a guess, and unsafe.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Differs, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX114",
    severity=Severity.ERROR,
    since="0.1",
    witness=Differs(),
    applicability=Applicability.SAFE,
)


@rule.on(facts.DebugFormat)
def check(fact: facts.DebugFormat) -> Iterator[Finding]:
    if fact.kind == "eager":
        yield rule.finding(
            fact,
            f"`{fact.callee}` gets text that `{fact.subject}` was formatted into while tracing: "
            f"every call shows a tracer; {fact.where()}",
            help=f'leave a field for the number and pass it: `{fact.callee}("{{}}", ...)`'
            if fact.callee.endswith("print")
            else "pass the number, and format it in the function",
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


@rule.fix(facts.DebugFormat)
def fix(fact: facts.DebugFormat, code: Code) -> Fix | None:
    call = fact.node
    if not isinstance(call, ir.Call) or any(one.star for one in call.args):
        return None
    if code.meaning(call.func) != "jax.debug.print":
        return None
    template = call.args[0].value if call.args and not call.args[0].keyword else None
    if template is None or not fixes.format_strings.is_text(code, template):
        return None
    given = [one.value for one in call.args[1:] if not one.keyword]
    if fact.kind == "unused":
        return counted(code, call, template, given)
    parts = fixes.format_strings.pieces(code, template) if fact.kind == "eager" else None
    if parts is None:
        return None
    writer = fixes.format_strings.FormatWriter(code, fact.operands, is_format=True)
    made = writer.written(parts, fixes.format_strings.quote_of(code, template))
    names = {one.keyword for one in call.args}
    if made is None or not names.isdisjoint(name for name, _ in made.named):
        return None
    if made.positional and given:
        return None
    added = [*made.positional, *(f"{name}={text}" for name, text in made.named)]
    behind = fixes.argument_lists.with_argument(code, call, ", ".join(added), 1 + len(given))
    if behind is None:
        return None
    return code.fix(
        "Leave fields for the numbers",
        code.replace(template, made.literal),
        behind,
        unsafe=not code.is_exclusive(fact),
    )


def counted(code: Code, call: ir.Call, template: ir.Expr, given: list[ir.Expr]) -> Fix | None:
    """A template of `%`, or text without a field."""
    text = template.value if isinstance(template, ir.Const) else ""
    if not isinstance(text, str) or "{" in text or "}" in text or not given:
        return None
    if len(given) < len(call.args) - 1 or not code.text(template).isprintable():
        return None
    parts = fixes.format_strings.percent_pieces(text, given)
    is_template = parts is not None and "%" in text
    if not is_template:
        if "%" in text:
            return None
        parts = fixes.format_strings.listed_pieces(text, given)
    made = parts and fixes.format_strings.FormatWriter(code, given).written(
        parts, fixes.format_strings.quote_of(code, template)
    )
    if not made:
        return None
    title = "Write the fields as `str.format` has them"
    return code.fix(title, code.replace(template, made.literal), unsafe=not is_template)
