"""Code whose calls multiply, so that a small budget does not suffice for it."""

HEAVY = """
import jax

def g0(x, k):
    if x > 0:
        return x
    return x
{chain}

@jax.jit
def heavy(x):
    if x > 1:
        x = x + 1
    y = g{last}(x, {{}})
    return y
"""
LIGHT = """
@jax.jit
def light(x):
    if x > 2:
        return x
    return -x
"""
CHAIN = """
def g{i}(x, k):
    return g{h}(x, {{"a": x, **k}}) + g{h}(x, {{"b": x, **k}})
"""


def heavy(last: int = 12) -> str:
    chain = "".join(CHAIN.format(i=i, h=i - 1) for i in range(1, last + 1))
    return HEAVY.format(chain=chain, last=last)
