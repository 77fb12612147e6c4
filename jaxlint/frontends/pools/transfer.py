"""Sessions and sources as bytes, for workers on other machines."""

from __future__ import annotations

import io
import os
import pickle
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jaxlint.project.file_systems.files import Entry, FileSystem, Kind, as_bytes
from jaxlint.project.project import Universe
from jaxlint.session.session import Session

# Bytes of a chunk: a scheduler warns of messages of ten megabytes.
_CHUNK = 4_000_000
# The compression level: sources shrink to a fourth, in a tenth of the time of higher levels.
_EFFORT = 1


class TransferredFiles:
    """The sources of a project on another machine, by their identities on this one."""

    def __init__(self, contents: Mapping[str, bytes | str]) -> None:
        self._contents = dict(contents)
        self._directories: dict[str, dict[str, Kind]] = {}
        for path in contents:
            kind: Kind = "file"
            while (parent := os.path.dirname(path)) != path:
                inside = self._directories.setdefault(parent, {})
                if os.path.basename(path) in inside:
                    break
                inside[os.path.basename(path)] = kind
                path, kind = parent, "directory"

    def read(self, path: str) -> bytes:
        return as_bytes(self.source(path))

    def source(self, path: str) -> bytes | str:
        try:
            return self._contents[self.identity(path)]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None

    def kind(self, path: str) -> Kind:
        path = self.identity(path)
        if path in self._contents:
            return "file"
        return "directory" if path in self._directories else "missing"

    def scan(self, directory: str) -> list[Entry]:
        inside = self._directories.get(self.identity(directory), {})
        return [Entry(name, kind) for name, kind in sorted(inside.items())]

    def identity(self, path: str) -> str:
        return os.path.normcase(os.path.normpath(path))


class _Pickler(pickle.Pickler):
    """Replaces the file system of a session by the files that are transferred."""

    def __init__(self, stream: io.BytesIO, home: FileSystem, transferred: TransferredFiles) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._home = home
        self._transferred = transferred

    def reducer_override(self, value: Any) -> Any:
        """How a value is unpickled: as usual, except for the file system."""
        if value is self._home:
            return TransferredFiles, (self._transferred._contents,)
        return NotImplemented


def packed(session: Session, project: Universe, files: Iterable[str]) -> bytes:
    """A pickled session that examines these files of a project on any machine."""
    behind = sorted(frozenset[str]().union(*map(project.behind, files)))
    project.name_all(behind)
    contents: dict[str, bytes | str] = {}
    for path in behind:
        try:
            contents[path] = session.files.source(path)
        except OSError:
            # It is missing there as it is here.
            continue
    stream = io.BytesIO()
    _Pickler(stream, session.files, TransferredFiles(contents)).dump(session.alone_with(project))
    return stream.getvalue()


def chunks(data: bytes) -> list[bytes]:
    """The data, compressed, in chunks that can be sent."""
    small = zlib.compress(data, _EFFORT)
    return [small[at : at + _CHUNK] for at in range(0, len(small), _CHUNK)]


def joined(chunks: Sequence[bytes]) -> bytes:
    """The data of the chunks."""
    return zlib.decompress(b"".join(chunks))
