"""Works with devices while a module is imported, before it is said how they are to be set up.

The first operation of JAX starts its backends. `jax.distributed.initialize`, the number of CPU
devices, the platforms and `XLA_FLAGS` have to be set before; afterwards they raise an error, or do
nothing. An array that a module makes for a constant is enough. See "Introduction to
multi-controller JAX" in the JAX documentation, and `jax.config`.

## Example

```py jax>=0.5
ORIGIN = jnp.zeros(3)  # error
jax.config.update("jax_num_cpu_devices", 2)
```

## Use instead

Make constants with NumPy, or where they are needed.

```py fixed no-jax="the backend of the tests has started"
ORIGIN = np.zeros(3)
jax.config.update("jax_num_cpu_devices", 2)
```

## From a function

```py jax>=0.5
STEPS = jnp.arange(4)  # error

def start():
    jax.config.update("jax_num_cpu_devices", 2)
    return jax.devices()

start()
```

## Fine as it is

Other options may change at any time.

```py
TABLE = jnp.ones(3)
jax.config.update("jax_debug_nans", False)
TABLE.shape
```

Types, numbers of Python and functions that are made need no device.

```py
DTYPE = jnp.float32
LIMIT = jnp.pi
double = jax.jit(lambda x: x * 2)
DTYPE, LIMIT
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX711",
    severity=Severity.INFO,
    since="0.1",
    default=False,
    witness=Raises("RuntimeError", anywhere=True),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind == "import-time-work":
        yield rule.finding(
            fact,
            f"this starts the backends of JAX, so that `{fact.subject}` at {fact.detail} "
            "comes too late",
            help="set up devices first, or make constants with NumPy",
            severity=Severity.WARNING,
        )
