"""Programs that record mode observes."""

from __future__ import annotations

HAZARDS = """
import functools
import jax
import jax.numpy as jnp

SCALE = 2.0

@jax.jit
def branch(x):
    if x > 0:
        x = x + 1
    while x < 3:
        x = x * 2
    return x

@jax.jit
def effect(x):
    print("traced", x.shape, x)
    return x * SCALE

def again(values):
    return [jax.jit(lambda v: v + 1)(each) for each in values]

class Layer:
    def __init__(self):
        self.depth = 2

    @functools.partial(jax.jit, static_argnums=0)
    def apply(self, x):
        if self.depth > 1:
            x = x + 1
        return x
"""


RUN = """
class Refused:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        print(kind.__name__)
        return True

def main():
    with Refused():
        branch(1.0)
    print(effect(jnp.float32(1.0)), effect(jnp.float32(2.0)))
    print(again([jnp.float32(1)] * 2))
    print(Layer().apply(jnp.ones(2)))
"""


MORE = """
import gc
import os
import threading
import weakref
from functools import partial

try:
    from jax import enable_x64
except ImportError:
    from jax.experimental import enable_x64

log = open("log.txt", "a", buffering=1)
calls = []

@jax.jit
def logged(x):
    log.write("traced\\n")
    calls.append(1)
    open("side.txt", "a").write("x")
    return x

@jax.jit
def scaled(x, y):
    if x > 1:
        return y
    return x

@jax.jit
def alone(x):
    if x > 2:
        return x
    return -x

@jax.jit
def wide(x):
    if x.dtype.itemsize == 8:
        print("wide", x)
    return x

traces = []

def double(x):
    traces.append("double")
    return x * 2

class Model:
    def apply(self, x):
        traces.append("apply")
        return x

def local():
    def inner(x):
        return x
    jax.jit(inner)(1.0)
    return weakref.ref(inner)

def stepped(v):
    @jax.jit
    def step(a): return a * 2
    return step(v)

def powered(v):
    @partial(
        jax.jit, static_argnums=1)
    def power(a, n): return a * n
    return power(v, 2)

NEW = jax.__version_info__ >= (0, 7)

def shifted(v):
    @jax.jit(static_argnums=1)
    def shift(a, n): return a + n
    return shift(v, 2)

def more():
    logged(jnp.ones(2))
    print(len(calls))
    partial(jax.jit, static_argnums=0)(scaled.__wrapped__)(1, 2.0)
    print(alone.__wrapped__(3.0))
    with enable_x64(True):
        wide(1.0)

def cached():
    model, part, kept = Model(), partial(double), jax.jit(jax.vmap(double))
    for _ in range(3):
        jax.jit(double)(1.0)
        jax.jit(part)(2)
        jax.jit(model.apply)(1.0)
        jax.jit(kept)(jnp.ones(3))
        jax.lax.scan(lambda c, x: (double(c), x), 1.0, jnp.ones(3))
    print(traces)
    print(local()() is None)
    print(jax.jit(double).__name__, jax.jit(double).__wrapped__(3))
    print(jax.jit(jax.jit(double)).lower(1.0).as_text())

def compiled():
    print([step(2.0) for step in (stepped, powered) for _ in range(4)])
    if NEW:
        print([shifted(2.0) for _ in range(4)])
    fresh = [jax.jit(jax.jit(double))(1.0) for _ in range(3)]
    nested = [jax.jit(jax.vmap(jax.jit(double)))(jnp.ones(3)) for _ in range(3)]
    print(fresh, nested)

def left():
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return threading.active_count()
"""


MORE_RUN = """
more()
cached()
compiled()
print(left())
raise SystemExit(7)
"""


STUDIES = """
import threading
from jaxlint.verify.child.isolation import fork
from jaxlint.verify.protocol import Observation

def work(sink):
    try:
        os.fork()
        forked = "forked"
    except BaseException as error:
        forked = type(error).__name__
    again = fork.study_apart(work, 5.0)
    sink(Observation(0, "shown", "run", forked, str(again)))
    return []

def hang(sink):
    sink(Observation(1, "shown", "run"))
    threading.Event().wait()
    return []

for each, seconds in ((work, 60.0), (hang, 0.5)):
    outcome = fork.study_apart(each, seconds)
    print(outcome.is_whole, [(it.target, it.signature, it.assumption) for it in outcome.found])
print(left())
"""
