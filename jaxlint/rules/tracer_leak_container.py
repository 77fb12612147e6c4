"""
A traced value is put into a list, dict or set that outlives the trace.

A tracer stands for a value of the program that is being traced and has no meaning after it. What
a captured container receives during tracing is that tracer, never the numbers of a call, and its
next use raises `UnexpectedTracerError`. The bodies of `lax.scan`, `lax.cond`, `jax.vmap` and
`jax.grad` have traces of their own, so a list of the function around them is outside too.

Source: JAX documentation, "Just-in-time compilation" (the example that appends to a global list)
and `jax.errors.UnexpectedTracerError`.

## Example

```py
activations = {}

@jax.jit
def forward(inputs):
    activations["hidden"] = jnp.maximum(inputs, 0.0)  # error
    return activations["hidden"].sum()

forward(jnp.array([-1.0, 2.0, 3.0]))
activations["hidden"] + 1
```

## Use instead

```py fixed
@jax.jit
def forward(inputs):
    activations = {"hidden": jnp.maximum(inputs, 0.0)}
    return activations["hidden"].sum(), activations

total, activations = forward(jnp.array([-1.0, 2.0, 3.0]))
activations["hidden"] + 1
```

## The body of a scan

`heights` is local to `simulate`, but `fall` has a trace of its own. Let the scan stack the values.

```py
@jax.jit
def simulate(impulses):
    heights = []

    def fall(height, impulse):
        heights.append(height)  # error
        return height + impulse, None

    lax.scan(fall, 0.0, impulses)
    return jnp.stack(heights)

simulate(jnp.array([1.0, 2.0]))
```

## Fine as it is

A Python loop is part of the trace around it, and so is the list that it fills.

```py
@jax.jit
def simulate(impulses):
    heights = [jnp.float32(0.0)]
    for index in range(impulses.shape[0]):
        heights.append(heights[-1] + impulses[index])
    return jnp.stack(heights)

simulate(jnp.array([1.0, 2.0]))
```

A helper that fills the list it is given belongs to the trace of its caller.

```py
def layer(inputs, taps):
    taps.append(inputs.max())
    return jnp.maximum(inputs, 0.0)

@jax.jit
def forward(inputs):
    taps = []
    hidden = layer(layer(inputs, taps) - 1.0, taps)
    return hidden, taps

forward(jnp.array([-1.0, 2.0, 3.0]))
```

A stack of what is going on gives back what a function puts on it: none of it outlives the call.

```py
scopes = []

def scale():
    return scopes[-1]["scale"]

def within(scope, function, *inputs):
    scopes.append(scope)
    outputs = function(*inputs)
    scopes.pop()
    return outputs

@jax.jit
def scaled(amount, inputs):
    return within({"scale": amount}, lambda x: x * scale(), inputs)

scaled(2.0, jnp.ones(3)), scopes
```

The host collects what a compiled function returned.

```py
losses = []
loss = jax.jit(lambda weights: jnp.sum(weights**2))
for scale in (1.0, 2.0):
    losses.append(loss(jnp.full(2, scale)))
losses[0] + losses[1]
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Leaks, Rule, Severity, facts

rule = Rule(
    __name__, code="JAX203", severity=Severity.ERROR, since="0.1", over=("JAX204",), witness=Leaks()
)


@rule.on(facts.Stored)
def check(fact: facts.Stored) -> Iterator[Finding]:
    if fact.place != "container" or not fact.is_traced:
        return
    advice = "carry it, or return it as a scan output" if fact.body else "return it to the caller"
    yield rule.finding(
        fact,
        f"`{fact.target}` holds a dead tracer once the trace of `{fact.function}` is over; "
        f"{fact.where()}",
        help=f"keep the value inside the trace: {advice}",
    )
