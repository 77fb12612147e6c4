"""
Gives an Equinox module to a transform of JAX that cannot take it, or sets one of its fields.

A module is a pytree, and `jax.jit` wants an array or a number in each leaf: an activation function
or a string is none. Only the filtered transformations (`eqx.filter_jit`, `eqx.filter_grad`) set
such leaves aside. `jax.jit(module)` looks for compiled code by the hash of the module, which has
none when it holds arrays. And modules are immutable: setting a field raises. An array in a static
field is a warning: transforms compare what is static, and raise when two arrays are compared.

Source: Equinox documentation, "All of Equinox", sections "Parameterised functions as PyTrees" and
"Filtering"; `equinox.Module`.

## Example

The activation function of an `MLP` is one of its leaves.

```py
import equinox as eqx

model = eqx.nn.MLP(2, 1, 8, 2, key=jax.random.key(0))

@jax.jit
def predict(model, x):
    return model(x)

predict(model, jnp.ones(2))  # error
```

## Use instead

```py fixed
import equinox as eqx

model = eqx.nn.MLP(2, 1, 8, 2, key=jax.random.key(0))

@eqx.filter_jit
def predict(model, x):
    return model(x)

predict(model, jnp.ones(2))
```

`--fix --unsafe-fixes` writes the filtered transformation of Equinox, if no option is given that it
does not have; fields are left to you. It is unsafe since what is no array is static then, and each
value compiles a program of its own.

## A module that is jitted itself

```py
import equinox as eqx

layer = eqx.nn.Linear(2, 2, key=jax.random.key(0))
jax.jit(layer)(jnp.ones(2))  # error
```

## A field of your own that is no array

```py
import equinox as eqx

class Scaled(eqx.Module):
    factor: jax.Array
    mode: str

    def __call__(self, x):
        return self.factor * x if self.mode == "multiply" else x / self.factor

scaled = Scaled(jnp.float32(2.0), "multiply")
jax.grad(lambda model, x: model(x))(scaled, 3.0)  # error
```

## A field that is set

```py
import equinox as eqx

class Counter(eqx.Module):
    count: jax.Array

    def step(self):
        self.count = self.count + 1  # error
        return self

Counter(jnp.array(0)).step()
```

## Fine as it is

All leaves are arrays; what is static is declared.

```py
import equinox as eqx

class Power(eqx.Module):
    scale: jax.Array
    exponent: int = eqx.field(static=True)

    @jax.jit
    def __call__(self, x):
        return self.scale * x**self.exponent if self.exponent > 1 else x

Power(jnp.float32(2.0), 2)(jnp.ones(2))
```

The arrays are traced, and the rest is put back inside.

```py
import equinox as eqx

model = eqx.nn.MLP(2, 1, 8, 2, key=jax.random.key(0))
params, static = eqx.partition(model, eqx.is_array)

@jax.jit
def predict(params, x):
    return eqx.combine(params, static)(x)

predict(params, jnp.ones(2))
```

`tree_at` makes a changed copy, and fields are set while the module is made.

```py
import equinox as eqx

class Affine(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __init__(self, size):
        self.weight = jnp.ones(size)
        self.reset()

    def reset(self):
        self.bias = jnp.zeros(())

eqx.tree_at(lambda model: model.bias, Affine(2), jnp.float32(1.0))
```

`jax.vmap` of a module does not look into it.

```py
import equinox as eqx

jax.vmap(eqx.nn.MLP(2, 1, 8, 2, key=jax.random.key(0)))(jnp.ones((3, 2)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX957",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("TypeError", "FrozenInstanceError", "InvalidInputException", "ValueError"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "eqx-leaf":
        leaf, _, transform = fact.detail.partition("|")
        yield rule.finding(
            fact,
            f"`{transform}` takes arrays and numbers, and `{leaf}` of `{fact.subject}` is neither",
            help="use the filtered transformation of Equinox, or make the field static with "
            "`eqx.field(static=True)`",
        )
    elif fact.kind == "eqx-unhashable":
        yield rule.finding(
            fact,
            f"`jax.{fact.detail}` needs the hash of this `{fact.subject}`, which holds arrays and "
            "has none",
            help="use `eqx.filter_jit`, or pass the module as an argument",
        )
    elif fact.kind == "eqx-frozen-field":
        yield rule.finding(
            fact,
            f"`{fact.subject}` cannot be set: an Equinox module is immutable once it is made",
            help=f"make a changed copy, `eqx.tree_at(lambda tree: tree.{fact.detail}, ...)`",
        )
    elif fact.kind == "eqx-static-array":
        yield rule.finding(
            fact,
            f"`{fact.detail}` of `{fact.subject}` is static and holds an array: compiled programs "
            "are found by comparing what is static, which raises for arrays",
            help="leave out `static=True`",
            severity=Severity.WARNING,
        )


# What Equinox has for a transform of JAX, and the options that both take alike.
FILTERED = {
    "jax.jit": ("equinox.filter_jit", frozenset[str]()),
    "jax.grad": ("equinox.filter_grad", frozenset({"has_aux"})),
    "jax.value_and_grad": ("equinox.filter_value_and_grad", frozenset({"has_aux"})),
}


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    one = None
    if fact.kind == "eqx-leaf" and isinstance(fact.node, ir.Call):
        one = fixes.transform_sites.behind(code, fact.node.func)
    elif fact.kind == "eqx-unhashable":
        one = fixes.transform_sites.application(code, fact.node)
    if one is None:
        return None
    dotted, options = FILTERED.get(code.meaning(one.transform), ("", frozenset[str]()))
    edits = fixes.transform_sites.applied_with(one, dotted, options) if dotted else None
    return None if edits is None else code.fix(f"Replace with `{edits[0].replacement}`", *edits)
