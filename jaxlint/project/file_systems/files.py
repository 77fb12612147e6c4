"""Where source comes from: a disk or a dictionary."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.base.file_stats import kind_at, kind_of, most_of
from jaxlint.base.reading import read_file

Kind = Literal["file", "directory", "missing", "other"]


@slotted(frozen=True)
class Problem:
    """Why a path that the user named could not be checked."""

    filename: str
    message: str


@slotted(frozen=True, order=True)
class Entry:
    """One name in a directory; a symbolic link to a directory is "other"."""

    name: str
    kind: Kind


class FileSystem(Protocol):
    """All that jaxlint asks of a place where files live. Paths are the host's."""

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises OSError."""

    def source(self, path: str) -> bytes | str:
        """What a file holds, as text where it never was bytes. Raises OSError."""

    def kind(self, path: str) -> Kind:
        """What a path is, links followed. Raises OSError for what cannot be looked at."""

    def scan(self, directory: str) -> list[Entry]:
        """The entries of a directory, sorted by name. Raises OSError."""

    def identity(self, path: str) -> str:
        """Equal for two paths that lead to the same file."""


def as_bytes(source: bytes | str) -> bytes:
    """The bytes of a file of which `source` is told; UTF-8 where it never was bytes."""
    return source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")


def is_file(files: FileSystem, path: str) -> bool:
    """Whether a path is a file that can be looked at."""
    try:
        return files.kind(path) == "file"
    except OSError:
        return False


class Disk:
    """The files of this machine."""

    def read(self, path: str) -> bytes:
        return read_file(path, most_of(path))

    def source(self, path: str) -> bytes | str:
        return self.read(path)

    def kind(self, path: str) -> Kind:
        return kind_at(path)

    def scan(self, directory: str) -> list[Entry]:
        with os.scandir(directory) as entries:
            return sorted(Entry(entry.name, kind_of(entry)) for entry in entries)

    def identity(self, path: str) -> str:
        return os.path.normcase(os.path.realpath(path))


class Memory:
    """Files held in a dictionary from path to bytes or text; directories follow from paths."""

    def __init__(self, contents: Mapping[str, bytes | str]) -> None:
        self.contents = {
            os.path.normpath(path): data.encode() if isinstance(data, str) else data
            for path, data in contents.items()
        }

    def read(self, path: str) -> bytes:
        try:
            return self.contents[os.path.normpath(path)]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None

    def source(self, path: str) -> bytes | str:
        return self.read(path)

    def kind(self, path: str) -> Kind:
        path = os.path.normpath(path)
        if path in self.contents:
            return "file"
        return "directory" if any(self._below(path)) else "missing"

    def scan(self, directory: str) -> list[Entry]:
        found: dict[str, Kind] = {}
        for parts in self._below(os.path.normpath(directory)):
            found[parts[0]] = "directory" if len(parts) > 1 else "file"
        return [Entry(name, kind) for name, kind in sorted(found.items())]

    def identity(self, path: str) -> str:
        return os.path.normpath(path)

    def _below(self, directory: str) -> list[list[str]]:
        prefix = "" if directory == os.curdir else directory.rstrip(os.sep) + os.sep
        return [
            path[len(prefix) :].split(os.sep) for path in self.contents if path.startswith(prefix)
        ]


class Above:
    """A file system over another one: some files hold something else, and all else is the same."""

    def __init__(self, files: FileSystem) -> None:
        self._files = files

    def kind(self, path: str) -> Kind:
        return self._files.kind(path)

    def scan(self, directory: str) -> list[Entry]:
        return self._files.scan(directory)

    def identity(self, path: str) -> str:
        return self._files.identity(path)


class Overlay(Above):
    """A file system in which one file holds something else: what an editor has not saved."""

    def __init__(self, files: FileSystem, path: str, source: bytes | str) -> None:
        super().__init__(files)
        self._path = files.identity(path)
        self._source = source

    def replace(self, source: bytes | str) -> bool:
        """Puts another source in the place of this one, and tells whether it is another."""
        is_other = type(source) is not type(self._source) or source != self._source
        self._source = source
        return is_other

    def read(self, path: str) -> bytes:
        return as_bytes(self.source(path))

    def source(self, path: str) -> bytes | str:
        if self._files.identity(path) == self._path:
            return self._source
        return self._files.source(path)


DISK = Disk()
