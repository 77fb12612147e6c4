"""Uses up the same random key in each iteration: every turn draws the same numbers.

The key of a loop must change with the loop. Where a sampler, or `split`, gets a key from before
the loop, each iteration repeats the numbers of the first one.

Source: JAX documentation, "Pseudorandom numbers" and `jax.debug_key_reuse`; jax-ml/jax#192.

## Example

```py
key = jax.random.key(0)
paths = []
for _ in range(3):
    paths.append(jax.random.normal(key, (4,)).cumsum())  # error
bool((paths[0] != paths[1]).any())
```

## Use instead

```py fixed
key = jax.random.key(0)
paths = []
for _ in range(3):
    key, step = jax.random.split(key)
    paths.append(jax.random.normal(step, (4,)).cumsum())
bool((paths[0] != paths[1]).any())
```

## The split itself

`split` is a function of the key as well: the same two keys come out each time.

```py
key = jax.random.key(5)
layers = []
while len(layers) < 2:
    weights_key, bias_key = jax.random.split(key)  # error
    layers.append(jax.random.normal(weights_key, (2, 2)))
bool((layers[0] != layers[1]).any())
```

## In a comprehension

```py
def ensemble(key, n):
    return [jax.random.uniform(key, (2,)) for _ in range(n)]  # error

one, other, _ = ensemble(jax.random.key(1), 3)
bool((one != other).any())
```

## Fine as it is

`fold_in` makes a key of the loop's own index, and an array of keys gives each turn one.

```py
def rollout(key, n):
    total = 0.0
    for i in range(n):
        total += jax.random.normal(jax.random.fold_in(key, i))
    return total

total = rollout(jax.random.key(0), 3)
```

```py
keys = jax.random.split(jax.random.key(0), 3)
sizes = [2, 3, 4]
layers = [jax.random.normal(k, (n,)) for k, n in zip(keys, sizes)]
```
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Fix, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX802",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "loop":
        yield rule.finding(
            fact,
            f"each iteration uses up the same key `{fact.subject}`, so `{fact.callee}` gives the "
            "same numbers every time",
            help=f"`{fact.subject}, step = jax.random.split({fact.subject})` in the loop, or "
            f"`jax.random.fold_in({fact.subject}, i)`",
        )
