"""Small projects in which two files use one shared module in the same way."""

from __future__ import annotations

from sharing_objects import OBJECTS

USER = """\
import jax
import jax.numpy as jnp
import lib.shared as shared
from lib.shared import *

"""
# A shared module, and the code of two files that use it in the same way.
CASES = {
    "a helper": (
        """
def helper(x):
    return jnp.tanh(x) * 2
""",
        """
@jax.jit
def NAME(x):
    y = helper(x)
    if y > 0:
        return y
    return x
""",
    ),
    "what is found in a helper": (
        """
def helper(x, n):
    if x > n:
        return x
    return n
""",
        """
@jax.jit
def NAME(x):
    return helper(x, 3)
""",
    ),
    "names that compiled code reads": (
        """
rate = jnp.ones(3)

def scaled(x):
    return x * rate
""",
        """
@jax.jit
def NAME(x):
    return scaled(x)

NAME(jnp.ones(3))
shared.rate = jnp.zeros(3)
NAME(jnp.ones(3))
""",
    ),
    "what closures read": (
        """
def outer(x, n):
    def inner(y):
        return y * x if n > 1 else y
    return inner(x) + jax.lax.cond(x.sum() > 0, inner, inner, x)
""",
        """
@jax.jit
def NAME(x):
    return outer(x, 2) if outer(x, 1) > 0 else x
""",
    ),
    "keys": (
        """
def noise(key, shape):
    return jax.random.normal(key, shape)

def two(key):
    first, second = jax.random.split(key)
    return noise(first, (2,)), second
""",
        """
@jax.jit
def NAME(key):
    a = noise(key, (3,))
    b, rest = two(key)
    return a, b, noise(rest, (3,)), noise(rest, (4,))
""",
    ),
    "what is changed in place": (
        """
def extend(found, x):
    found.append(x)
    return len(found)

def collected(x):
    found = []
    extend(found, x)
    return found
""",
        """
kept = []

@jax.jit
def NAME(x):
    extend(kept, x)
    one = collected(x)
    one.append(x)
    if one[0] > 0:
        return x
    return one[1]
""",
    ),
    "compiled helpers": (
        """
@jax.jit
def compiled(x):
    return x + 1

def helper(x):
    return jax.vmap(lambda one: compiled(one))(x)
""",
        """
@jax.jit
def NAME(x):
    y = helper(x)
    return y if y.sum() > 0 else x
""",
    ),
    "derivatives": (
        """
def loss(w, x):
    return jnp.sum((w * x) ** 2)

def step(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    return w - grads, value
""",
        """
def NAME(w, x):
    w, value = step(w, x)
    return w if value > 0 else x

jax.grad(lambda w: float(loss(w, w)))(1.0)
jax.vmap(NAME)(jnp.ones(3), jnp.ones(3))
""",
    ),
    "effects": (
        """
import time

def logged(x):
    print("x is", x)
    return x * time.time()
""",
        """
@jax.jit
def NAME(x):
    return logged(x)
""",
    ),
    "enumerations and unions": (
        """
import enum

class Mode(enum.Enum):
    FAST = 1
    SLOW = 2

def chosen(x, mode):
    if mode is Mode.FAST:
        return x
    return x if mode is Mode.SLOW else None
""",
        """
@jax.jit
def NAME(x):
    y = chosen(x, Mode.SLOW)
    if y > 0:
        return chosen(x, Mode.FAST)
    return y
""",
    ),
    "recursion": (
        """
def power(x, times):
    return x if times == 0 else x * power(x, times - 1)
""",
        """
@jax.jit
def NAME(x):
    return power(x, 3) if power(x, 2) > 0 else x
""",
    ),
    **OBJECTS,
}


def project(name: str) -> dict[str, str]:
    shared, code = CASES[name]
    head = "import jax\nimport jax.numpy as jnp\n"
    return {
        "pyproject.toml": "",
        "lib/__init__.py": "",
        "lib/shared.py": head + shared,
        "lib/one.py": USER + code.replace("NAME", "first"),
        "lib/two.py": USER + code.replace("NAME", "second"),
    }
