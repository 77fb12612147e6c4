"""Times the first call of a compiled function, which compiles it.

The first call of a jitted function for arguments of some shape traces and compiles it, which may
take seconds, and the next one runs what was compiled. A time that includes the first call says
little about the others. See "Benchmarking JAX code" in the JAX documentation.

## Example

```py
square = jax.jit(lambda v: v @ v)
start = time.perf_counter()
square(jnp.ones(8)).block_until_ready()
first = time.perf_counter() - start  # error
start = time.perf_counter()
square(jnp.ones(8)).block_until_ready()
again = time.perf_counter() - start
first < again
```

## Use instead

Call the function once before, with arguments of the same shapes.

```py fixed
square = jax.jit(lambda v: v @ v)
square(jnp.ones(8)).block_until_ready()
start = time.perf_counter()
square(jnp.ones(8)).block_until_ready()
first = time.perf_counter() - start
first > 0.0
```

## In a function

A function that jits what it times compiles in each of its calls.

```py
def benchmark(values):
    start = time.perf_counter()
    jax.jit(lambda v: jnp.tanh(v) * 2)(values).block_until_ready()
    return time.perf_counter() - start  # error

benchmark(jnp.ones(4)) < 1e-5
```

## Fine as it is

Compiled ahead of time, outside what is timed.

```py
program = jax.jit(lambda v: v + 1).lower(jnp.ones(2)).compile()
start = time.perf_counter()
program(jnp.ones(2)).block_until_ready()
time.perf_counter() - start > 0.0
```

A loop whose first iteration compiles, and whose times are looked at one by one.

```py
double = jax.jit(lambda v: v * 2)
times = []
for _ in range(3):
    start = time.perf_counter()
    double(jnp.ones(5)).block_until_ready()
    times.append(time.perf_counter() - start)
min(times) > 0.0
```

## Notes

This rule is off by default: the time that the first call takes may be what is asked for.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX706",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Expects(),
)


@rule.on(facts.Timed)
def check(fact: facts.Timed) -> Iterator[Finding]:
    if fact.kind == "cold":
        yield rule.finding(
            fact,
            f"this time includes tracing and compiling `{fact.subject}`, which is called there "
            "for the first time",
            help="call it once before, with arguments of the same shapes",
        )
