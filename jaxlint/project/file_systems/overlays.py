"""Files some of which hold something else than on the disk, until it is written."""

from __future__ import annotations

from jaxlint.project.file_systems.files import Above, FileSystem


class Drafts(Above):
    """A file system over another one. What is drafted is found in the place of what is there."""

    def __init__(self, files: FileSystem) -> None:
        super().__init__(files)
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
