"""
The function of a callback takes or gives back something else than the callback says.

JAX compiles a callback for the arrays that `result_shape_dtypes` describes, and looks at what the
function gives each time it runs: as many arrays, of the same shapes and dtypes, or the run fails
with `JaxRuntimeError`. NumPy's 64 bits are narrowed to the 32 of JAX first, whole numbers are not
made floating-point ones. How results are nested does not matter, how many there are does. Each
array has a description of its own: one `jax.ShapeDtypeStruct` for each, not a shape or a dtype.

Source: JAX documentation, "External callbacks"; `jax.pure_callback`; jax-ml/jax#14199.

## Example

```py
def order(x):
    spec = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda a: np.argsort(a), spec, x)  # error

order(jnp.array([3.0, 1.0, 2.0])).block_until_ready()
```

## Use instead

```py fixed
def order(x):
    spec = jax.ShapeDtypeStruct(x.shape, jnp.int32)
    return jax.pure_callback(lambda a: np.argsort(a), spec, x)

order(jnp.array([3.0, 1.0, 2.0]))
```

## Another shape

```py
def middle(x):
    return jax.pure_callback(lambda a: np.median(a), x, x)  # error

middle(jnp.array([3.0, 1.0, 2.0])).block_until_ready()
```

## Several results

```py
def limits(x):
    spec = jax.ShapeDtypeStruct((), x.dtype)
    return jax.pure_callback(lambda a: (np.min(a), np.max(a)), spec, x)  # error

limits(jnp.array([3.0, 1.0, 2.0])).block_until_ready()
```

```py
def spectrum(a):
    spec = jax.ShapeDtypeStruct((a.shape[:-1], a.shape), a.dtype)
    return jax.pure_callback(lambda m: np.linalg.eigh(m), spec, a)  # error

spectrum(jnp.eye(2))
```

## No result

```py
def scaled(x):
    def host(a):
        np.multiply(a, 2)

    return jax.pure_callback(host, x, x)  # error

scaled(jnp.ones(2)).block_until_ready()
```

## Arguments that it does not take

```py
@jax.jit
def step(loss):
    jax.debug.callback(lambda: None, loss)  # error
    return loss * 0.5

step(jnp.float32(1.0))
jax.effects_barrier()
```

## Fine as it is

64 bits become 32, and lists and tuples are alike.

```py
def limits(x):
    spec = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.pure_callback(lambda a: [np.float64(np.min(a)), np.mean(a)], (spec, spec), x)

limits(jnp.array([3.0, 1.0, 2.0]))
```

What comes back has the shape and the dtype that are declared.

```py
def spectrum(a):
    spec = jax.ShapeDtypeStruct(a.shape[:-1], a.dtype), jax.ShapeDtypeStruct(a.shape, a.dtype)
    return jax.pure_callback(lambda m: np.linalg.eigh(m), spec, a)

spectrum(jnp.eye(2))
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX631",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises(
        *("JaxRuntimeError", "XlaRuntimeError", "AttributeError", "TypeError"), anywhere=True
    ),
)

_EACH = "describe each array: `jax.ShapeDtypeStruct(shape, dtype)`"
_MESSAGES = {
    "callback-described": (
        "`{callee}` takes a description of each array that comes back, and is given {got}",
        _EACH,
    ),
    "callback-shapes": (
        "`jax.ShapeDtypeStruct` describes one array, and is given {got}",
        "make a tuple of descriptions, one for each array, each with the tuple of its lengths",
    ),
    "callback-none": (
        "`{callee}` expects arrays from `{name}`, which returns None",
        "return what is declared, or declare nothing to `jax.experimental.io_callback`",
    ),
    "callback-unwanted": (
        "`{callee}` declares no result, but `{name}` returns one",
        "return None",
    ),
    "callback-count": (
        "`{callee}` declares {declared}, but `{name}` returns {got}",
        "declare a tuple with a description of each array",
    ),
    "callback-shape": (
        "`{callee}` declares the shape {declared}, but `{name}` returns an array of shape {got}",
        "declare the shape that the function gives",
    ),
    "callback-dtype": (
        "`{callee}` declares {declared}, but `{name}` returns {got}, which JAX does not convert",
        "convert them in the function (`.astype(...)`), or declare their dtype",
    ),
    "callback-arity": (
        "`{callee}` calls `{name}` with {got}, which it does not take",
        "write the function with the arguments that it is called with",
    ),
}


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind in _MESSAGES:
        message, help = _MESSAGES[fact.kind]
        name, got, declared = fact.detail.split("|")
        words = {"callee": fact.subject, "name": name, "got": got, "declared": declared}
        yield rule.finding(fact, message.format(**words), help=help)
