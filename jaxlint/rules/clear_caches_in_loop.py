"""Clears compiled programs in a loop, so that they are compiled again in each iteration.

`jax.clear_caches()` forgets all programs that were compiled, and `f.clear_cache()` those of one
function. In a loop what the iteration calls is traced and compiled anew each time. Mostly this
hides that some function is compiled more often than it should be. Source: `jax.clear_caches` in
the JAX documentation.

## Example

```py
@jax.jit
def update(weights):
    return weights * 0.9

def train(weights, epochs):
    for _ in range(epochs):
        weights = update(weights)
        jax.clear_caches()  # error
    return weights

train(jnp.ones(3), 3)
```

## Use instead

```py fixed
@jax.jit
def update(weights):
    return weights * 0.9

def train(weights, epochs):
    for _ in range(epochs):
        weights = update(weights)
    return weights

train(jnp.ones(3), 3)
```

## One function

```py
score = jax.jit(lambda v: v.sum())

def evaluate(batches):
    found = []
    for batch in batches:
        found.append(score(batch))
        score.clear_cache()  # error
    return found

evaluate([jnp.ones(3), jnp.zeros(3)])
```

## Fine as it is

Once, when all is done.

```py
score = jax.jit(lambda v: v.sum())

def teardown():
    jax.clear_caches()

teardown()
[score(jnp.ones(3)) for _ in range(2)]
```

Other caches.

```py
class Memo:
    def clear_cache(self):
        pass

double = jax.jit(lambda v: 2 * v)
for memo in [Memo(), Memo()]:
    memo.clear_cache()

double(jnp.ones(3))
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if the function around reads a
clock: how long compiling takes may be what it measures.
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Recompiles, Rule, Severity, facts

rule = Rule(__name__, code="JAX515", severity=Severity.PERF, since="0.1", witness=Recompiles())


@rule.on(facts.CacheCleared)
def check(fact: facts.CacheCleared) -> Iterator[Finding]:
    if fact.kind != "caches":
        return
    yield rule.finding(
        fact,
        f"`{fact.callee}` in a loop throws compiled programs away, so the next iteration compiles "
        "them again",
        help="find out what compiles too often; clear caches once, if at all",
    )
