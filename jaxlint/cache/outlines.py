"""The outlines of a project's files, kept in a document of their own: few runs need them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from jaxlint.cache.codec import believed, decode_outline, encode_outline
from jaxlint.cache.folder import Folder

if TYPE_CHECKING:
    from jaxlint.project.callers.outlines import Outline


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
