"""Files some of which hold something else than on the disk, until it is written."""

from __future__ import annotations

from jaxlint.project.files import Entry, FileSystem, Kind


class Drafts:
    """A file system over another one. What is drafted is found in the place of what is there."""

    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._drafted: dict[str, bytes] = {}

    def draft(self, path: str, data: bytes) -> None:
        """Has a file hold something else."""
        self._drafted[self.identity(path)] = data

    def read(self, path: str) -> bytes:
        data = self._drafted.get(self.identity(path))
        return self._files.read(path) if data is None else data

    def source(self, path: str) -> bytes | str:
        data = self._drafted.get(self.identity(path))
        return self._files.source(path) if data is None else data

    def kind(self, path: str) -> Kind:
        return self._files.kind(path)

    def scan(self, directory: str) -> list[Entry]:
        return self._files.scan(directory)

    def identity(self, path: str) -> str:
        return self._files.identity(path)
