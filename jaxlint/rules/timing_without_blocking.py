"""Times a JAX call without waiting for its result.

JAX returns an array before the device has computed it, and goes on with Python. A clock that is
read right after a call shows how long it took to ask, which may be a thousandth of the time that
the work takes. See "Asynchronous dispatch" and "Benchmarking JAX code" in the JAX documentation.

## Example

```py jax>=0.5
product = jax.jit(lambda m: m @ m @ m @ m)
big = jnp.ones((1200, 1200))
product(big).block_until_ready()

def timed(matrix):
    start = time.perf_counter()
    product(matrix)
    return time.perf_counter() - start  # error

def full(matrix):
    start = time.perf_counter()
    product(matrix).block_until_ready()
    return time.perf_counter() - start

asked = min(timed(big) for _ in range(5))
product(big).block_until_ready()
asked > 0.5 * min(full(big) for _ in range(5))
```

## Use instead

Wait for the result before the clock is read again, by its method or by `jax.block_until_ready`,
which takes any pytree.

```py fixed
product = jax.jit(lambda m: m @ m @ m @ m)
big = jnp.ones((1200, 1200))
product(big).block_until_ready()

def timed(matrix):
    start = time.perf_counter()
    product(matrix).block_until_ready()
    return time.perf_counter() - start

timed(big) > 0.0
```

`--fix --unsafe-fixes` puts `jax.block_until_ready` around the call, or behind the statements that
are timed, for the names that they bind. It is unsafe since waiting is what changes, and other
results may be meant.

## With two readings

```py jax>=0.5
rotate = jax.jit(lambda m: jnp.linalg.matrix_power(m, 16))
big = jnp.ones((900, 900)) / 900
rotate(big).block_until_ready()

start = time.time()
out = rotate(big)
stop = time.time()  # error
out.block_until_ready()
done = time.time()
stop - start > 0.5 * (done - start)
```

## Notes

On CPUs, JAX before 0.5 returns only when the work is done. What nothing is known of is taken to
wait.

## Fine as it is

Whatever reads the values waits for them: `float`, `np.asarray`, `print`, a test.

```py
norm = jax.jit(lambda v: jnp.sqrt(jnp.vdot(v, v)))
start = time.perf_counter()
value = float(norm(jnp.ones(64)))
time.perf_counter() - start > 0.0
```

Compiling ahead of time is over when it returns.

```py
start = time.monotonic()
program = jax.jit(lambda v: v * 2).lower(jnp.ones(3)).compile()
time.monotonic() - start > 0.0
```

So is everything that is no work of JAX.

```py
start = time.time()
total = sum(math.sqrt(i) for i in range(1000))
time.time() - start >= 0.0
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes

rule = Rule(
    __name__,
    code="JAX705",
    severity=Severity.WARNING,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.Timed)
def check(fact: facts.Timed) -> Iterator[Finding]:
    if fact.kind == "unblocked":
        yield rule.finding(
            fact,
            "this time ends before the work does: JAX runs asynchronously, and nothing waits for "
            "the results of the calls that are timed",
            help="call `.block_until_ready()` on the result, or `jax.block_until_ready(...)`, "
            "before the clock is read again",
        )


@rule.fix(facts.Timed)
def fix(fact: facts.Timed, code: Code) -> Fix | None:
    if fact.kind != "unblocked" or fact.difference is None:
        return None
    return fixes.block_until_ready.awaited(code, fact.difference)
