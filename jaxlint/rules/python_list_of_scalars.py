"""Gives JAX a long list of numbers where one array would do.

A list is a pytree, so each of its elements is a parameter of its own of a jitted function, and is
traced, compiled and transferred by itself. In the same way an array that is made of a list of
arrays puts them together one by one. See "JAX - The Sharp Bits" in the JAX documentation,
"Non-array inputs".

## Example

```py
@jax.jit
def mean(values):
    return jnp.mean(jnp.array(values))

weights = [0.1 * i for i in range(64)]
mean(weights)  # error
len(mean.lower(weights).in_avals[0][0]) == 1
```

## Use instead

Make the list an array of NumPy first: one parameter.

```py fixed
@jax.jit
def mean(values):
    return jnp.mean(values)

weights = np.arange(64) * 0.1
mean(weights)
len(jax.tree.leaves(mean.lower(weights).in_avals)) == 1
```

## Arrays of one number

```py
import sys

def calls(thunk):
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    thunk()
    sys.setprofile(None)
    return len(seen)

def joined(n):
    losses = []
    for i in range(n):
        losses.append(jnp.sum(jnp.ones(2) * i))
    return jnp.array(losses)  # error

def copied(n):
    losses = []
    for i in range(n):
        losses.append(jnp.sum(jnp.ones(2) * i))
    return jnp.array(np.array(losses))

joined(400), copied(400)
calls(lambda: joined(400)) < 1.2 * calls(lambda: copied(400))
```

```py fixed
def history(n):
    return jnp.arange(n) * 2.0

history(400).shape == (400,)
```

Where they cannot be computed as one array, NumPy reads them faster than JAX puts them together;
`--fix --unsafe-fixes` writes `jnp.array(np.array(losses))`. Of an array of NumPy that is passed to
a compiled function nobody knows here what that does with a list, so such a call stays.

## Fine as it is

A few numbers, or the arrays of a model.

```py
scale = jax.jit(lambda factors, x: x * factors[0] + factors[1])
scale([2.0, 1.0], jnp.ones(3)).shape == (3,)
```

A static argument is no parameter of the program.

```py
pick = jax.jit(lambda x, places: x[np.array(places)], static_argnums=1)
pick(jnp.ones(50), tuple(range(40))).shape == (40,)
```

Numbers of Python become an array at once.

```py
table = [0.5 * i for i in range(200)]
jnp.array(table).shape == (200,)
```

## Minor findings

A finding is minor, and reported only where the rule is selected, if a comprehension calls a
function of the project for each number, which takes most of the time.
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Expects, Finding, Fix, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX708",
    severity=Severity.PERF,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.ListArgument)
def check(fact: facts.ListArgument) -> Iterator[Finding]:
    if fact.kind == "passed":
        yield rule.finding(
            fact,
            f"each of these {fact.count} numbers becomes a parameter of the compiled "
            f"`{fact.subject}`, traced and transferred by itself",
            help="pass one array, `np.asarray(...)` of the list",
        )
    else:
        many = f"{fact.count} arrays" if fact.count is not None else "arrays"
        what = f"`{fact.subject}`, a list of {many}" if fact.subject else f"a list of {many}"
        yield rule.finding(
            fact,
            f"this puts together {what} of one number each, one by one",
            help="compute the numbers as one array, or convert them with NumPy first",
        )


@rule.fix(facts.ListArgument)
def fix(fact: facts.ListArgument, code: Code) -> Fix | None:
    call = fact.node
    if fact.kind != "gathered" or not isinstance(call, ir.Call) or not call.args:
        return None
    edits = fixes.calls.wrapped(code, call.args[0].value, "numpy.array")
    if call.args[0].star or edits is None:
        return None
    return code.fix("Make it an array of NumPy first", *edits, unsafe=True)
