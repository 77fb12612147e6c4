"""A body of `scan`, `fori_loop`, `vmap` and kin draws with a key from outside: always the same.

Such a body runs for many steps or lanes, and a key that it captures is the same in all of them.
So is one that the body makes of a constant seed; that is a warning, for a body may run for the
shapes of its results alone. Devices that draw for their parts of an array, in `pmap` or
`shard_map`, draw the same numbers if all get the same key (a warning as well).

Source: JAX documentation, "Pseudorandom numbers".

## Example

```py
def random_walk(key, start):
    def step(position, _):
        position = position + jax.random.normal(key)  # error
        return position, position

    return lax.scan(step, start, length=4)[1]

steps = jnp.diff(random_walk(jax.random.key(0), 0.0))
bool(jnp.ptp(steps) > 1e-3)
```

## Use instead

One key for each step, as the sequence that is scanned over; a key in the carry that the body
splits does as well.

```py fixed
def random_walk(key, start):
    def step(position, step_key):
        position = position + jax.random.normal(step_key)
        return position, position

    return lax.scan(step, start, jax.random.split(key, 4))[1]

steps = jnp.diff(random_walk(jax.random.key(0), 0.0))
bool(jnp.ptp(steps) > 1e-3)
```

## All lanes alike

```py
def perturbed(key, rows):
    return jax.vmap(lambda row: row + jax.random.normal(key, row.shape))(rows)  # error

noise = perturbed(jax.random.key(1), jnp.zeros((3, 2)))
bool((noise[0] != noise[1]).any())
```

## All lanes alike by `in_axes`

A warning: the same numbers for all may be what is wanted.

```py
def noisy(row, key):
    return row + jax.random.normal(key, row.shape)

def perturbed(key, rows):
    return jax.vmap(noisy, in_axes=(0, None))(rows, key)  # error

noise = perturbed(jax.random.key(1), jnp.zeros((3, 2)))
bool((noise[0] != noise[1]).any())
```

## Fine as it is

The key is folded with what differs between the runs.

```py
def dropped(key, rows):
    def one(row, index):
        mask = jax.random.bernoulli(jax.random.fold_in(key, index), 0.5, row.shape)
        return row * mask

    return jax.vmap(one)(rows, jnp.arange(len(rows)))

masks = dropped(jax.random.key(2), jnp.ones((4, 8)))
bool((masks[0] != masks[1]).any())
```

The carry hands a new key to the next step.

```py
def step(key, _):
    key, draw = jax.random.split(key)
    return key, jax.random.uniform(draw)

samples = lax.scan(step, jax.random.key(3), length=3)[1]
bool(samples[0] != samples[1])
```

## Notes

In a survey of open-source programs most findings were bodies that made a constant key to learn
the structure of a result: those are warnings. Noise that all lanes of `vmap` are meant to share
is better made once, outside, and passed in. The random keys of a `flax.nnx` object that `nnx.vmap`
is given with None in `in_axes` count as such a key.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX803",
    severity=Severity.ERROR,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "captured":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is the same key in every run of the body, so `{fact.callee}` gives "
            f"the same numbers each time; {fact.where()}",
            help="pass one key for each run (`jax.random.split`), or `jax.random.fold_in` the "
            "index of the run",
        )
    elif fact.kind == "unmapped":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is the same key in every run of `{fact.callee}`, which draws with "
            "it: `in_axes` has None for it",
            help="`jax.random.split` the key, and map the function over the parts",
        )
    elif fact.kind == "replicated":
        yield rule.finding(
            fact,
            f"`{fact.subject}` is the same key on all devices, so `{fact.callee}` gives each one "
            "the same numbers for its part of the array",
            help="`jax.random.fold_in` the index of the device (`lax.axis_index`), or split the "
            "key and lay out the keys like the array",
        )
    elif fact.kind == "spread":
        yield rule.finding(
            fact,
            f"`{fact.subject}` has the same random keys in every run of `{fact.callee}`, which "
            "draws with them: `in_axes` has None for it",
            help="fork the keys with `nnx.split_rngs`, and map the function over them",
        )
