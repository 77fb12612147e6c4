"""The JAX that a project declares to be for: in `pyproject.toml`, else in `requirements.txt`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from jaxlint.project.file_systems.files import FileSystem

_JAX = re.compile(r"jax\s*(\[[^]]*\])?\s*(?=[<>=~!;#]|$)")


def declared_jax(root: str | None, files: FileSystem) -> str:
    """The requirement on JAX, "" where there is none or where it cannot be read."""
    if root is None:
        return ""
    table = _toml(_text(root, "pyproject.toml", files))
    found = next(_requirements(table), None)
    if found is not None:
        return found
    lines = _text(root, "requirements.txt", files).splitlines()
    return next(_on_jax(lines), "")


def _toml(text: str) -> dict[str, Any]:
    if "jax" not in text:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except ValueError:
        return {}


def _text(root: str, name: str, files: FileSystem) -> str:
    try:
        source = files.source(os.path.join(root, name))
        return source if isinstance(source, str) else source.decode()
    except (OSError, ValueError):
        return ""


def _on_jax(lines: Any) -> Iterator[str]:
    """What lines say of JAX's versions, where they do."""
    for one in lines if isinstance(lines, list) else ():
        found = _JAX.match(one.strip()) if isinstance(one, str) else None
        if found is not None:
            yield one.strip()[found.end() :].partition("#")[0]


def _requirements(table: dict[str, Any]) -> Iterator[str]:
    """The requirements on JAX, those of the project itself before those of its extras."""
    project = _table(table, "project")
    extras = _table(project, "optional-dependencies")
    for listed in (project.get("dependencies"), *extras.values()):
        yield from _on_jax(listed)
    poetry = _table(_table(_table(table, "tool"), "poetry"), "dependencies").get("jax")
    if isinstance(poetry, dict):
        poetry = poetry.get("version")
    if isinstance(poetry, str):
        major = ".".join(poetry[1:].split(".")[:2])
        yield f"~={major}.0" if poetry.startswith("^0.") else poetry


def _table(table: dict[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}
