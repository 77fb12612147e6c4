"""Calls a function that `jax.vmap` maps with something that has no axis to be mapped.

`jax.vmap` maps every argument along an axis: all of them along the first one, or as the tuple
`in_axes` says, which has an entry for each positional argument. Keyword arguments are mapped along
their first axis in any case. A number, a flag or a string has no axis, and raises `ValueError` or
`TypeError`. So do axes of different lengths, and axes that do not fit the structure of an argument
or, in `out_axes`, of the result.

Source: JAX documentation of `jax.vmap`; jax-ml/jax#7465, jax-ml/jax#20914.

## Example

```py
def attenuate(signal, gain):
    return signal * gain

jax.vmap(attenuate)(jnp.ones((4, 8)), 0.5)  # error
```

## Use instead

`None` in `in_axes` passes an argument as it is.

```py fixed
def attenuate(signal, gain):
    return signal * gain

jax.vmap(attenuate, in_axes=(0, None))(jnp.ones((4, 8)), 0.5)
```

## A flag by name

```py
def forward(x, train=True):
    return jnp.where(train, x * 0.5, x)

jax.vmap(forward)(jnp.ones((4, 8)), train=False)  # error
```

```py fixed
def forward(x, train=True):
    return jnp.where(train, x * 0.5, x)

jax.vmap(partial(forward, train=False))(jnp.ones((4, 8)))
```

## An entry too few

```py
batched = jax.vmap(lambda a, b, c: a @ b + c, in_axes=(0, None))
batched(jnp.ones((4, 3)), jnp.ones(3), jnp.zeros(4))  # error
```

```py fixed
batched = jax.vmap(lambda a, b, c: a @ b + c, in_axes=(0, None, 0))
batched(jnp.ones((4, 3)), jnp.ones(3), jnp.zeros(4))
```

## Axes of a dict

An entry for a dict is an axis for all of it, or a dict with the same keys.

```py
def predict(params, x):
    return x @ params["w"] + params["b"]

params = {"w": jnp.ones((4, 3, 2)), "b": jnp.ones((4, 2))}
batched = jax.vmap(predict, in_axes=({"w": 0}, None))
batched(params, jnp.ones((5, 3)))  # error
```

```py fixed
def predict(params, x):
    return x @ params["w"] + params["b"]

params = {"w": jnp.ones((4, 3, 2)), "b": jnp.ones((4, 2))}
batched = jax.vmap(predict, in_axes=({"w": 0, "b": 0}, None))
batched(params, jnp.ones((5, 3)))
```

## A dict in the place of the tuple

```py
def centre(batch):
    return batch["x"] - batch["mean"]

centred = jax.vmap(centre, in_axes={"x": 0, "mean": None})  # error
```

```py fixed
def centre(batch):
    return batch["x"] - batch["mean"]

centred = jax.vmap(centre, in_axes=({"x": 0, "mean": None},))
```

## Axes of another length

```py
def weigh(rows, weights):
    return rows @ weights

jax.vmap(weigh)(jnp.ones((4, 3)), jnp.ones(3))  # error
```

```py fixed
def weigh(rows, weights):
    return rows @ weights

jax.vmap(weigh, in_axes=(0, None))(jnp.ones((4, 3)), jnp.ones(3))
```

## Axes of results

`out_axes` fits what the function returns, and what is mapped has an axis.

```py
def moments(x):
    return x.mean(), x.var()

x = jnp.ones((4, 3))
jax.vmap(moments, out_axes=(0, 0, 0))(x)  # error
jax.vmap(moments, out_axes=(0, None))(x)  # error
```

## Fine as it is

Arrays by name are mapped too, and what is not passed is not mapped.

```py
def blend(a, b, ratio=0.5, mode="linear"):
    return a * ratio + b * (1 - ratio)

jax.vmap(blend)(jnp.ones(4), b=jnp.zeros(4))
jax.vmap(blend, in_axes=(0, None, None, None))(jnp.ones(4), 2.0, 0.1, "cubic")
```

`None` is an empty pytree, and containers of arrays are mapped leaf by leaf.

```py
def apply(params, x, mask=None):
    return params["w"] * x if mask is None else jnp.where(mask, x, 0.0)

jax.vmap(apply)({"w": jnp.ones((4, 2))}, jnp.ones((4, 2)), None)
jax.vmap(apply, in_axes=({"w": None}, 0))({"w": 2.0}, jnp.ones((4, 2)))
```

What the outer map does not map has an axis for the inner one.

```py
outer = jax.vmap(jax.vmap(jnp.multiply, in_axes=(None, 0)), in_axes=(0, None))
outer(jnp.ones(3), jnp.ones(4))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX622",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError", "TypeError"),
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind == "axes-count":
        yield rule.finding(
            fact,
            f"`in_axes` has {fact.subject} entries, and the call {fact.detail} positional "
            "arguments",
            help="give `in_axes` an entry for each positional argument",
        )
    elif fact.kind == "axes-kind":
        yield rule.finding(
            fact,
            f"`in_axes` cannot be {fact.subject}: `jax.vmap` takes a number, `None`, or a tuple "
            "with an entry for each positional argument",
            help="put it into a tuple: `in_axes=({...},)`",
        )
    elif fact.kind in _TOLD:
        message, help = _TOLD[fact.kind]
        yield rule.finding(
            fact, message.format(subject=fact.subject, detail=fact.detail), help=help
        )
    elif fact.kind == "axes-argument" and fact.callee:
        yield rule.finding(
            fact,
            f"`jax.vmap` maps keyword arguments along their first axis, and `{fact.callee}` is "
            f"{fact.subject}",
            help="fix it with `functools.partial`, or pass it by position with `None` in `in_axes`",
        )
    elif fact.kind == "axes-argument":
        yield rule.finding(
            fact,
            f"`jax.vmap` maps this argument along axis {fact.detail}, and it is {fact.subject}",
            help="put `None` into `in_axes` for it",
        )


_TOLD = {
    "axes-default": (
        "`jax.vmap` maps this argument along axis {detail}, and `{subject}` is a number where it "
        "is left to its default",
        "put `None` into `in_axes` for it, or broadcast it first",
    ),
    "axes-leaf": (
        "`{detail}` of `jax.vmap` has {subject} in it: axes are whole numbers or `None`",
        "write the number of the axis, or `None` for what is not mapped",
    ),
    "axes-none": (
        "`jax.vmap` maps none of the arguments of this call, so that nothing tells how many "
        "results there are",
        "give one of them an axis, or pass `axis_size`",
    ),
    "axes-read": (
        "the entry in `in_axes` for this argument is {detail}, but the function reads {subject} of "
        "the argument: the structures differ",
        "write a number, `None`, or the structure of the argument",
    ),
    "axes-shared": (
        "`{subject}` is mapped here, but passed whole to the same function elsewhere: here each "
        "call gets one slice of it",
        "put `None` into `in_axes` for it, or give what is stacked another name",
    ),
    "axes-several": (
        "`{subject}` has a plural for its name, but each call of the function gets the whole: its "
        "entry in `in_axes` is `None`",
        "write the number of an axis into `in_axes` for it",
    ),
    "axes-sizes": (
        "`jax.vmap` maps axes of one length, and this argument has one of length {subject}, "
        "another one of length {detail}",
        "map the axis that all of them have, and pass the others with `None` in `in_axes`",
    ),
    "axes-tree": (
        "the entry in `in_axes` for this argument is {detail}, and the argument is {subject}",
        "write a number, `None`, or the structure of the argument",
    ),
    "axes-tree-keys": (
        "this dict and its entry in `in_axes` have different keys: {subject} is in one of them "
        "alone",
        "give `in_axes` all keys of the dict, with `None` for what is not mapped",
    ),
    "out-tree": (
        "`out_axes` has {detail} where the function returns {subject}",
        "write a number, or the structure of what the function returns",
    ),
    "out-tree-keys": (
        "`out_axes` and the dict that the function returns have different keys: {subject} is in "
        "one of them alone",
        "give `out_axes` all keys of the dict",
    ),
    "out-axis": (
        "`out_axes` puts the mapped axis at {detail}, and the function returns {subject}",
        "write an axis that the result has, such as 0",
    ),
    "out-none": (
        "`out_axes` has `None` for a result that is computed from what is mapped",
        "write the number of an axis",
    ),
}
