"""
A log record or warning in traced code is issued only while JAX traces.

Tracing runs the Python of a function once for each new signature; later calls run the compiled
program, in which no trace of the logger is left. So a log shows one line for a thousand steps,
and a traced operand appears in it as a tracer. The log looks plausible, which makes this harder
to notice than a print.

Source: JAX documentation, "External callbacks" and the FAQ entry "`jit` changes the behavior of
my function".

## Example

```py
import sys

logger = logging.getLogger("training")
logger.handlers = [logging.StreamHandler(sys.stdout)]
logger.setLevel(logging.INFO)

@jax.jit
def descend(weights):
    logger.info("loss %s", jnp.sum(weights**2))  # error
    return weights / 2

descend(descend(jnp.array([4.0, 2.0])))
```

## Use instead

```py fixed
import sys

logger = logging.getLogger("training")
logger.handlers = [logging.StreamHandler(sys.stdout)]
logger.setLevel(logging.INFO)

@jax.jit
def descend(weights):
    jax.debug.callback(lambda loss: logger.info("loss %s", loss), jnp.sum(weights**2))
    return weights / 2

descend(descend(jnp.array([4.0, 2.0])))
```

## Without an operand

A warning that is meant for each call reaches the user once.

```py
@jax.jit
def rescale(vector):
    warnings.warn("rescale() assumes a centred vector")  # minor
    return vector / 4

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        rescale(jnp.ones(4))
len(caught)
```

## Fine as it is

A warning about a shape belongs to tracing: each new shape is traced, so each is warned about.

```py
@jax.jit
def project(batch):
    if batch.ndim > 2:
        warnings.warn("project() is slow for batches of rank 3 and more")
    return batch.sum(axis=-1)

project(jnp.ones((2, 3)))
```

An object of the program's own may have a method called `info`, `log` or `warning`.

```py
class Encoder:
    def info(self, signal):
        return -signal * jnp.log2(signal)

encoder = Encoder()
entropy = jax.jit(lambda signal: jnp.sum(encoder.info(signal)))
entropy(jnp.array([0.5, 0.25, 0.25]))
```

## Fix

The fix wraps the call in `jax.debug.callback`, with the traced values as operands. It is unsafe: a
record is issued at every call then, and by another thread. A warning with a category or a
`stacklevel` has none, since it is meant for whoever traces.

## Minor findings

A finding is minor, and reported only where the rule is selected, if the record holds nothing
traced: once for each program may be enough. So is a debug record.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Effects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX103",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Effects(),
)


@rule.on(facts.Effect)
def check(fact: facts.Effect) -> Iterator[Finding]:
    if fact.kind != "log":
        return
    if fact.traced is not None:
        operand = " ".join(fact.module.text_of(fact.traced).split())
        outcome = f"and records a tracer instead of `{operand}`"
    elif not fact.conditional:
        outcome = "so compiled calls record nothing"
    else:
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` runs only while `{fact.function}` is traced, {outcome}; {fact.where()}",
        help="call it in a function given to `jax.debug.callback`, or around the traced function",
    )


@rule.fix(facts.Effect)
def fix(fact: facts.Effect, code: Code) -> Fix | None:
    call, statement = fact.node, code.statement(fact.node)
    if not (isinstance(call, ir.Call) and isinstance(statement, ir.ExprStmt)):
        return None
    if statement.value is not call:
        return None
    # A category or a place in the calling code belongs to a warning that is meant for tracing.
    if fact.dotted.startswith("warnings.") and len(call.args) > 1:
        return None
    reached = code.reach("jax.debug.callback", call)
    edits = (
        None
        if reached is None
        else fixes.callback_operands.deferred(code, call, fact.operands, reached[0])
    )
    if reached is None or edits is None:
        return None
    return code.fix(f"Wrap in `{reached[0]}`", *edits, *reached[1])
