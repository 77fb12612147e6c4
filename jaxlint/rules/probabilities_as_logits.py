"""
Probabilities are passed where a function expects logits.

`jax.random.categorical` and losses on logits (`optax.softmax_cross_entropy`,
`optax.sigmoid_binary_cross_entropy`) take unnormalised log-probabilities and apply the softmax or
the sigmoid themselves. Given probabilities they apply it twice: nothing raises, samples are nearly
uniform, and the loss stays far from zero even for a perfect prediction. The first parameter of
`distrax.Categorical` is `logits` too.

Source: the API reference of JAX, `jax.random.categorical`; optax documentation, "Losses".

## Example

```py
def act(key, scores):
    probabilities = jax.nn.softmax(scores)
    return jax.random.categorical(key, probabilities, shape=(1000,))  # error

drawn = act(jax.random.key(0), jnp.array([0.0, 9.0]))
bool((drawn == 1).mean() > 0.99)
```

## Use instead

```py fixed
def act(key, scores):
    return jax.random.categorical(key, scores, shape=(1000,))

drawn = act(jax.random.key(0), jnp.array([0.0, 9.0]))
bool((drawn == 1).mean() > 0.99)
```

## A loss that applies the sigmoid itself

```py
import optax

def loss(weights, rows, labels):
    predictions = jax.nn.sigmoid(rows @ weights)
    return optax.sigmoid_binary_cross_entropy(predictions, labels).mean()  # error

rows = jnp.array([[1.0], [-1.0]])
bool(loss(jnp.array([50.0]), rows, jnp.array([1.0, 0.0])) < 0.01)
```

## Fine as it is

Logarithms of probabilities are logits.

```py
def act(key, scores):
    probabilities = jax.nn.softmax(scores)
    return jax.random.categorical(key, jnp.log(probabilities), shape=(1000,))

bool((act(jax.random.key(0), jnp.array([0.0, 9.0])) == 1).mean() > 0.99)
```

So is what a network gives, whatever else is computed from it.

```py
import optax

def loss(weights, rows, labels):
    scores = rows @ weights
    confidence = jax.nn.sigmoid(scores).max()
    return optax.sigmoid_binary_cross_entropy(scores, labels).mean(), confidence

bool(loss(jnp.array([50.0]), jnp.array([[1.0], [-1.0]]), jnp.array([1.0, 0.0]))[0] < 0.01)
```

Labels are probabilities.

```py
import optax

def distil(scores, taught):
    return optax.softmax_cross_entropy(scores, jax.nn.softmax(taught)).mean()

bool(distil(jnp.ones((2, 3)), jnp.ones((2, 3))) > 1)
```
"""

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX919",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "probabilities":
        return
    yield rule.finding(
        fact,
        f"`{fact.subject}` takes logits, and `{fact.detail}` gives probabilities",
        help=f"pass what `{fact.detail}` is given, or the logarithm of the probabilities",
    )
