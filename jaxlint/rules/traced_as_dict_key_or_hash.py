"""
Hashes an array: as a key, as an element of a set, as an argument of a memoised function.

Keys of dicts, elements of sets and arguments of `functools.lru_cache` are found by their hash and
compared. An array has neither a hash nor one truth value, and a traced one has no value at all:
`TypeError: unhashable type`. JAX 0.4.35 and older gave tracers a hash, with which lookups found
nothing. Source: JAX change log, versions 0.4.30 and 0.4.36.

## Example

```py jax>=0.5
GAIN = {0: 1.0, 1: 0.5, 2: 0.25}

@jax.jit
def amplify(signal, level):
    return signal * GAIN[level]  # error

amplify(jnp.ones(3), 1)
```

## Use instead

A table that is an array takes a traced index.

```py fixed jax>=0.5
GAIN = jnp.array([1.0, 0.5, 0.25])

@jax.jit
def amplify(signal, level):
    return signal * GAIN[level]

amplify(jnp.ones(3), 1)
```

## A memoised function

```py jax>=0.5
@functools.lru_cache
def scale_of(bits):
    return 2**bits - 1

@jax.jit
def quantise(x, bits):
    return jnp.round(x * scale_of(bits))  # error

quantise(jnp.ones(3), 4)
```

## Outside of traced code

```py
seen = set()
for token in jnp.array([3, 1, 3]):
    seen.add(token)  # error
```

```py fixed
seen = set()
for token in jnp.array([3, 1, 3]):
    seen.add(int(token))
```

## Fine as it is

Shapes, dtypes and names are keys.

```py
INITIAL = {(3,): 1.0, (): 2.0}

@jax.jit
def start(x, params):
    return x * INITIAL[x.shape] + params["bias"] + {"float32": 0.0}.get(x.dtype.name, 1.0)

start(jnp.ones(3), {"bias": 1.0})
```

A memoised function may be given static arguments, and its result be used with traced ones.

```py
@functools.lru_cache
def grid(size):
    return np.linspace(0.0, 1.0, size)

@partial(jax.jit, static_argnames="size")
def sample(x, size):
    return x * grid(size)

sample(2.0, size=4)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX318",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError"),
)

USES = {
    "element": "an element of a set is hashed",
    "hash": "`hash` is asked of an array",
    "key": "a key of a dict is hashed",
    "memo": "an argument of a function that keeps its results is hashed",
}


@rule.on(facts.ArrayMismatch)
def check(fact: facts.ArrayMismatch) -> Iterator[Finding]:
    if fact.kind != "hash":
        return
    reason = fact.why() if fact.is_traced else f"`{fact.text}` is a JAX array"
    if fact.is_traced:
        advice = "use a static value, or look up in an array: `table[index]`, `jnp.select`"
    else:
        advice = f"convert it first: `int({fact.text})`, `{fact.text}.item()`"
    yield rule.finding(
        fact, f"{USES[fact.subject]}, and arrays have no hash: {reason}", help=advice
    )
