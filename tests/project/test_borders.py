"""What host code of other modules is run for: what the file that is examined brings into it."""

from __future__ import annotations

import pytest

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

TRAIN = """\
import jax
import jax.numpy as jnp
import losses

def train(config, env, loss=None, x=None):
    @jax.jit
    def update(x):
        return losses.scaled(env.step(x)) * config.rate
    return update(x)
"""
LOSSES = """\
def scaled(x):
    return 2 * x

def clipped(x):
    if x > 1:
        return 1
    return x

def scale(x):
    return 2
"""
SETTINGS = """\
class Settings:
    def __init__(self, rate):
        self.rate = rate

    def __getattr__(self, name):
        return self.rate
"""
ENV = """\
class Env:
    def __init__(self, most):
        self.most = most

    def step(self, x):
        if x > self.most:
            return self.most
        return x
"""
BASE = """\
import jax

class Base:
    def roll(self, x):
        def body(carry, each):
            return self.move(carry), each
        return jax.lax.scan(body, x, None, 3)

    def move(self, x):
        return x + 1

    def name(self):
        return "base"
"""
COMPILING = """\
import functools
import jax

def compiled(function):
    fast = jax.jit(function)

    @functools.wraps(function)
    def wrapper(*args, **options):
        return fast(*args, **options)

    return wrapper
"""
TREE = {
    "compiling.py": COMPILING,
    "train.py": TRAIN,
    "losses.py": LOSSES,
    "settings.py": SETTINGS,
    "env.py": ENV,
    "base.py": BASE,
    "pyproject.toml": "",
}


def traced(main: str) -> set[str]:
    """The functions of other files that ran in traced code when this file was examined."""
    files = Memory({**TREE, "main.py": f"import jax\n{main}"})
    examined = Session(files=files).examine("main.py")
    assert examined.crash is None
    return {name for _, name in examined.traced}


def found(main: str) -> list[tuple[str, int, str]]:
    session = Session(files=Memory({**TREE, "main.py": f"import jax\n{main}"}))
    files = [name for name in [*TREE, "main.py"] if name.endswith(".py")]
    session.ask(files)
    every = [one for name in files for one in session.check(name).findings]
    return [(one.filename, one.line, one.code) for one in every]


def test_an_object_with_methods_is_followed_into_another_module() -> None:
    main = "from env import Env\nfrom train import train\n\ntrain(None, Env(1))\n"
    assert "step" in traced(main)
    assert [("env.py", 6, "JAX301")] == found(main)


def test_an_object_that_holds_data_is_not() -> None:
    main = "from settings import Settings\nfrom train import train\n\ntrain(Settings(1), None)\n"
    assert set() == traced(main)


def test_a_data_object_is_followed_for_the_functions_in_it() -> None:
    main = (
        "from settings import Settings\nfrom env import Env\nfrom train import train\n\n"
        "train(Settings(Env(1)), None)\n"
    )
    assert "update" in traced(main)


@pytest.mark.parametrize(
    ("given", "is_followed"),
    [
        ("losses.scaled", False),
        ("losses.scale", True),
        ("losses.clipped", True),
        ("lambda x: x + 1", True),
    ],
)
def test_a_function_that_the_other_module_uses_is_its_own(given: str, is_followed: bool) -> None:
    main = f"import losses\nfrom train import train\n\ntrain(None, None, {given})\n"
    assert is_followed == ("update" in traced(main))


@pytest.mark.parametrize(
    ("body", "is_followed"),
    [
        ("def name(self):\n        return 'heir'", False),
        ("def move(self, x):\n        return x - 1 if x > 0 else x", True),
    ],
)
def test_an_inherited_method_is_followed_for_what_it_asks_of_the_heir(
    body: str, is_followed: bool
) -> None:
    heir = f"from base import Base\n\nclass Heir(Base):\n    {body}\n"
    main = f"{heir}\nHeir().roll(None)\n"
    assert is_followed == ("body" in traced(main))
    assert [("main.py", 6, "JAX301")] * is_followed == found(main)


@pytest.mark.parametrize(("first", "is_found"), [("jnp.int32(0)", True), ("0", False)])
def test_a_wrapper_runs_the_function_that_it_was_made_for(first: str, is_found: bool) -> None:
    main = f"""\
import jax.numpy as jnp
from compiling import compiled

@compiled
def total(first, levels):
    return jax.lax.scan(lambda most, level: (jnp.maximum(most, level), None), first, levels)

def run():
    return total({first}, jnp.array([0.5, 1.5]))
"""
    expected = [("main.py", 7, "JAX326")] * is_found
    assert expected == [one for one in found(main) if one[2] == "JAX326"]
