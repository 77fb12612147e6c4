"""
A memoised function makes arrays and is called in traced code, so that the memo keeps tracers.

`functools.cache`, `functools.lru_cache` and `functools.cached_property` keep the first result. In
traced code every JAX operation gives a tracer, those on constants included: what the memo keeps is
a tracer of the first trace, and every later call gets it, in traces that it does not belong to. The
first call works, which makes it hard to see.

Source: JAX documentation, "Tracing" and `jax.errors.UnexpectedTracerError`; jax-ml/jax#5344.

## Example

```py
@functools.lru_cache(maxsize=None)
def frequencies(count):
    return jnp.arange(count) / count

@jax.jit
def encode(x):
    return jnp.sin(x * frequencies(4))  # error

encode(jnp.float32(1.0))
frequencies(4).shape
```

## Use instead

```py fixed
@functools.lru_cache(maxsize=None)
def frequencies(count):
    return np.arange(count) / count

@jax.jit
def encode(x):
    return jnp.sin(x * frequencies(4))

encode(jnp.float32(1.0))
frequencies(4).shape
```

## A cached property

```py
class Grid:
    def __init__(self, size):
        self.size = size

    @functools.cached_property
    def points(self):
        return jnp.linspace(0.0, 1.0, self.size)

grid = Grid(5)

@jax.jit
def sample(x):
    return x + grid.points  # error

sample(jnp.float32(1.0))
grid.points.shape
```

```py fixed
class Grid:
    def __init__(self, size):
        self.size = size

    @functools.cached_property
    def points(self):
        with jax.ensure_compile_time_eval():
            return jnp.linspace(0.0, 1.0, self.size)

grid = Grid(5)

@jax.jit
def sample(x):
    return x + grid.points

sample(jnp.float32(1.0))
grid.points.shape
```

## Fine as it is

A memo of functions, which make their arrays when they are called.

```py
@functools.cache
def scaled_by(factor):
    return jax.jit(lambda x: x * jnp.float32(factor))

@jax.jit
def step(x):
    return scaled_by(2.0)(x)

step(jnp.float32(1.0)) + scaled_by(2.0)(jnp.float32(1.0))
```

Outside staged code, operations on constants are carried out.

```py
@functools.cache
def frequencies(count):
    return jnp.arange(count) / count

slope = jax.grad(lambda x: jnp.sum(jnp.sin(x * frequencies(4))))
slope(1.0) + frequencies(4)[0]
```

An object that is made in the trace takes what it keeps with it.

```py
class Basis:
    def __init__(self, size):
        self.size = size

    @functools.cached_property
    def matrix(self):
        return jnp.eye(self.size)

@jax.jit
def project(x):
    basis = Basis(3)
    return basis.matrix @ x + basis.matrix[0]

project(jnp.ones(3))
```

## Fix

The fix puts the body of the memoised function into `with jax.ensure_compile_time_eval():`. It is
unsafe: the operations are carried out while JAX traces then, and their results are constants.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Leaks, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX204",
    severity=Severity.ERROR,
    since="0.1",
    witness=Leaks(),
    applicability=Applicability.UNSAFE,
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "memoised-leak":
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}` keeps what it makes, which is a tracer here: later uses get the tracer "
        f"of a finished trace; {fact.where()}",
        help="make it with NumPy, or inside `with jax.ensure_compile_time_eval():`",
    )


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    name = fact.subject.rpartition(".")[2]
    kept = [one for one in fixes.indent.definitions(code, name) if one.decorators]
    if fact.kind != "memoised-leak" or isinstance(fact.node, ir.Stmt) or len(kept) != 1:
        return None
    reached = code.reach("jax.ensure_compile_time_eval", kept[0].body[0])
    edits = None if reached is None else fixes.indent.inside_with(code, kept[0], f"{reached[0]}()")
    if reached is None or edits is None:
        return None
    return code.fix(f"Compute inside `{reached[0]}`", *edits, *reached[1])
