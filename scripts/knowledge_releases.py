"""Reads since when, and until when, JAX has each public name: from the sources of its releases."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import knowledge_public as public
import knowledge_worlds as worlds

# Tags of releases from the oldest version that is supported on.
TAG = re.compile(r"jax-v(\d+(?:\.\d+)+)$")
OLDEST = (0, 4, 30)

Source = Callable[[str], str | None]
"""From a path below the package to the file's text, None where there is none."""


def number(version: str) -> tuple[int, ...]:
    """A version as numbers, for comparison."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def tagged(clone: Path, version: str) -> Source:
    """The files of a release in a clone of JAX."""

    def read(path: str) -> str | None:
        command = ["git", "-C", str(clone), "show", f"jax-v{version}:jax/{path}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    return read


def installed() -> tuple[str, Source]:
    """The version and the files of the JAX of this interpreter."""
    jax: Any = importlib.import_module("jax")
    home = Path(jax.__file__).parent

    def read(path: str) -> str | None:
        return (home / path).read_text() if (home / path).exists() else None

    return jax.__version__, read


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, branches for type checkers left out."""
    for statement in body:
        if isinstance(statement, ast.If):
            typing = "TYPE_CHECKING" in ast.unparse(statement.test)
            yield from statements(statement.orelse if typing else statement.body)
        elif isinstance(statement, ast.Try):
            yield from statements(statement.body)
        else:
            yield statement


def names(text: str) -> tuple[set[str], dict[str, bool]]:
    """The names that a module has, and those that warn or raise: whether they still work."""
    found: set[str] = set()
    warned: dict[str, bool] = {}
    for statement in statements(ast.parse(text).body):
        match statement:
            case ast.ImportFrom() | ast.Import():
                found |= {alias.asname or alias.name for alias in statement.names}
            case ast.FunctionDef() | ast.ClassDef():
                found.add(statement.name)
            case ast.Assign(targets=[ast.Name(id="_deprecations")], value=ast.Dict() as table):
                warned |= dict(warnings_of(table))
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Assign(targets=targets):
                found |= {node.id for target in targets for node in ast.walk(target)
                          if isinstance(node, ast.Name)}  # fmt: skip
            case ast.Delete(targets=targets):
                found -= {target.id for target in targets if isinstance(target, ast.Name)}
    return found, warned


def warnings_of(table: ast.Dict) -> Iterator[tuple[str, bool]]:
    """The names of a table of deprecations, and whether the function is still there."""
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(value, ast.Tuple):
            last = value.elts[-1]
            gone = isinstance(last, ast.Constant) and last.value is None
            yield str(key.value), not gone


def module_names(read: Source, module: str) -> tuple[set[str], dict[str, bool]]:
    """The names of one module in one release; nothing when the release has no such module."""
    path = "/".join(module.split(".")[1:])
    for file in (f"{path}/__init__.py".lstrip("/"), f"{path}.py"):
        text = read(file)
        if text is not None:
            return names(text)
    return set(), {}


def state_of(read: Source) -> dict[str, str]:
    """The public names of a release: "there" or "deprecated"."""
    found: dict[str, str] = {}
    for module in (*public.MODULES, *public.SOME_NAMES):
        there, warned = module_names(read, module)
        if module in public.SOME_NAMES:
            there &= public.words(public.SOME_NAMES[module])
            warned = {name: on for name, on in warned.items()
                      if name in public.words(public.SOME_NAMES[module])}  # fmt: skip
        found |= {f"{module}.{name}": "there" for name in there if not name.startswith("_")}
        found |= {f"{module}.{name}": "deprecated" for name, on in warned.items() if on}
        for name, on in warned.items():
            if not on:
                found.pop(f"{module}.{name}", None)
    return found


def changes(states: dict[str, dict[str, str]]) -> dict[str, tuple[str, str, str]]:
    """Since when each name is there, deprecated and gone, "" for what always was or never is.

    A name that came back is listed as of its last coming; one that is always there is not listed.
    """
    table = {}
    for dotted in sorted({name for state in states.values() for name in state}):
        since = deprecated = removed = ""
        before = None
        for version, state in states.items():
            now = state.get(dotted)
            if now and not before:
                since, removed = "" if version == next(iter(states)) else version, ""
            if now == "deprecated" and before != "deprecated":
                deprecated = version
            if now == "there":
                deprecated = ""
            if before and not now:
                removed = version
            before = now
        if since or deprecated or removed:
            table[dotted] = (since, deprecated, removed)
    return table


def releases(clone: Path) -> list[str]:
    """The versions that a clone has tags of, the oldest first."""
    command = ["git", "-C", str(clone), "tag"]
    tags = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    found = {match[1] for tag in tags if (match := TAG.match(tag))}
    return sorted((v for v in found if number(v) >= OLDEST), key=number)


def write(clone: Path) -> None:
    """Write the table of releases: those of a clone, and the one of this interpreter."""
    states = {version: state_of(tagged(clone, version)) for version in releases(clone)}
    version, read = installed()
    states[version] = state_of(read)
    said = f"Read in the sources of JAX {', '.join(states)}."
    text = worlds.render(changes(states), worlds.wrapped(said))
    (worlds.TABLES / "releases.py").write_text(text)
