"""
A differentiated operation runs where its derivative is infinite, so the gradient is NaN.

The derivatives of a root, a logarithm, a norm or a division are infinite at zero, those of
`arccos` and `arcsin` at one. The chain rule multiplies them by the derivative of the operand,
and zero times infinity is NaN. Six idioms lead there although the values are right:

- An operand is clamped to just that point, as in `jnp.arccos(jnp.clip(x, -1.0, 1.0))`: what is
  clamped has a derivative of zero.
- A result is clamped that the operand makes zero or infinite, as in
  `x / jnp.maximum(jnp.linalg.norm(x), 1e-6)`: what divides is never zero, but where the bound is
  taken, the derivative of the norm is multiplied by zero.
- An operand is the difference of an array with itself, as in the distances of all pairs: it is
  zero where an element meets itself. Choosing other numbers for the diagonal afterwards does not
  help.
- An operand is an array that was filled with zeros, as parameters are at first: the first step
  of an optimiser makes them NaN, and nothing makes them numbers again.
- A root is taken of the squares of what a mask multiplies: the length of a row that it leaves out
  is zero. A choice in place of the product, `jnp.where(mask, x, 0.0)`, drops the NaN.
- A logarithm is multiplied by its operand, of which a choice made some elements zero.

Source: JAX documentation, FAQ, "Gradients contain NaN where using where"; `jax.numpy.clip`.

Only code that is seen to be differentiated is reported.

## Example

```py
def angle(u, v):
    cosine = jnp.dot(u, v) / jnp.sqrt(jnp.dot(u, u) * jnp.dot(v, v))
    return jnp.arccos(jnp.clip(1.0001 * cosine, -1.0, 1.0))  # error

u = jnp.array([1.0, 2.0])
bool(jnp.all(jnp.isfinite(jax.grad(angle)(u, u))))
```

## Use instead

Clamp to a bound where the derivative is finite.

```py fixed
def angle(u, v):
    cosine = jnp.dot(u, v) / jnp.sqrt(jnp.dot(u, u) * jnp.dot(v, v))
    return jnp.arccos(jnp.clip(1.0001 * cosine, -1.0 + 1e-6, 1.0 - 1e-6))

u = jnp.array([1.0, 2.0])
bool(jnp.all(jnp.isfinite(jax.grad(angle)(u, u))))
```

## Distances of all pairs

```py
def repulsion(positions):
    apart = positions[:, None, :] - positions[None, :, :]
    distances = jnp.sqrt(jnp.sum(apart**2, axis=-1))  # error
    return jnp.sum(jnp.where(jnp.eye(3, dtype=bool), 0.0, 1.0 / (1.0 + distances)))

positions = jnp.arange(6.0).reshape(3, 2)
bool(jnp.all(jnp.isfinite(jax.grad(repulsion)(positions))))
```

Put harmless numbers on the diagonal before the root.

```py fixed
def repulsion(positions):
    apart = positions[:, None, :] - positions[None, :, :]
    squares = jnp.sum(apart**2, axis=-1) + jnp.eye(3)
    distances = jnp.sqrt(squares)
    return jnp.sum(jnp.where(jnp.eye(3, dtype=bool), 0.0, 1.0 / (1.0 + distances)))

positions = jnp.arange(6.0).reshape(3, 2)
bool(jnp.all(jnp.isfinite(jax.grad(repulsion)(positions))))
```

## The norm of parameters that are zero at first

```py
def loss(w, x):
    return jnp.mean((x @ w) ** 2) + 0.1 * jnp.linalg.norm(w)  # error

bool(jnp.all(jnp.isfinite(jax.grad(loss)(jnp.zeros(2), jnp.ones((3, 2))))))
```

```py fixed
def loss(w, x):
    return jnp.mean((x @ w) ** 2) + 0.1 * jnp.sqrt(jnp.sum(w**2) + 1e-12)

bool(jnp.all(jnp.isfinite(jax.grad(loss)(jnp.zeros(2), jnp.ones((3, 2))))))
```

## The lengths of rows that a mask leaves out

```py
def loss(pred, target, mask):
    error = (pred - target) * mask[:, None]
    return jnp.mean(jnp.linalg.norm(error, axis=-1))  # error

args = jnp.ones((2, 3)), jnp.zeros((2, 3)), jnp.array([1.0, 0.0])
bool(jnp.all(jnp.isfinite(jax.grad(loss)(*args))))
```

```py fixed
def loss(pred, target, mask):
    error = (pred - target) * mask[:, None]
    return jnp.mean(jnp.sqrt(jnp.sum(error**2, axis=-1) + 1e-12))

args = jnp.ones((2, 3)), jnp.zeros((2, 3)), jnp.array([1.0, 0.0])
bool(jnp.all(jnp.isfinite(jax.grad(loss)(*args))))
```

## The entropy over what is allowed

```py
def loss(logits, legal):
    p = jnp.where(legal, jnp.exp(logits), 0.0)
    p = p / p.sum()
    return jnp.sum(p * jnp.log(p))  # error

legal = jnp.array([True, True, False])
bool(jnp.all(jnp.isfinite(jax.grad(loss)(jnp.zeros(3), legal))))
```

```py fixed
def loss(logits, legal):
    p = jnp.where(legal, jnp.exp(logits), 0.0)
    p = p / p.sum()
    return jnp.sum(p * jnp.log(jnp.where(legal, p, 1.0)))

legal = jnp.array([True, True, False])
bool(jnp.all(jnp.isfinite(jax.grad(loss)(jnp.zeros(3), legal))))
```

## A root of a variance

```py
def spread(x):
    variance = jnp.mean(x**2) - jnp.mean(x) ** 2
    return jnp.sqrt(jnp.maximum(variance - 1e-3, 0.0))  # error

bool(jnp.all(jnp.isfinite(jax.jit(jax.grad(spread))(jnp.ones(3)))))
```

## Clamped too late

```py
def direction(v):
    length = jnp.linalg.norm(v, axis=-1, keepdims=True)
    return jnp.sum(v / jnp.maximum(length, 1e-6))  # error

v = jnp.array([[3.0, 4.0], [0.0, 0.0]])
bool(jnp.all(jnp.isfinite(jax.grad(direction)(v))))
```

```py fixed
def direction(v):
    squares = jnp.sum(v**2, axis=-1, keepdims=True)
    return jnp.sum(v / jnp.sqrt(jnp.maximum(squares, 1e-12)))

v = jnp.array([[3.0, 4.0], [0.0, 0.0]])
bool(jnp.all(jnp.isfinite(jax.grad(direction)(v))))
```

```py
def cross_entropy(p, y):
    return -jnp.mean(y * jnp.maximum(jnp.log(p), -100.0))  # error

bool(jnp.all(jnp.isfinite(jax.grad(cross_entropy)(jnp.array([1.0, 0.0]), 1.0))))
```

## Fine as it is

`jax.nn.relu` has a derivative of its own, which is zero below zero whatever follows.

```py
def rectified_root(x):
    return jnp.sqrt(jax.nn.relu(x))

bool(jnp.isfinite(jax.grad(rectified_root)(-1.0)))
```

The squares of distances have a derivative everywhere, and a softened root has one.

```py
def kernel(x):
    squares = jnp.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    return jnp.sum(jnp.exp(-squares) / jnp.sqrt(squares + 1e-6))

bool(jnp.all(jnp.isfinite(jax.grad(kernel)(jnp.ones((3, 2))))))
```

A mask that chooses, and one that leaves elements out of one sum, of which something is left.

```py
def loss(x, mask):
    rows = jnp.linalg.norm(jnp.where(mask, x, 0.0), axis=-1)
    return jnp.sum(rows) + jnp.sqrt(jnp.sum((x * mask) ** 2))

mask = jnp.array([[True, True], [False, False]])
bool(jnp.all(jnp.isfinite(jax.grad(loss)(jnp.ones((2, 2)), mask))))
```

The differences are those of two arrays, or nothing is differentiated by them.

```py
def to_centres(x, centres):
    apart = x[:, None, :] - centres[None, :, :]
    return jnp.sum(jnp.sqrt(jnp.sum(apart**2, axis=-1)))

bool(jnp.all(jnp.isfinite(jax.grad(to_centres)(jnp.ones((3, 2)), jnp.zeros((4, 2))))))
```
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Expects, Finding, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX916",
    severity=Severity.WARNING,
    since="0.1",
    witness=Expects(),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "clamped":
        yield rule.finding(
            fact,
            f"the gradient is NaN where `{fact.detail}` clamps: the derivative of "
            f"`{fact.subject}` is infinite at the bound, and zero times that is NaN",
            help="clamp a little inside that bound",
        )
    elif fact.kind == "clamped-late":
        yield rule.finding(
            fact,
            f"the gradient is NaN where `{fact.detail}` replaces the value of `{fact.subject}`, "
            "whose derivative is not finite there: zero times that is NaN",
            help="keep the operand away from there, before the operation: "
            "`jnp.where(operand > 0, operand, 1.0)`, or a small number under the root",
        )
    elif fact.kind == "zero-start":
        yield rule.finding(
            fact,
            f"the gradient is not finite at first: `{fact.detail}` is zero then, and the "
            f"derivative of `{fact.subject}` is infinite there",
            help="before this operation, put another number where the operand is zero: "
            "`jnp.where(operand > 0, operand, 1.0)`",
        )
    elif fact.kind == "masked":
        yield rule.finding(
            fact,
            f"the gradient is NaN for rows that the mask leaves out: `{fact.detail}` is zero "
            f"there, and the derivative of `{fact.subject}` is infinite",
            help="choose the rows before this operation: `jnp.where(mask, operand, 1.0)`, or add "
            "a small number under the root",
        )
    elif fact.kind == "left-out":
        yield rule.finding(
            fact,
            f"`{fact.detail}` is zero where it leaves something out, and zero times "
            f"`{fact.subject}` is NaN there, as is the gradient",
            help="`jax.scipy.special.xlogy(p, jnp.where(p > 0, p, 1.0))` is zero there",
        )
    elif fact.kind == "self-difference":
        yield rule.finding(
            fact,
            f"the gradient is NaN: `{fact.detail}` is zero where an array meets itself, and "
            f"the derivative of `{fact.subject}` is infinite there",
            help="before this operation, put another number where an array meets itself: "
            "`jnp.where(..., 1.0, operand)`",
        )
