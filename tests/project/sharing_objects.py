"""A shared module, and the code of two files that use its objects in the same way."""

from __future__ import annotations

OBJECTS = {
    "an object": (
        """
class Box:
    def __init__(self, x, n):
        self.x = x
        self.n = n
        self.both = (x, n)

    def held(self):
        return self.both[0]
""",
        """
@jax.jit
def NAME(x):
    box = Box(x, 3)
    if box.n > 2:
        x = x + 1
    if box.held() > 0:
        return x
    return box.x
""",
    ),
    "what a constructor of a host object keeps": (
        """
class Step:
    def __init__(self, scale):
        self.scale = scale
        self.names = ["a"]

    def run(self, x):
        return x * self.scale
""",
        """
step = Step(jnp.ones(3))

@jax.jit
def NAME(x):
    if step.names and step.run(x).sum() > 0:
        return x
    return Step(2).run(x)
""",
    ),
    "functions that a call makes": (
        """
def scaled(scale, x):
    def run(y):
        return y * scale + x
    return run

class Layer:
    def __init__(self, n, x):
        def init(y):
            return y if n > 1 else x
        self.init = init
        self.kept = {"run": scaled(n, x), "twice": lambda y: init(init(y))}

def counter(start):
    n = start
    def count(x):
        nonlocal n
        n = n + x
        return n
    return count
""",
        """
@jax.jit
def NAME(x):
    layer, other = Layer(2, x), Layer(2, x)
    if layer.init(3) > 1 and layer.kept["twice"](1) > 0:
        x = x + 1
    if other.kept["run"](2) > 0:
        return x
    if scaled(2, 3)(4) > 0:
        x = x - 1
    count, another = counter(0), counter(0)
    if count(x) > 0:
        return x
    return x if another(1) > 0 else scaled(2, 3)(x)

NAME(jnp.ones(3))
""",
    ),
    "one of several containers": (
        """
import os

is_wide = "WIDE" in os.environ

def parts(x):
    return [x] if is_wide else [x, 1]

class Held:
    def __init__(self, x):
        self.parts = parts(x)
        self.names = ("a", "b") if is_wide else ("a",)

    def first(self):
        return self.parts[0]
""",
        """
@jax.jit
def NAME(x):
    one, two = Held(1), Held(x)
    one.parts.append(x)
    other = Held(1)
    if other.parts[0] > 0 and one.first() > 0:
        x = x + 1
    for name in other.names:
        x = x + len(name)
    return x if two.first() > 0 else two.parts[0]
""",
    ),
    "where an object was made": (
        """
class Log:
    def __init__(self):
        self.lines = []

    def add(self, x):
        self.lines.append(x)
        return len(self.lines)

def noted(log, x):
    log.add(x)
    return x

def deeper(log, x):
    return noted(log, x)
""",
        """
@jax.jit
def NAME(x, flag=False):
    log = Log()
    noted(log, 1)
    if flag:
        noted(log, 1)
    deeper(log, 1)
    other = Log()
    deeper(other, x)
    if len(log.lines) > 2 or len(other.lines) == 1:
        x = x + 1
    if log.lines[0] > 0:
        x = x * 2
    return x if other.lines[0] > 0 else x
""",
    ),
    "attributes that compiled methods read": (
        """
class Base:
    def __init__(self, scale):
        self.scale = scale

    def scaled(self, x):
        return x * self.scale

    def both(self, x):
        return self.scaled(x) + self.scaled(x + 1)
""",
        """
import functools

class NAMEOfMine(Base):
    def __init__(self, scale):
        super().__init__(scale)
        self.shift = jnp.ones(3)

    @functools.partial(jax.jit, static_argnums=0)
    def run(self, x):
        y = self.both(x) + self.both(x) + self.shift
        if y.sum() > 0:
            return self.both(x)
        return y

    @jax.jit
    def other(self, x):
        return self.both(x)

NAME = NAMEOfMine(jnp.ones(3))
NAME.run(jnp.ones(3))
NAME.scale = jnp.zeros(3)
NAME.run(jnp.ones(3))
""",
    ),
    "logs and caches that grow": (
        """
seen = []
cache = {}

def noted(x, what):
    seen.append(what)
    return x

def kept(x, name, what):
    cache[name] = what
    return x

def first():
    return seen[0]

def deeper(x, what):
    return kept(noted(x, what), "a", what) if first() else x
""",
        """
@jax.jit
def NAME(x, name):
    for at in (1, 2, 3):
        noted(x, at)
    noted(x, 1)
    if first() > 0:
        x = x + 1
    kept(x, "a", 1)
    kept(x, name, 2)
    kept(x, name, 2)
    if cache["a"] > 0:
        x = x + 1
    deeper(x, 1)
    deeper(x, 1)
    noted(x, x)
    kept(x, name, x)
    noted(x, 1)
    if deeper(x, 1).sum() > 0 and cache["a"] > 0:
        return x
    return x if first() > 0 else -x

NAME(jnp.ones(3), "b")
""",
    ),
    "modules of linen": (
        """
from flax import linen as nn

class MLP(nn.Module):
    width: int = 3

    @nn.compact
    def __call__(self, x, train=False):
        x = nn.Dense(self.width)(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.Dropout(0.1, deterministic=not train)(x)
        return nn.Dense(1)(x)

class Counted(nn.Module):
    def setup(self):
        self.inner = MLP(4)
        self.count = self.variable("counts", "n", jnp.zeros, ())

    def __call__(self, x):
        self.count.value += 1
        self.kept = x
        return self.inner(x)

def layer(width):
    return nn.Dense(width)

class Helped(nn.Module):
    @nn.compact
    def __call__(self, x):
        return layer(3)(layer(4)(x))

def applied(model, params, x):
    return model.apply(params, x)
""",
        """
model = Counted()
params = model.init(jax.random.key(0), jnp.ones((1, 3)))

@jax.jit
def NAME(params, x):
    y = model.apply(params, x)
    z = applied(MLP(), params, x) + applied(Helped(), params, x)
    if y.sum() > 0:
        return z + applied(MLP(), params, x)
    outside = layer(3)(x)
    return model.apply(params, x, mutable=["counts"])[0] + applied(Helped(), params, outside)

NAME(params, jnp.ones((1, 3)))
""",
    ),
    "objects of nnx": (
        """
from flax import nnx

class Block(nnx.Module):
    def __init__(self, width, rngs):
        self.rngs = rngs
        self.layer = nnx.Linear(width, width, rngs=rngs)
        self.act = lambda x: nnx.relu(x)

    def __call__(self, x):
        return self.act(self.layer(x)) + self.layer.bias

def noisy(block, x):
    return x + jax.random.normal(block.rngs.params(), x.shape)
""",
        """
from flax import nnx

model = Block(3, nnx.Rngs(0))

@nnx.jit
def NAME(model, x):
    y = noisy(model, model(x))
    if y.sum() > 0:
        return Block(3, nnx.Rngs(1))(x)
    return y

@jax.jit
def lost_NAME(model, x):
    y = noisy(model, model(x))
    return y if y.sum() > 0 else Block(3, nnx.Rngs(1))(x)

NAME(model, jnp.ones((1, 3)))
lost_NAME(model, jnp.ones((1, 3)))
""",
    ),
}
