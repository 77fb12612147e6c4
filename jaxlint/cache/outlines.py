"""The outlines of a project's files, kept in a document of their own: few runs need them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from jaxlint.cache.codec import believed
from jaxlint.cache.folder import Folder
from jaxlint.project.callers.outlines import Outline, Statement
from jaxlint.project.imports import Import


class Outlines:
    """What is kept of the statements of files, by the digests of what they held."""

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder = folder
        self._name = f"names-{name}"
        self._changed = False

    def get(self, path: str, held: str) -> Outline | None:
        """The outline of a file that holds this, None where it is not known."""
        row = self._rows.get(path)
        if not isinstance(row, list) or len(row) != 2 or row[0] != held:
            return None
        return believed(decode_outline, row[1])

    def keep(self, path: str, held: str, outline: Outline) -> None:
        """Takes in the outline of a file."""
        self._rows[path] = [held, encode_outline(outline)]
        self._changed = True

    def save(self) -> None:
        """Writes what was taken in."""
        if self._changed:
            self._folder.write(self._name, {"outlines": self._rows})

    @cached_property
    def _rows(self) -> dict[str, Any]:
        document = self._folder.read(self._name)
        rows = document.get("outlines") if isinstance(document, dict) else None
        return rows if isinstance(rows, dict) else {}


def encode_outline(outline: Outline) -> list[Any]:
    """An outline as plain data: names have no blanks in them."""
    imports = [
        [it.module, it.level, " ".join(it.names), " ".join(it.bound)] for it in outline.imports
    ]
    statements = [
        [" ".join(one) if isinstance(one, tuple) else one for one in statement]
        for statement in outline.statements
    ]
    return [int(outline.is_open), imports, statements]


def decode_outline(data: Any) -> Outline:
    """The reverse of `encode_outline`. Raises ValueError or TypeError for anything else."""
    is_open, imports, statements = data
    return Outline(
        tuple(
            Import(_text(module), int(level), _words(names), _words(bound))
            for module, level, names, bound in imports
        ),
        tuple(map(_statement, statements)),
        bool(is_open),
    )


def _statement(data: Any) -> Statement:
    kind, *names, keeps, leaves = data
    fields = [_text(kind), *map(_words, names), bool(keeps), bool(leaves)]
    if len(fields) != len(Statement._fields):
        raise ValueError("no statement")
    return Statement._make(fields)


def _words(data: Any) -> tuple[str, ...]:
    return tuple(_text(data).split())


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise ValueError("no text")
    return data
