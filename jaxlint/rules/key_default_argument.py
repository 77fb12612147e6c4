"""Takes a random key as the default of a parameter: made once, and shared by every call.

Python evaluates a default when the function is defined. Every call that does not pass a key draws
with that one and gets the same numbers; and importing the module starts a JAX backend. Source:
JAX documentation, "Pseudorandom numbers".

## Example

```py
def initial_weights(shape, key=jax.random.key(0)):  # error
    return jax.random.normal(key, shape)

bool((initial_weights((3,)) != initial_weights((3,))).any())
```

## Use instead

```py fixed
def initial_weights(shape, key):
    return jax.random.normal(key, shape)

one, other = jax.random.split(jax.random.key(0))
bool((initial_weights((3,), one) != initial_weights((3,), other)).any())
```

## In a class

```py
class Noise:
    def __init__(self, size, *, rng=jax.random.PRNGKey(17)):  # error
        self.values = jax.random.uniform(rng, (size,))

bool((Noise(4).values != Noise(4).values).any())
```

## Fine as it is

None stands for a key that is made in the call.

```py
def sample(shape, key=None):
    key = jax.random.key(time.time_ns() % 2**31) if key is None else key
    return jax.random.normal(key, shape)

sample((2,)).shape == (2,)
```

A seed is a number, and says that the result is fixed.

```py
def example_data(n, seed=0):
    return jax.random.normal(jax.random.key(seed), (n,))

example_data(3).shape == (3,)
```
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX808",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "default":
        yield rule.finding(
            fact,
            f"the default of `{fact.subject}` is one key for all calls of `{fact.callee}`, made "
            "when it is defined",
            help=f"require `{fact.subject}`, or default to None and make a key in the call",
        )
