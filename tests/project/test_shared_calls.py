"""Analyses of the files of a project share modules and calls: no finding tells that they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from projects import Tree, every_tree
from worlds import changes, state

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.project import Context
from jaxlint.engine.operations import modules
from jaxlint.engine.queries import analyse
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session
from jaxlint.syntax import ir

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
Told = tuple[Any, ...]


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


def told(session: Session, path: str) -> list[Told]:
    """All that is said of a file."""
    found = session.check(path).findings
    return sorted(
        (one.line, one.column, one.code, one.severity, one.confidence, one.message, one.because)
        for one in found
    )


@pytest.mark.parametrize("name", CASES)
def test_calls_that_stand_for_others_change_no_finding(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = project(name)
    paths = [path for path in files if path.endswith(".py")]
    together = Session(files=Memory(files))
    found = {path: told(together, path) for path in (*paths, *paths)}
    again = Session(files=Memory(files))
    backwards = {path: told(again, path) for path in reversed(paths)}
    monkeypatch.setattr(Machine, "shares", False)
    apart = {path: told(Session(files=Memory(files)), path) for path in paths}

    assert found == apart
    assert backwards == apart
    assert any(apart.values())


@every_tree
def test_sharing_changes_no_finding_of_a_tree(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(tree.root / file) for file in tree.files]

    def found() -> dict[str, list[Told]]:
        session = Session()
        session.ask(paths)
        return {path: told(session, path) for path in paths}

    shared = found()
    monkeypatch.setattr(Machine, "shares", False)
    assert shared == found()


@every_tree
def test_an_analysis_leaves_shared_modules_as_they_were(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences: list[str] = []
    trace: Callable[..., Machine] = analyse.trace

    def watched(module: Any, *given: Any, **named: Any) -> Machine:
        context: Context | None = named.get("context")
        before = state(context.worlds[0]) if context is not None and context.worlds else {}
        machine = trace(module, *given, **named)
        differences.extend(changes(before))
        return machine

    monkeypatch.setattr(analyse, "trace", watched)
    session = Session()
    for file in tree.files:
        session.check(str(tree.root / file))

    assert differences == []


def test_a_call_of_another_file_is_not_run_again() -> None:
    files = {**project("a helper"), "lib/deep.py": ""}
    counted: list[int] = []
    session = Session(files=Memory(files))
    context = session._projects.context(session.project("lib/one.py"))
    for path in ("lib/one.py", "lib/two.py"):
        module = session.project(path).parsed(path)
        machine = analyse.trace(module, context=context)  # type: ignore[arg-type]
        counted.append(machine.counters.total)

    # The compiled function itself, for the call that is seen and for any.
    assert counted[1] < counted[0]


def test_classes_are_the_same_in_import_cycles() -> None:
    """Code in other files has a class of its own for each class of the file that is analysed."""
    files = {
        "pyproject.toml": "",
        "lib/__init__.py": "",
        "lib/shapes.py": (
            "import jax\nfrom lib.tests import is_box\n\n\nclass Box:\n    def __init__(self, x):\n"
            "        self.x = x\n\n\n@jax.jit\ndef f(x):\n    box = Box(x)\n"
            "    if is_box(box):\n        return x\n    return x if box.x > 0 else -x\n"
        ),
        "lib/tests.py": (
            "from lib import shapes\n\n\ndef is_box(x):\n    return isinstance(x, shapes.Box)\n"
        ),
    }
    assert Session(files=Memory(files)).check("lib/shapes.py").findings == ()


def test_a_crash_in_a_shared_module_is_one_for_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    run = modules._run

    def crashing(machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...]) -> None:
        if frame.module is not None and frame.module.file == "lib/shared.py":
            raise ValueError("crash")
        run(machine, frame, body)

    monkeypatch.setattr(modules, "_run", crashing)
    session = Session(files=Memory(project("a helper")))
    for path in ("lib/one.py", "lib/two.py", "lib/one.py"):
        assert "JAX009" in [finding.code for finding in session.check(path).findings]
