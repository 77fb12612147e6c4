"""Takes a gradient through a loop whose number of iterations is not known.

The reverse pass of a gradient needs what every iteration computed, and so room for it when the
program is compiled. `lax.while_loop` may run any number of times, and so may `lax.fori_loop` with
a traced bound, which becomes one. `jax.grad`, `jax.jacrev` and their kin raise `ValueError`
("Reverse-mode differentiation does not work for lax.while_loop"). Forward mode works, and so does
`lax.fori_loop` with bounds that are Python numbers, which becomes a scan.

Source: JAX documentation of `jax.lax.while_loop` and `jax.lax.fori_loop`.

## Example

```py
def distance(speed):
    def slower(state):
        speed, total = state
        return speed * 0.5, total + speed

    _, total = lax.while_loop(lambda state: state[0] > 1e-3, slower, (speed, 0.0))  # error
    return total

jax.grad(distance)(2.0)
```

## Use instead

If the number of iterations has a bound, scan over that many.

```py fixed
def distance(speed):
    def slower(state, _):
        speed, total = state
        running = speed > 1e-3
        speed, step = jnp.where(running, speed * 0.5, speed), jnp.where(running, speed, 0.0)
        return (speed, total + step), None

    (_, total), _ = lax.scan(slower, (speed, 0.0), None, length=20)
    return total

jax.grad(distance)(2.0)
```

## A bound that is traced

```py
@jax.jit
def growth(rate, years):
    def balance(rate):
        return lax.fori_loop(0, years, lambda _, money: money * (1 + rate), 1.0)  # error

    return jax.value_and_grad(balance)(rate)

growth(0.1, 3)
```

A bound of few values can be static.

```py fixed
@partial(jax.jit, static_argnames="years")
def growth(rate, years):
    def balance(rate):
        return lax.fori_loop(0, years, lambda _, money: money * (1 + rate), 1.0)

    return jax.value_and_grad(balance)(rate)

growth(0.1, 3)
```

## Fine as it is

Forward mode goes with the loop.

```py
def settled(x):
    return lax.while_loop(lambda v: v < 10.0, lambda v: v * 2.0, x)

jax.jacfwd(settled)(1.0), jax.jvp(settled, (1.0,), (1.0,))
```

A loop through which no derivative goes: its result is a number of steps, or taken as constant.

```py
def loss(x):
    steps = lax.while_loop(lambda n: n < 5, lambda n: n + 1, 0)
    scale = lax.stop_gradient(lax.while_loop(lambda v: v < 10.0, lambda v: v * 2.0, x))
    return x * scale + steps

jax.grad(loss)(1.0)
```

A function with a rule of its own is not differentiated through its loop.

```py
@jax.custom_vjp
def root(a):
    return lax.while_loop(lambda r: jnp.abs(r * r - a) > 1e-3, lambda r: (r + a / r) / 2, a)

def root_forward(a):
    r = root(a)
    return r, r

root.defvjp(root_forward, lambda r, g: (g / (2 * r),))
jax.grad(lambda a: root(a) * 2.0)(4.0)
```
"""

from collections.abc import Iterator

from jaxlint.api import Finding, Raises, Rule, Severity, facts

rule = Rule(
    __name__,
    code="JAX327",
    severity=Severity.ERROR,
    since="0.1",
    witness=Raises("ValueError", anywhere=True),
)


@rule.on(facts.Refused)
def check(fact: facts.Refused) -> Iterator[Finding]:
    if fact.kind == "reverse-loop":
        yield rule.finding(
            fact,
            f"`{fact.callee}` goes backward through this loop, whose number of iterations is not "
            f"known when it is compiled; {fact.where()}",
            help="use `lax.scan` or `lax.fori_loop` with static bounds, forward mode, or a rule of "
            "your own (`jax.custom_vjp`)",
        )
