"""Differentiates a function that returns no single number, or by an argument of whole numbers.

`jax.grad` and `jax.value_and_grad` take a function that returns one real number. A tuple, a dict,
`None` or an array raise `TypeError` ("Gradient only defined for scalar-output functions"), and so
do whole numbers, which have no derivative. What else is to come out is returned second, with
`has_aux=True`. Derivatives of arrays are Jacobians: `jax.jacrev`, `jax.jacfwd`. Complex numbers are
differentiated with `holomorphic=True` alone, and the tangents of `jax.jvp` and the cotangents of
`jax.vjp` have the structure and the dtypes of what they belong to.

Source: JAX documentation of `jax.grad`; "Automatic differentiation".

## Example

```py
def loss(w, x):
    error = w * x - 1.0
    return error**2, error

jax.grad(loss)(2.0, 3.0)  # error
```

## Use instead

```py fixed
def loss(w, x):
    error = w * x - 1.0
    return error**2, error

jax.grad(loss, has_aux=True)(2.0, 3.0)
```

## A loss for each element

```py
w = jnp.array([0.5, 1.5])
jax.value_and_grad(lambda w: (w - 1.0) ** 2)(w)  # error
```

```py fixed
w = jnp.array([0.5, 1.5])
jax.value_and_grad(lambda w: ((w - 1.0) ** 2).mean())(w)
```

## A forgotten return

```py
@jax.grad
def energy(x):  # error
    total = jnp.sum(x**2)

energy(jnp.ones(3))
```

## A whole number

```py
jax.grad(lambda x: x**2)(3)  # error
```

```py fixed
jax.grad(lambda x: x**2)(3.0)
```

## An index

```py
def chosen(weights, token):
    return jnp.sum(weights[token] ** 2)

jax.grad(chosen, argnums=1)(jnp.ones((3, 2)), 1)  # error
```

## The names in another order

```py
def step(params, x):
    grads, loss = jax.value_and_grad(lambda p: jnp.sum((p["w"] * x) ** 2))(params)  # error
    return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

step({"w": jnp.ones(3)}, 2.0)
```

```py fixed
def step(params, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.sum((p["w"] * x) ** 2))(params)
    return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

step({"w": jnp.ones(3)}, 2.0)
```

## An auxiliary value too much

```py
def loss(w):
    return w**2, w, w + 1

jax.grad(loss, has_aux=True)(1.0)  # error
```

## Fine as it is

Arguments that are not differentiated may be anything.

```py
def model(w, steps, name):
    return w**steps

jax.grad(model)(3.0, 2, "cubic"), jax.grad(model, argnums=0)(1.0, 3, None)
```

Derivatives of arrays and tuples.

```py
x = jnp.arange(3.0)
jax.jacobian(lambda x: x * 2)(x), jax.jacfwd(lambda x: (x, x.sum()))(x), jax.vjp(jnp.sin, x)[0]
```

A sum over everything is one number, whatever it is a sum of.

```py
def loss(params, batch):
    predictions = batch["x"] @ params["w"] + params["b"]
    return jnp.mean(jnp.square(predictions - batch["y"])), {"predictions": predictions}

params = {"w": jnp.ones(2), "b": 0.0}
batch = {"x": jnp.ones((4, 2)), "y": jnp.zeros(4)}
jax.value_and_grad(loss, has_aux=True)(params, batch)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX623",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("TypeError", "ValueError", anywhere=True),
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    told = _MESSAGES.get(fact.kind)
    if told is not None:
        message, help = told
        if fact.kind == "grad-tree" and not fact.detail:
            help = "return what else there is second, and pass `has_aux=True`"
        what, _, of = fact.detail.partition("|")
        text = message.format(subject=fact.subject, callee=fact.callee, what=what, of=of)
        yield rule.finding(fact, text, help=help)


@rule.on(facts.ContractViolation)
def used(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "grad-index":
        text, _, line = fact.detail.rpartition("|")
        yield rule.finding(
            fact,
            f"`{fact.subject}` differentiates by this argument, but `{text}` in {line} uses it as "
            "integers, which have no derivative; floats are refused there",
            help="leave the argument out of `argnums`, or differentiate by what it selects",
        )
    elif fact.kind == "grad-order":
        callee = fact.subject.replace("equinox.", "eqx.").replace("flax.nnx.", "nnx.")
        first = "the value" if "value" in callee else "the gradient"
        yield rule.finding(
            fact,
            f"`{callee}` gives {first} first, so `{fact.detail}` is not the gradient",
            help="swap the names",
            severity=Severity.WARNING,
        )


_MESSAGES = {
    "grad-tree": (
        "`{callee}` differentiates one number, and the function returns {subject}",
        "let the function return one number",
    ),
    "grad-none": (
        "`{callee}` differentiates one number, and the function returns nothing",
        "return the number",
    ),
    "grad-output": (
        "`{callee}` differentiates one real number, and the function returns {subject}",
        "sum it up, or use `jax.jacrev`",
    ),
    "grad-whole": (
        "`{callee}` differentiates real numbers, and the function returns {subject}",
        "return floats, or use `jax.jacfwd`, whose derivatives of whole numbers are empty",
    ),
    "grad-complex": (
        "`{callee}` differentiates real numbers, and the function {what} {subject}",
        "take the real part or the absolute value, or pass `holomorphic=True`",
    ),
    "grad-real": (
        "with `holomorphic=True` `{callee}` differentiates complex numbers, and the function "
        "{what} {subject}",
        "leave out `holomorphic=True`, or compute with complex numbers",
    ),
    "jvp-tuple": (
        "`{callee}` takes a tuple or a list of {what}, and this is {subject}",
        "write a tuple with one element for each argument: `(x,)`",
    ),
    "tangent": (
        "a {what} of `{callee}` is {subject}, and what it belongs to is {of}",
        "give it the structure, the shape and the dtype of what it belongs to",
    ),
    "tangent-whole": (
        "a tangent of `{callee}` is {subject}, and no tangent is a whole number",
        "give it the float dtype of what it belongs to",
    ),
    "grad-aux": (
        "with `has_aux=True` the function returns a pair, of the number that `{callee}` "
        "differentiates and anything else; this one returns {subject}",
        "return `(value, aux)`",
    ),
    "grad-input": (
        "`{callee}` differentiates by this argument, and it is {subject}, which has no derivative",
        "pass a float, or leave the argument out of `argnums`",
    ),
}
