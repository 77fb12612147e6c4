"""Passes a list where JAX takes an array: as an index, or to a function of `jax.numpy`.

NumPy makes an array of a list wherever it can. JAX does not, since every element would become an
operand of the program and take its time to trace: `x[[0, 2]]` and `jnp.sum([a, b])` raise
`TypeError`, in traced code and outside. Functions that put arrays together (`jnp.stack`,
`jnp.concatenate`) do take lists, and so does `jnp.array`.

Source: JAX documentation, "The Sharp Bits", on inputs that are no arrays; jax-ml/jax#7737.

## Example

```py
joints = jnp.arange(6.0)
joints[[0, 2, 4]]  # error
```

## Use instead

```py fixed
joints = jnp.arange(6.0)
joints[jnp.array([0, 2, 4])]
```

`--fix` puts `jnp.array(...)` around the list. That is safe, for JAX takes no list there; around an
index it is safe where nobody else calls the code, who may have lists or arrays of NumPy to index.

## A reduction

```py
@jax.jit
def objective(fit, prior):
    return jnp.sum([fit, 0.5 * prior])  # error

objective(1.0, 2.0)
```

```py fixed
@jax.jit
def objective(fit, prior):
    return jnp.sum(jnp.array([fit, 0.5 * prior]))

objective(1.0, 2.0)
```

## An update, and a list with a name

```py
def freeze(weights, frozen=(1, 3)):
    rows = [row for row in frozen]
    return weights.at[rows].set(0.0)  # error

freeze(jnp.ones(4))
```

## Fine as it is

Some functions take lists of arrays.

```py
x = jnp.ones(2)
jnp.stack([x, x]), jnp.concatenate([x, x]), jnp.select([x > 0], [x], 0.0), jnp.array([1.0, 2.0])
jnp.broadcast_arrays(*[x, 1.0]), jnp.block([[x], [x]]), jnp.einsum("i,i->", *[x, x])
```

A tuple is an index for each axis, and a list in it is an array of indices.

```py
grid = jnp.arange(9.0).reshape(3, 3)
grid[(0, 2)], grid[[0, 1], [1, 2]], grid[:, [0, 2]], grid.at[[0, 1], 0].set(0.0)
```

Lists and NumPy arrays have indices of their own.

```py
names = ["x", "y", "z"]
names[1], np.arange(4)[[0, 2]], np.sum([1.0, 2.0]), jnp.zeros([2, 3]).sum(axis=(0, 1))
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX414",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("AttributeError", "TypeError"),
    applicability=Applicability.SAFE,
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind == "list-index":
        yield rule.finding(
            fact,
            f"`{fact.text}` is a list, which is no index of a JAX array",
            help=f"write `jnp.array({fact.text})`, or a tuple for an index of each axis",
        )
    elif fact.kind == "list-operand":
        yield rule.finding(
            fact,
            f"`{fact.callee}` takes an array for `{fact.subject}`, and does not make one of "
            f"`{fact.text}`",
            help=f"write `jnp.array({fact.text})`",
        )


@rule.fix(facts.Refused)
def fix(fact: facts.Refused, code: Code) -> Fix | None:
    if fact.kind not in ("list-index", "list-operand") or not isinstance(fact.node, ir.Expr):
        return None
    edits = fixes.calls.wrapped(code, fact.node, "jax.numpy.array")
    if edits is None or (fact.kind == "list-index" and _is_mask(fact.node)):
        return None
    # A list is an index of an array of NumPy, and JAX's array then is one as well.
    title = f"Make it an array: `{edits[0].replacement}...)`"
    unsafe = fact.kind == "list-index" and not code.is_exclusive(fact)
    return code.fix(title, *edits, unsafe=unsafe)


def _is_mask(node: ir.Expr) -> bool:
    """Whether a list says of each element whether it is selected."""
    items = node.items if isinstance(node, ir.Sequence) else ()
    return any(isinstance(one, ir.Const) and isinstance(one.value, bool) for one in items)
