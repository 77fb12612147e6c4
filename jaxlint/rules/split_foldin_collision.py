"""Derives keys of one key in two ways that give the same ones: `split` and `fold_in`.

Since JAX 0.5, `jax.random.split(key, n)[i]` is `jax.random.fold_in(key, i)`, and the keys of a
short split are the first ones of a longer one (`jax_threefry_partitionable`). Whoever derives
keys of the same parent both ways draws some numbers twice. `jax.debug_key_reuse` sees this only
if `split` comes first. Source: JAX documentation, change log of 0.5.0 and
`jax_threefry_partitionable`.

## Example

```py jax>=0.5
def batches(key):
    noise_key, mask_key = jax.random.split(key)
    first_epoch = jax.random.fold_in(key, 0)  # error
    return jax.random.normal(noise_key), jax.random.normal(first_epoch)

noise, epoch = batches(jax.random.key(0))
bool(noise != epoch)
```

## Use instead

Give each purpose a key of its own, and derive from that.

```py fixed jax>=0.5
def batches(key):
    noise_key, mask_key, epochs_key = jax.random.split(key, 3)
    first_epoch = jax.random.fold_in(epochs_key, 0)
    return jax.random.normal(noise_key), jax.random.normal(first_epoch)

noise, epoch = batches(jax.random.key(0))
bool(noise != epoch)
```

## Two sizes of split

```py jax>=0.5
key = jax.random.key(1)
actor_key, critic_key = jax.random.split(key)
env_keys = jax.random.split(key, 8)  # error
bool(jax.random.normal(critic_key) != jax.random.normal(env_keys[1]))
```

## Fine as it is

`fold_in` alone, with data that differs.

```py
key = jax.random.key(0)
epochs = [float(jax.random.normal(jax.random.fold_in(key, i))) for i in range(4)]
len(set(epochs)) == 4
```

The name holds another key by then.

```py
key = jax.random.key(0)
key, noise_key = jax.random.split(key)
step_key = jax.random.fold_in(key, 0)
bool(jax.random.normal(noise_key) != jax.random.normal(step_key))
```

Data that no part of the split has.

```py
key = jax.random.key(0)
left, right = jax.random.split(key)
tail = jax.random.fold_in(key, 1000)
bool(jax.random.normal(left) != jax.random.normal(tail))
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if nothing reads what was drawn
first, and in tests, if both uses are calls of functions of the project: they may be compared.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX806",
    severity=Severity.ERROR,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "collision":
        may = "are" if fact.is_certain else "may be"
        yield rule.finding(
            fact,
            f"keys that `{fact.callee}` derives of `{fact.subject}` {may} those derived at "
            f"{fact.earlier}: part `i` of a split is `fold_in` of `i`",
            help="split once, into a key for each purpose",
        )
