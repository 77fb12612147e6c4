"""On which lines of a TOML file its keys stand."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jaxlint.base.reading import read_file

_CLOSERS = ("]", "}", '"""', "'''")


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line on which each key of valid TOML is given first, tables included."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for line, statement, content in _statements(text):
        if statement.startswith("["):
            table = next(_paths(content))
            for end in range(1, len(table) + 1):
                found.setdefault(table[:end], line)
        else:
            for path in _paths(content):
                for end in range(1, len(path) + 1):
                    found.setdefault((*table, *path[:end]), line)
    return found


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """The line of a key, or of the innermost table around it that has one; 1 where none has."""
    # A name with dots is the same without quotes.
    lines = _lines_of_names(text)
    while keys and ".".join(keys) not in lines:
        keys = keys[:-1]
    return lines.get(".".join(keys), 1)


@lru_cache(8)
def _lines_of_names(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for keys, line in lines_of(text).items():
        found.setdefault(".".join(keys), line)
    return found


def line_naming(text: str, above: tuple[str, ...], word: str) -> int | None:
    """The first line, of what stands in a table, that has a word in it."""
    table: tuple[str, ...] = ()
    for line, statement, content in _statements(text):
        path = next(_paths(content), ())
        table = path if statement.startswith("[") else table
        whole = table if statement.startswith("[") else (*table, *path)
        if whole[: len(above)] == above and word in statement:
            within = [word in piece for piece in statement.split("\n")]
            return line + within.index(True) if True in within else line
    return None


def located(origin: str, word: str) -> str:
    """The origin of a selector, "path" or "path: table", with the line on which it stands."""
    path, _, table = origin.partition(": ")
    try:
        text = read_file(path).decode()
        line = line_naming(text, tuple(table.split(".")) if table else (), word)
    except (OSError, ValueError):
        line = None
    return origin if line is None else origin.replace(path, f"{path}:{line}", 1)


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Headers and assignments, each with its first line and what it means by itself."""
    pending: list[str] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not pending:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            begun = number
        pending.append(line.removesuffix("\r"))
        if len(pending) > 1 and not any(closer in line for closer in _CLOSERS):
            continue
        statement = "\n".join(pending)
        try:
            content = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            # It goes on in the next line.
            continue
        pending.clear()
        yield begun, statement.lstrip(), content


def _paths(content: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The keys that lead to each value that is no table, or to an empty one."""
    for key, value in content.items():
        if isinstance(value, list) and value and all(isinstance(it, Mapping) for it in value):
            value = value[0]
        below = list(_paths(value)) if isinstance(value, Mapping) else []
        yield from ((key, *path) for path in below or [()])
