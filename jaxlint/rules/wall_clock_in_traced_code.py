"""
Traced code reads the clock only while JAX traces.

`time.perf_counter`, `datetime.now` and their kin are Python, and the Python of a traced function
runs once for each new signature. The moment of the trace becomes a constant of the compiled
program. A difference of two such moments tells how long tracing took, not how long the device
computed, and `time.sleep` delays nothing but the trace.

Source: JAX documentation, "Benchmarking JAX code" and "The Sharp Bits", section "Pure functions".

## Example

```py
@jax.jit
def attend(queries):
    began = time.perf_counter()  # error
    scores = queries @ queries
    return scores, time.perf_counter() - began  # error

spans = [float(attend(jnp.ones(64))[1]) for _ in range(4)]
len(set(spans)) == 1
```

## Use instead

```py fixed
@jax.jit
def attend(queries):
    return queries @ queries

def seconds(queries):
    began = time.perf_counter()
    attend(queries).block_until_ready()
    return time.perf_counter() - began

spans = [seconds(jnp.ones(64)) for _ in range(4)]
len(set(spans)) == 1
```

## A seed from the clock

The key is made during the trace, so every call adds the same noise.

```py
@jax.jit
def jitter(signal):
    key = jax.random.key(time.perf_counter_ns() % 2**31)  # error
    return signal + jax.random.normal(key, signal.shape)

signal = jnp.zeros(8)
bool(jnp.all(jitter(signal) == jitter(signal)))
```

## Fine as it is

A time stamp that is passed as an argument is data.

```py
started = time.monotonic()
overdue = jax.jit(lambda elapsed, budgets: elapsed > budgets)
overdue(time.monotonic() - started, jnp.array([-1.0, 3600.0]))
```

The function given to a host callback runs at every call.

```py
stamps = []

@jax.jit
def halve(level):
    jax.debug.callback(lambda _: stamps.append(time.perf_counter()), level)
    return level / 2

halve(halve(jnp.float32(4.0)))
jax.effects_barrier()
len(stamps)
```

An attribute or a method of the program's own may be called `time`.

```py
class Clock:
    time = 0.5

    def sleep(self, state):
        return state * self.time

clock = Clock()
jax.jit(lambda state: clock.sleep(state) + Clock.time)(jnp.float32(3.0))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Freezes, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX110",
    severity=Severity.ERROR,
    since="0.1",
    over=("JAX705",),
    witness=Freezes(),
)


@rule.on(facts.Effect)
def check(fact: facts.Effect) -> Iterator[Finding]:
    if fact.kind != "clock":
        return
    waits = fact.dotted.endswith("sleep")
    outcome = "so compiled calls do not wait" if waits else "so compiled calls reuse its result"
    yield rule.finding(
        fact,
        f"`{fact.callee}` runs only while `{fact.function}` is traced, {outcome}; {fact.where()}",
        help="call it around the traced function, or pass its result as an argument",
    )
