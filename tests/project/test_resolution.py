"""What the names of one module stand for in another: the linter and JAX find the same hazard.

Each project is a text with its files, and its `main.py` is run.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import MARK

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

LIMIT = "def limit(x, most):\n    return most if x > most else x"
MARKED = f"{LIMIT}  # JAX301"
JITTED = "print(jax.jit(lambda x: {}(x, 1.0))(2.0))"

PROJECTS = {
    "an alias of an alias": f"""
--- a.py
{MARKED}
--- b.py
from a import limit as cut
shorten = cut
--- main.py
import jax, b
{JITTED.format("b.shorten")}
""",
    "a re-export wins over the submodule of the same name": f"""
--- pkg/__init__.py
from .limit import soft as limit
--- pkg/limit.py
import jax.numpy as jnp
def soft(x, most):
    return jnp.minimum(x, most)
{LIMIT}
--- main.py
import jax
from pkg import limit
{JITTED.format("limit")}
""",
    "import a.b binds a": f"""
--- pkg/__init__.py
--- pkg/sub/__init__.py
--- pkg/sub/leaf.py
{MARKED}
--- main.py
import jax
import pkg.sub.leaf
{JITTED.format("pkg.sub.leaf.limit")}
""",
    "import a.b as m binds the leaf": f"""
--- pkg/sub/leaf.py
{MARKED}
--- main.py
import jax
import pkg.sub.leaf as m
{JITTED.format("m.limit")}
""",
    "the parent has a submodule that somebody else imported": f"""
--- pkg/__init__.py
--- pkg/leaf.py
{MARKED}
--- other.py
import pkg.leaf
--- main.py
import jax, other, pkg
{JITTED.format("pkg.leaf.limit")}
""",
    "a star takes no underscored names": f"""
--- a.py
def _limit(x, most):
    return most if x > most else x
def shared(x, most):
    return x
--- main.py
import jax
_limit = lambda x, most: x
from a import *
{JITTED.format("_limit")}
""",
    "a star takes what __all__ says": f"""
--- a.py
__all__ = ["_limit"]
def _limit(x, most):
    return most if x > most else x  # JAX301
--- main.py
import jax
from a import *
{JITTED.format("_limit")}
""",
    "a later definition hides a star": f"""
--- a.py
{LIMIT}
--- main.py
import jax
from a import *
def limit(x, most):
    return x
{JITTED.format("limit")}
""",
    "a later star hides a definition": f"""
--- a.py
{MARKED}
--- main.py
import jax
def limit(x, most):
    return x
from a import *
{JITTED.format("limit")}
""",
    "an import in a function": f"""
--- pkg/a.py
{MARKED}
--- main.py
import jax
def shorten(x, most):
    from pkg.a import limit as cut
    return cut(x, most)
{JITTED.format("shorten")}
""",
    "a name for type checkers only": f"""
--- a.py
class Scale: ...
--- main.py
from __future__ import annotations
from typing import TYPE_CHECKING
import jax
if TYPE_CHECKING:
    from a import Scale
def scaled(x: Scale, most: Scale) -> Scale:
    return x * most
{JITTED.format("scaled")}
""",
    "a fallback for what is not installed": f"""
--- slow.py
{MARKED}
--- main.py
import jax
try:
    from nowhere_installed import limit
except ImportError:
    from slow import limit
{JITTED.format("limit")}
""",
    "a fallback that is not needed": f"""
--- good.py
def limit(x, most):
    return x
--- slow.py
{LIMIT}
--- main.py
import jax
try:
    from good import limit
except ImportError:
    from slow import limit
{JITTED.format("limit")}
""",
    "a cycle": f"""
--- a.py
import b
def start(x, most):
    return b.pass_on(x, most)
{MARKED}
--- b.py
import a
def pass_on(x, most):
    return a.limit(x, most)
--- main.py
import jax
from a import start
{JITTED.format("start")}
""",
    "a module that another one rebinds": f"""
--- a.py
{LIMIT}
--- b.py
import a
def patched(x, most):
    return x
a.limit = patched
--- main.py
import jax, a, b
{JITTED.format("a.limit")}
""",
    "a registry that modules fill as they are imported": f"""
--- registry.py
FUNCTIONS = {{}}
def register(function):
    FUNCTIONS[function.__name__] = function
    return function
--- plugin.py
from registry import register
@register
{MARKED}
--- main.py
import jax, plugin
from registry import FUNCTIONS
{JITTED.format("FUNCTIONS['limit']")}
""",
    "a registry in one module": f"""
--- registry.py
FUNCTIONS = {{}}
def register(function):
    FUNCTIONS[function.__name__] = function
    return function
@register
{MARKED}
--- main.py
import jax
from registry import FUNCTIONS
{JITTED.format("FUNCTIONS['limit']")}
""",
    "__getattr__ of a module": f"""
--- a.py
def __getattr__(name):
    return lambda x, most: x
--- main.py
import jax, a
{JITTED.format("a.limit")}
""",
    "a name that a loop puts into globals": f"""
--- a.py
for name in ("limit", "other"):
    globals()[name] = lambda x, most: x
--- main.py
import jax, a
{JITTED.format("a.limit")}
""",
    "a module of the project that is named like a library of JAX's": f"""
--- utils/jax.py
{MARKED}
--- main.py
import jax
import utils.jax as ours
{JITTED.format("ours.limit")}
""",
    "a relative import of a sibling package": f"""
--- pkg/one/__init__.py
from ..two.leaf import limit as cut
--- pkg/two/leaf.py
{MARKED}
--- main.py
import jax
from pkg import one
{JITTED.format("one.cut")}
""",
    "jax by way of another module": """
--- setup.py
import jax
from jax import numpy as jnp, jit
--- main.py
from setup import jit as compiled, jnp
import setup as s
@compiled
def f(x):
    return 1.0 if jnp.sum(x) > 0 else x  # JAX301
print(s.jax.vmap(lambda x: x + 1)(jnp.ones(2)), f(1.0))
""",
    "a constant that decides": f"""
--- config.py
HARD = False
--- a.py
import config
def limit(x, most):
    if config.HARD and x > most:
        return most
    return x
--- main.py
import jax
from a import limit
{JITTED.format("limit")}
""",
    "a decorated function keeps its decorator": """
--- a.py
import functools, jax
@functools.partial(jax.jit, static_argnames="most")
def limit(x, most):
    return x if most > 0 else -x
--- main.py
import jax
from a import limit
print(limit(2.0, most=1.0), limit(2.0, most=-1.0))
""",
}  # fmt: skip


@pytest.mark.jax
@pytest.mark.parametrize("name", PROJECTS)
def test_the_hazard_is_where_jax_raises(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = files_of(PROJECTS[name])
    marks = {(path, line) for path, text in contents.items() for line in marked(text)}
    assert marks == set(raised(contents, tmp_path, monkeypatch))
    root = os.path.join(os.path.abspath(os.sep), "project")
    memory = Memory({os.path.join(root, path): text for path, text in contents.items()})
    session = Session(files=memory)
    paths = [os.path.join(root, path) for path in contents if path.endswith(".py")]
    session.ask(paths)
    found = {
        (os.path.relpath(finding.filename, root).replace(os.sep, "/"), finding.line)
        for path in paths
        for finding in session.check(path).findings
    }
    assert marks == found


def files_of(text: str) -> dict[str, str]:
    parts = re.split(r"^--- (.*)\n", text.lstrip(), flags=re.MULTILINE)[1:]
    return {"pyproject.toml": ""} | dict(zip(parts[::2], parts[1::2], strict=True))


def marked(text: str) -> list[int]:
    return [number for number, line in enumerate(text.splitlines(), 1) if MARK.search(line)]


def raised(
    contents: dict[str, str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, int]]:
    """The line of the project in which its main module raises, if it does."""
    import jax.errors

    for path, text in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    monkeypatch.syspath_prepend(str(root))
    known = set(sys.modules)
    try:
        exec(compile(contents["main.py"], str(root / "main.py"), "exec"), {"__name__": "main"})
    except jax.errors.TracerBoolConversionError as error:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        lines = [line for _, line in traceback.walk_tb(error.__traceback__)]
        files = [Path(frame.f_code.co_filename) for frame in frames]
        at = max(n for n, file in enumerate(files) if root in file.parents)
        yield files[at].relative_to(root).as_posix(), lines[at]
    finally:
        for name in set(sys.modules) - known:
            names = vars(sys.modules[name])
            if any(str(root) in str(names.get(home)) for home in ("__path__", "__file__")):
                del sys.modules[name]
