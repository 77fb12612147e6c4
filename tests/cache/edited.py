"""A small project that is edited at random, and the command run on it with and without a cache."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from jaxlint.cache import runs
from jaxlint.cache.folder import Folder
from jaxlint.frontends.cli import main

APP = """\
import jax
import jax.numpy as jnp
import helper
import tools
from pkg import ops
from pkg.deep import inner


@jax.jit
def step(x, flag):
    y = helper.scale(x, flag)
    y = ops.shift(y) + tools.norm(y)
    return inner.last(y)


@jax.jit
def wide(x):
    return jnp.zeros(3, dtype=jnp.float64) + x
"""
FINE = "def {name}(x, *rest):\n    return x\n"
HAZARD = "def {name}(x, *rest):\n    if x > 0:\n        return x\n    return -x\n"
IGNORED = "def {name}(x, *rest):\n    if x > 0:  # noqa: JAX301\n        return x\n    return -x\n"
BROKEN = "def {name}(:\n"
ALONE = "import jax\n\n\n@jax.jit\ndef alone(x):\n    return int(x)\n"
WIDE = 'import jax\n\njax.config.update("jax_enable_x64", True)\n'
# A helper of several definitions, and what the bodies of some may be.
TABLE = """\
KNOWN = {{}}


def register(function):
    {register}
    return function


@register
def scale(x, *rest):
    {scale}


def other(x, *rest):
    {other}


class Box:
    size = 1

    def last(self, x):
        {last}
"""
PLAIN = {
    "register": "KNOWN[1] = function",
    "scale": "return x",
    "other": "return x",
    "last": "return x",
}
BODIES = {
    "plain": PLAIN,
    "scale": PLAIN | {"scale": "return x if x > 0 else -x"},
    "other": PLAIN | {"other": "return x if x > 0 else -x"},
    "comment": PLAIN | {"other": "# It is as it was.\n    return x"},
    "method": PLAIN | {"last": "return -x"},
    "refused": PLAIN | {"last": "pass\n\n    return"},
    "broken": PLAIN | {"other": "return ("},
    "mentions": PLAIN | {"scale": "return other(x)", "other": "return x if x > 0 else -x"},
    "registers": PLAIN | {"register": "KNOWN[1] = abs", "scale": "return KNOWN[1](x)"},
    "stores": PLAIN | {"other": "KNOWN[2] = x\n    return x", "scale": "return x * len(KNOWN)"},
}
SETTINGS = '[project]\nname = "p"\ndependencies = ["jax{jax}"]\n\n[tool.jaxlint]\n{table}\n'

Outcome = tuple[int, str, str]


def make(root: Path) -> None:
    """Writes the project as it is at first."""
    (root / "pkg" / "deep").mkdir(parents=True)
    (root / "pkg" / "__init__.py").write_text("")
    (root / "pkg" / "deep" / "__init__.py").write_text("")
    (root / "pkg" / "deep" / "inner.py").write_text(FINE.format(name="last"))
    (root / "pkg" / "ops.py").write_text(HAZARD.format(name="shift"))
    (root / "app.py").write_text(APP)
    (root / "alone.py").write_text(ALONE)
    (root / "plain.py").write_text("x = 1\n")
    (root / "helper.py").write_text(HAZARD.format(name="scale"))
    (root / "tools.py").write_text(FINE.format(name="norm"))
    (root / "pyproject.toml").write_text(SETTINGS.format(jax=">=0.4.30", table=""))


def rewriting(path: str, text: str) -> Callable[[Path], None]:
    """An edit that gives a file this text."""

    def edit(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    return edit


def removing(path: str) -> Callable[[Path], None]:
    """An edit that removes a file."""

    def edit(root: Path) -> None:
        (root / path).unlink(missing_ok=True)

    return edit


def renaming(path: str, other: str) -> Callable[[Path], None]:
    """An edit that renames a file, if it is there."""

    def edit(root: Path) -> None:
        if (root / path).exists():
            (root / path).replace(root / other)

    return edit


def touching(path: str) -> Callable[[Path], None]:
    """An edit that changes nothing but the time."""

    def edit(root: Path) -> None:
        if (root / path).exists():
            os.utime(root / path)

    return edit


def _versions(path: str, name: str) -> Iterator[tuple[str, Callable[[Path], None]]]:
    for word, text in (
        ("fine", FINE),
        ("hazard", HAZARD),
        ("ignored", IGNORED),
        ("broken", BROKEN),
    ):
        yield f"{path} {word}", rewriting(path, text.format(name=name))


def _settings(jax: str, table: str) -> Callable[[Path], None]:
    return rewriting("pyproject.toml", SETTINGS.format(jax=jax, table=table))


EDITS: dict[str, Callable[[Path], None]] = dict(
    [
        *_versions("helper.py", "scale"),
        *_versions("pkg/ops.py", "shift"),
        *_versions("pkg/deep/inner.py", "last"),
        *_versions("tools.py", "norm"),
        *(
            (f"table, {name}", rewriting("helper.py", TABLE.format(**bodies)))
            for name, bodies in BODIES.items()
        ),
        ("app uses other", rewriting("app.py", APP.replace("helper.scale(x", "helper.other(x"))),
        ("touch helper", touching("helper.py")),
        ("touch app", touching("app.py")),
        ("app as before", rewriting("app.py", APP)),
        ("app longer", rewriting("app.py", "\n\n" + APP)),
        ("app less", rewriting("app.py", APP.replace("helper.scale(x, flag)", "x"))),
        ("no noqa", rewriting("app.py", APP.replace("(x, flag)\n", "(x, flag)  # noqa\n"))),
        ("shadow tools", rewriting("tools/__init__.py", HAZARD.format(name="norm"))),
        ("shadow no more", removing("tools/__init__.py")),
        ("remove helper", removing("helper.py")),
        ("rename helper", renaming("helper.py", "helper2.py")),
        ("rename back", renaming("helper2.py", "helper.py")),
        ("helper in src", rewriting("src/helper.py", HAZARD.format(name="scale"))),
        ("no helper in src", removing("src/helper.py")),
        (
            "new entry",
            rewriting("more.py", "import jax\nimport helper\nf = jax.jit(helper.scale)\n"),
        ),
        ("no new entry", removing("more.py")),
        ("x64", rewriting("config.py", WIDE + "import app\n")),
        ("x64 apart", rewriting("config.py", WIDE)),
        ("x64 in tests", rewriting("conftest.py", WIDE)),
        ("no x64", removing("config.py")),
        ("no x64 in tests", removing("conftest.py")),
        ("hidden entry", rewriting(".tools/hidden.py", ALONE)),
        ("no hidden entry", removing(".tools/hidden.py")),
        ("gitignore", rewriting(".gitignore", "helper.py\nalone.py\n")),
        ("no gitignore", removing(".gitignore")),
        ("acting", rewriting("pkg/__init__.py", "import tools\ntools.norm = abs\n")),
        ("not acting", rewriting("pkg/__init__.py", "")),
        ("defaults", _settings(">=0.4.30", "")),
        ("old jax", _settings("<0.4.31", "")),
        ("ignore", _settings(">=0.4.30", 'ignore = ["JAX301"]')),
        ("select", _settings(">=0.4.30", 'select = ["ALL"]')),
        ("exclude", _settings(">=0.4.30", 'exclude = ["pkg"]')),
        ("low", _settings(">=0.4.30", 'min-confidence = "low"')),
        ("sources", _settings(">=0.4.30", 'src = ["src"]')),
        ("bad settings", _settings(">=0.4.30", "ignore = 3")),
        ("own settings", rewriting("jaxlint.toml", 'ignore = ["JAX301"]\n')),
        ("files ignore", rewriting("jaxlint.toml", "per-file-ignores = {'h*' = ['JAX3']}\n")),
        ("severities", rewriting("jaxlint.toml", "severity = {JAX3 = 'info'}\n")),
        ("no own settings", removing("jaxlint.toml")),
        ("settings inside", rewriting("pkg/.jaxlint.toml", "extend = '../base.toml'\n")),
        ("extended", rewriting("base.toml", 'exclude = ["ops.py"]\n')),
        ("no settings inside", removing("pkg/.jaxlint.toml")),
    ]
)
COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (".", ()),
    (".", ("app.py",)),
    (".", ("app.py", "helper.py")),
    (".", ("pkg",)),
    (".", ("--disable-noqa",)),
    (".", ("--min-confidence", "low", "--output-format", "concise")),
    (".", ("--ignore", "JAX301", "--output-format", "json")),
    (".", ("--statistics", "./app.py", "pkg")),
    ("pkg", ("..",)),
    ("pkg", ("ops.py",)),
)


@contextmanager
def inside(directory: Path) -> Iterator[None]:
    """Makes a directory the current one."""
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def fresh(arguments: tuple[str, ...]) -> Outcome:
    """What the command says without a cache."""
    result = CliRunner().invoke(main, ["check", "--no-cache", *arguments])
    return result.exit_code, result.stdout, result.stderr


def cached(cache: Path, arguments: tuple[str, ...]) -> tuple[Outcome, bool]:
    """What the command says with one, and whether it had been said before."""
    command = ["check", "--cache-dir", str(cache), *arguments]
    known = _replayed(cache, command)
    if known is not None:
        return known, True
    result = CliRunner().invoke(main, command)
    return (result.exit_code, result.stdout, result.stderr), False


def _replayed(cache: Path, command: list[str]) -> Outcome | None:
    streams = sys.stdout, sys.stderr
    # As it is where the runner stands for a terminal.
    sys.stdout = sys.stderr = io.StringIO()
    try:
        known = runs.replay(Folder(str(cache)), command)
    finally:
        sys.stdout, sys.stderr = streams
    if known is None:
        return None
    said, code = known
    texts = {"out": "", "err": ""}
    for stream, text in said:
        texts[stream] += text
    return code, texts["out"], texts["err"]
