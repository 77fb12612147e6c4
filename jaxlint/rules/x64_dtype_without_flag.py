"""
A dtype of 64 bits is asked for and not given, because 64-bit numbers are switched off.

Unless `jax_enable_x64` is set, JAX computes with 32 bits: a request for `float64`, `int64`,
`uint64` or `complex128` gives half of it, and a warning that is shown once for each place. Tests of
convergence and sums of many numbers then have other limits than the code says. Source: JAX
documentation, "Double (64bit) precision".

Nothing is reported where the file, or one that imports it, mentions `enable_x64`.

## Example

```py
total = jnp.zeros(3, dtype=jnp.float64)  # error
total.dtype
```

## Use instead

Say what is computed with, or switch 64-bit numbers on before the first array is made.

```py fixed
total = jnp.zeros(3, dtype=jnp.float32)
total.dtype
```

## In traced code

```py
@jax.jit
def mean(batch):
    return jnp.mean(batch.astype("float64"))  # error

mean(jnp.ones(4))
```

## Fine as it is

NumPy has 64 bits, and what comes from there is narrowed without a word.

```py
weights = np.linspace(0.0, 1.0, 4, dtype=np.float64)
jnp.asarray(weights).dtype
```

Python's own types mean the default.

```py
(jnp.zeros(2, dtype=float).dtype, jnp.arange(3.0).astype(int).dtype)
```

Asking about a dtype makes no array of it.

```py
(jnp.finfo(jnp.float64).eps, jnp.issubdtype(jnp.float64, jnp.floating))
```

With 64-bit numbers switched on, the dtype is what it says.

```py
previous = jax.config.jax_enable_x64
jax.config.update("jax_enable_x64", True)
sample = jnp.ones(2, dtype=jnp.float64)
jax.config.update("jax_enable_x64", previous)
sample.dtype
```

## Minor findings

A finding about an integer dtype is minor, and reported only where the rule is selected: 32 bits
hold most integers.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.api import Finding, Rule, Severity, Warns, facts

rule = Rule(
    __name__,
    code="JAX903",
    severity=Severity.WARNING,
    since="0.1",
    witness=Warns("UserWarning"),
)


@rule.on(facts.ContractViolation)
def check(fact: facts.ContractViolation) -> Iterator[Finding]:
    if fact.kind != "wide-dtype":
        return
    narrow = "complex64" if fact.detail == "complex128" else fact.detail.replace("64", "32")
    yield rule.finding(
        fact,
        f"this gives `{narrow}`, not `{fact.detail}`: nothing here switches 64-bit numbers on",
        help=f"ask for `{narrow}`, or set `jax_enable_x64` before the first array is made",
        minor="32 bits hold most integers" if "int" in narrow else "",
    )
