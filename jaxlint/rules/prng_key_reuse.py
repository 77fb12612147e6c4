"""Uses a random key that was already consumed: the numbers come out the same again.

A sampler of `jax.random` is a pure function of its key, and so is `split`. Whoever hands the same
key to two of them gets numbers that are equal or related where independent ones are meant, and
nothing fails. A key is good for one use; `split` gives new ones, and consumes the old one as well.

Source: JAX documentation, "Pseudorandom numbers" and `jax.debug_key_reuse`; jax-ml/jax#14597.

## Example

```py
def sensor(key, signal):
    gain = jax.random.normal(key, signal.shape)
    offset = jax.random.normal(key, signal.shape)  # error
    return gain, offset

gain, offset = sensor(jax.random.key(7), jnp.ones(4))
bool((gain != offset).any())
```

## Use instead

```py fixed
def sensor(key, signal):
    gain_key, offset_key = jax.random.split(key)
    gain = jax.random.normal(gain_key, signal.shape)
    offset = jax.random.normal(offset_key, signal.shape)
    return gain, offset

gain, offset = sensor(jax.random.key(7), jnp.ones(4))
bool((gain != offset).any())
```

## The parent of new keys

After `split`, the key that was split is spent too: another `split` gives the same keys.

```py
root = jax.random.key(3)
weights_key, bias_key = jax.random.split(root)
weights = jax.random.normal(weights_key, (2, 3))
noise_key, _ = jax.random.split(root)  # error
noise = jax.random.normal(noise_key, (2, 3))
bool((weights != noise).any())
```

## In a helper

A function that consumes its parameter consumes the argument of each call. Where the same function
is called twice with other arguments this is a warning: numbers that match may be what is wanted.

```py
def scratches(key, image):
    return jax.random.uniform(key, image.shape)

def damage(key, image):
    dust = jax.random.uniform(key, image.shape)
    return dust, scratches(key, image)  # error

dust, lines = damage(jax.random.key(1), jnp.ones((2, 2)))
bool((dust != lines).any())
```

## Fine as it is

The old name gets a new key before it is used again.

```py
def walk(key):
    key, step = jax.random.split(key)
    x = jax.random.normal(step)
    key, step = jax.random.split(key)
    return x + jax.random.normal(step)

place = walk(jax.random.key(0))
```

One of two branches runs, and elements of an array of keys are keys of their own.

```py
def draw(keys, heavy):
    if heavy:
        tail = jax.random.cauchy(keys[0])
    else:
        tail = jax.random.normal(keys[0])
    return tail + jax.random.normal(keys[1])

sample = draw(jax.random.split(jax.random.key(0)), True)
```

`permutation` and `choice` with the key of before take matching parts of two arrays.

```py
def shuffled(key, images, labels):
    return jax.random.permutation(key, images), jax.random.permutation(key, labels)

images, labels = shuffled(jax.random.key(0), jnp.eye(3), jnp.arange(3))
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if nothing reads what was drawn
first, as where a compiled function is called once before it is timed, if one function of the
project is called twice with other arguments, and if one of its classes is called twice in the same
way.
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX801",
    severity=Severity.ERROR,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "reuse":
        was = "was already" if fact.is_certain else "may already have been"
        yield rule.finding(
            fact,
            f"`{fact.subject}` {was} consumed at {fact.earlier}: `{fact.callee}` gives "
            "numbers that are not independent of those",
            help=f"`jax.random.split` the key before {fact.earlier}, one part for each use",
        )
