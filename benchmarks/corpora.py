"""What is measured with: trees of source, copies and samples of them, and made-up functions."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import scratch
from jaxlint.project.discovery import discover

# Directories of the standard library that are left out: what is installed beside it, and tests.
_NOT_PLAIN = frozenset({"site-packages", "dist-packages", "test", "tests", "__pycache__"})


class NoFilesError(Exception):
    """There is nothing to measure with."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A tree of source, and the files in it that jaxlint checks."""

    name: str
    root: str
    files: tuple[str, ...]
    lines: int

    def __str__(self) -> str:
        return f"{self.name} ({len(self.files)} files, {self.lines:,} lines)"

    def sample(self, count: int) -> tuple[str, ...]:
        """So many of the files, evenly from the whole list; 0 stands for all."""
        if not count or count >= len(self.files):
            return self.files
        step = len(self.files) / count
        return tuple(self.files[int(at * step)] for at in range(count))


def corpus(name: str, root: str) -> Corpus:
    """The corpus in a directory. Raises NoFilesError where there are none."""
    files = tuple(discover([root]).files)
    if not files:
        raise NoFilesError(f"no Python files in {root}")
    return Corpus(name, root, files, sum(map(lines_in, files)))


def lines_in(file: str) -> int:
    return Path(file).read_bytes().count(b"\n")


def installed_jax() -> str | None:
    """The directory of the jax package, which is not imported, if it is installed."""
    found = importlib.util.find_spec("jax")
    return None if found is None else next(iter(found.submodule_search_locations or ()), None)


def without_jax(root: str | None) -> Corpus:
    """A copy of what never mentions JAX in a tree: by default, the standard library's modules."""
    source = Path(root or sysconfig.get_path("stdlib")).absolute()
    target = Path(scratch(), "plain")
    target.mkdir()
    (target / "pyproject.toml").touch()
    for directory, below, names in os.walk(source):
        below[:] = sorted(set(below) - _NOT_PLAIN)
        for name in sorted(names):
            file = Path(directory, name)
            if file.suffix == ".py" and b"jax" not in file.read_bytes():
                copied = target / file.relative_to(source.parent)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copied)
    return corpus("no JAX", os.fspath(target))


def copies(of: Corpus, count: int) -> Corpus:
    """One project that holds the files of a corpus so many times, each time as another package.

    The corpus keeps the name of its directory, which its modules import each other by.
    """
    target = Path(scratch())
    (target / "pyproject.toml").touch()
    around = os.path.dirname(os.path.abspath(of.root))
    if os.path.isfile(of.root):
        around = os.path.dirname(around)
    for number in range(count):
        for file in of.files:
            copied = target / f"copy{number}" / os.path.relpath(os.path.abspath(file), around)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
    name = of.name if count == 1 else f"{count} x {of.name}"
    return corpus(name, os.fspath(target))


def nearest(of: Corpus, lines: int) -> str | None:
    """The file that imports JAX and is closest to a length, if any does."""
    takes = [file for file in of.files if _imports_jax(file)]
    return min(takes, key=lambda file: (abs(lines_in(file) - lines), file), default=None)


def _imports_jax(file: str) -> bool:
    starts = (b"import jax", b"from jax")
    return any(line.startswith(starts) for line in Path(file).read_bytes().splitlines())


_HEAD = '''\
"""One long function that is traced."""

import functools

import jax
import jax.numpy as jnp


def scaled(values, by=2.0):
    return values * by / jnp.sqrt(values.shape[-1])


@functools.partial(jax.jit, static_argnames=("deep",))
def f(x, params, key, deep=False):
'''
# What code in JAX is made of, ten statements; `{n}` counts, `{m}` is the last that was made.
_MIX = """\
    w{n} = params["w{n}"] + y{m}
    y{n} = jnp.tanh(w{n} @ x + {n})
    key, sub{n} = jax.random.split(key)
    noise{n} = jax.random.normal(sub{n}, x.shape)
    y{n} = jnp.where(y{n} > 0, y{n}, noise{n}).astype(x.dtype)
    if deep:
        y{n} = jax.nn.relu(y{n}) + y{m}
    kept{n} = [scaled(part) for part in (y{n}, noise{n})]
    y{n} = y{n}.at[{n}, :].set(kept{n}[0].sum(axis=0, keepdims=False))
    shape{n} = {{"rows": y{n}.shape[0], "last": kept{n}[-1]}}
"""
_STATEMENTS = 10


def function(statements: int) -> str:
    """A module with one traced function of so many statements."""
    rounds = max(1, statements // _STATEMENTS)
    body = "".join(_MIX.format(n=n + 1, m=n) for n in range(rounds))
    return f"{_HEAD}    y0 = x\n{body}    return y{rounds}\n"


def write_functions(sizes: Sequence[int]) -> dict[int, str]:
    """Files with one function each, by the number of its statements."""
    folder = Path(scratch())
    for size in sizes:
        (folder / f"of_{size}.py").write_text(function(size))
    return {size: os.fspath(folder / f"of_{size}.py") for size in sizes}
