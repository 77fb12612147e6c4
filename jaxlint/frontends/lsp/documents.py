"""The files as an editor shows them: what is open there, and the disk below it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import field

from jaxlint.base.dataclass import slotted
from jaxlint.base.file_stats import DECIDING, listing
from jaxlint.project.file_systems.files import DISK, Entry, Kind

Stamp = tuple[int, int, int] | None


@slotted()
class News:
    """What has changed on the disk: files that hold something else; `structure` where files
    came or went, or one has changed that decides about others."""

    files: set[str] = field(default_factory=set)
    structure: bool = False


class Documents:
    """A file system in which open documents hold what the editor shows.

    It remembers what was asked of the disk first, so that it can tell what has changed since for
    whoever asked.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._identities: dict[str, str] = {}
        self._read: dict[str, Stamp] = {}
        self._kinds: dict[str, Kind] = {}
        self._scanned: dict[str, tuple[Stamp, list[Entry]]] = {}

    # -- what the editor says ---------------------------------------------------------------------

    def put(self, path: str, text: str) -> News:
        """Opens a document or changes its text. Tells what is different now."""
        file = self.identity(path)
        known = self._texts.get(file)
        self._texts[file] = text
        if known is None:
            # So far, the disk told what the file holds.
            return _compared(file, text)
        return News(set() if known == text else {file})

    def close(self, path: str) -> News:
        """Closes a document: the disk tells again what the file holds."""
        file = self.identity(path)
        text = self._texts.pop(file, None)
        return News() if text is None else _compared(file, text)

    def news(self) -> News:
        """What has changed on the disk since it was asked."""
        news = News()
        for path, stamp in self._read.items():
            now = _stamp(path)
            if now != stamp:
                self._read[path] = now
                news.files.add(path)
                gone = (now is None) != (stamp is None)
                news.structure |= gone or _decides(os.path.basename(path))
        news.structure |= any(_kind(path) != kind for path, kind in self._kinds.items())
        for path, (stamp, entries) in self._scanned.items():
            now = _stamp(path)
            if now != stamp:
                self._scanned[path] = now, entries
                news.structure |= now is None or _telling(_scan(path)) != _telling(entries)
        return news

    def forget(self) -> None:
        """Everything will be asked of the disk again."""
        for known in (self._identities, self._read, self._kinds, self._scanned):
            known.clear()

    # -- what the session asks --------------------------------------------------------------------

    def read(self, path: str) -> bytes:
        """The bytes of a file; of an open one, those of its text."""
        source = self.source(path)
        return source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")

    def source(self, path: str) -> bytes | str:
        """The text of an open document, the bytes of any other file."""
        text = self._texts.get(self.identity(path))
        if text is not None:
            return text
        # The state from before: what changes meanwhile is news later.
        self._read.setdefault(path, _stamp(path))
        return DISK.read(path)

    def kind(self, path: str) -> Kind:
        """What a path is."""
        if self.identity(path) in self._texts:
            return "file"
        kind = DISK.kind(path)
        self._kinds.setdefault(path, kind)
        return kind

    def scan(self, directory: str) -> list[Entry]:
        """The entries of a directory, with the documents that have not been saved yet."""
        stamp = _stamp(directory)
        entries = DISK.scan(directory)
        self._scanned.setdefault(directory, (stamp, entries))
        within = self.identity(directory)
        names = {entry.name for entry in entries}
        for file in self._texts:
            parent, name = os.path.split(file)
            if parent == within and name not in names:
                entries = [*entries, Entry(name, "file")]
        return sorted(entries)

    def identity(self, path: str) -> str:
        """Equal for two paths that lead to the same file."""
        known = self._identities.get(path)
        if known is None:
            known = self._identities[path] = DISK.identity(path)
        return known


def _decides(name: str) -> bool:
    """Whether a file is about others; settings that are extended may have any name, and so may
    what is known: all that is read and is no module."""
    return name in DECIDING or not name.endswith(".py")


def _compared(file: str, text: str) -> News:
    """What is different if a document stands for a file, or no longer does."""
    try:
        data = DISK.read(file)
    except OSError:
        return News({file}, structure=True)
    return News(set() if data == text.encode("utf-8", "surrogatepass") else {file})


def _stamp(path: str) -> Stamp:
    try:
        state = os.stat(path)
    except OSError:
        return None
    # Of a directory, the time tells enough.
    size = 0 if stat.S_ISDIR(state.st_mode) else state.st_size
    return state.st_mtime_ns, size, state.st_ino


def _kind(path: str) -> str:
    try:
        return DISK.kind(path)
    except OSError:
        return "missing"


def _scan(path: str) -> list[Entry]:
    try:
        return DISK.scan(path)
    except OSError:
        return []


def _telling(entries: Iterable[Entry]) -> str:
    """The entries that make a difference: editors put other files beside those that they save."""
    return listing((entry.name, entry.kind) for entry in entries)
