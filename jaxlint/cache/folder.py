"""The directory of the cache: documents that are written whole, read with doubt, and bounded.

Whatever goes wrong, a document that cannot be read is as one that was never written, and one
that cannot be written is not. A document is JSON behind a line that only this user's jaxlint can
write for this document in this place: what comes with a repository counts for nothing.

This is imported by a run in which everything is in the cache, so it imports next to nothing.
"""

from __future__ import annotations

import os
from stat import S_ISDIR

from jaxlint.base.file_stats import MARKS, OWN_SETTINGS, SETTINGS, content, upwards
from jaxlint.base.reading import LARGEST, is_own, read_beginning, read_own
from jaxlint.cache.key import Key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = ".jaxlint_cache"
# Documents lie below the directory, so that what else is in it is left alone.
_BELOW = "check"
_FORMAT = "jaxlint 2"
_BEGINNINGS = ("files-", "names-", "run-")
_ENDING = ".json"
# What may lie there, in bytes and in documents.
MOST_BYTES = 200_000_000
MOST_DOCUMENTS = 200
# A file that nobody came to rename, in seconds.
_ABANDONED = 3600.0


def default_directory(configured: str | None = None) -> str:
    """Where the cache of a run is: where JAXLINT_CACHE_DIR says, or the settings, in the project
    around the current directory, else there.

    `configured` is what the settings say, None where that is to be found out.
    """
    here = os.getcwd()
    if chosen := os.environ.get("JAXLINT_CACHE_DIR"):
        # Links that the user chose are followed, others are not.
        return os.path.realpath(chosen)
    named = configured
    if named or (configured is None and (named := _configured(here))):
        return named
    home = os.path.expanduser("~")
    for directory in upwards(here):
        if directory == home:
            break
        if any(os.path.exists(os.path.join(directory, mark)) for mark in MARKS):
            return os.path.join(directory, NAME)
    return os.path.join(here, NAME)


def _configured(directory: str) -> str:
    """Where the settings of a directory say that the cache is, empty where they do not."""
    for near in upwards(directory):
        for name in SETTINGS:
            data = content(os.path.join(near, name))
            if data is not None and (name in OWN_SETTINGS or b"jaxlint" in data):
                return _read_from(directory) if may_place(data) else ""
    return ""


def may_place_in(value: str) -> bool:
    """Whether a value of `--config`, a file or settings, may say where the cache is."""
    data = content(value)
    return may_place(value.encode(errors="replace") if data is None else data)


def may_place(data: bytes) -> bool:
    """Whether a settings file may say where the cache is, itself or in one that it extends."""
    words = data.split(b"extend")[1:]
    return b"cache-dir" in data or any(it.lstrip(b" \t\"'").startswith(b"=") for it in words)


def _read_from(directory: str) -> str:
    from jaxlint.base.errors import SettingsError
    from jaxlint.settings import Configuration
    from jaxlint.settings.build import Layers, path_of

    try:
        return path_of(Layers(Configuration().layers(directory)), "cache-dir")
    except SettingsError:
        # Whoever needs the settings says so.
        return ""


class Folder:
    """The documents of the cache in one directory, by name.

    Only those count that this user's key vouches for, in the place that they were written to.
    """

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self._below = os.path.join(directory, _BELOW)
        self._key: Key | None = None

    def read(self, name: str) -> Any:
        """The document, None where there is none that can be believed."""
        import json

        try:
            key = self._found_key()
            if key is None or not self._is_own():
                return None
            head, _, body = read_own(self._path(name)).partition(b"\n")
            if not _is_same(head, self._head(key, name, body)):
                return None
            return json.loads(body)
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, name: str, document: Any) -> bool:
        """Writes a document in the place of one of that name, all of it or nothing."""
        import json

        try:
            body = json.dumps(document, separators=(",", ":")).encode()
            key = self._found_key(make=True)
            if key is None or len(body) > LARGEST - 1000:
                return False
            self._prepare()
            head = self._head(key, name, body)
            path = self._path(name)
            temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
        except (OSError, ValueError):
            return False
        try:
            with open(temporary, "xb") as stream:
                stream.write(head + b"\n" + body)
            os.replace(temporary, path)
        except OSError:
            _remove(temporary)
            return False
        self._bound(name)
        return True

    def documents(self) -> Iterator[tuple[str, int]]:
        """The documents that are there, and their sizes in bytes."""
        for path, name, state in self._files():
            if path.endswith(_ENDING):
                yield name.removesuffix(_ENDING), state.st_size

    def clear(self) -> tuple[int, int]:
        """Removes all documents. How many there were, and how many bytes."""
        count = size = 0
        for path, _, state in list(self._files()):
            if _remove(path):
                count += path.endswith(_ENDING)
                size += state.st_size
        return count, size

    def _path(self, name: str) -> str:
        return os.path.join(self._below, name + _ENDING)

    def _found_key(self, make: bool = False) -> Key | None:
        self._key = self._key or Key.find(make)
        return self._key

    def _head(self, key: Key, name: str, body: bytes) -> bytes:
        """The first line of a document: whose it is, and that nobody else has changed it."""
        return f"{_FORMAT} {key.mark(name)} {key.seal(self._below, name, body)}".encode()

    def _is_own(self) -> bool:
        """Whether the directory and the one in it are this user's."""
        return _is_own_directory(self.directory) and _is_own_directory(self._below)

    def _prepare(self) -> None:
        """Makes the directory, which is kept out of version control if it was not there."""
        is_new = not os.path.lexists(self.directory)
        for path in (self.directory, self._below):
            os.makedirs(path, exist_ok=True)
            if not _is_own_directory(path):
                raise OSError(f"{path} is somebody else's")
        if is_new:
            with open(os.path.join(self.directory, ".gitignore"), "x", encoding="utf-8") as stream:
                stream.write("*\n")

    def _files(self) -> Iterator[tuple[str, str, os.stat_result]]:
        """The files there that this class wrote: nothing else is ever counted or removed."""
        key = self._found_key()
        if key is None or not self._is_own():
            return
        try:
            with os.scandir(self._below) as entries:
                for entry in entries:
                    try:
                        if _may_be_ours(entry.name) and _is_marked(key, entry):
                            yield entry.path, entry.name, entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
        except OSError:
            return

    def _bound(self, kept: str) -> None:
        """Removes the documents that were written longest ago, until the rest is small enough."""
        import time

        count = size = 0
        newest_first = sorted(self._files(), key=lambda it: it[2].st_mtime, reverse=True)
        for path, name, state in newest_first:
            if not path.endswith(_ENDING):
                if time.time() - state.st_mtime > _ABANDONED:
                    _remove(path)
                continue
            count, size = count + 1, size + state.st_size
            if name != kept + _ENDING and (count > MOST_DOCUMENTS or size > MOST_BYTES):
                _remove(path)


def _is_own_directory(path: str) -> bool:
    """Whether a path is a directory of this user's, and no link to one."""
    try:
        state = os.lstat(path)
    except OSError:
        return False
    return S_ISDIR(state.st_mode) and is_own(state)


def _may_be_ours(name: str) -> bool:
    return name.startswith(_BEGINNINGS) and _ENDING in name


def _is_marked(key: Key, entry: os.DirEntry[str]) -> bool:
    """Whether a file is a document that was written with this key. Raises OSError."""
    if not entry.is_file(follow_symlinks=False):
        return False
    beginning = f"{_FORMAT} {key.mark(entry.name.partition(_ENDING)[0])} ".encode()
    return _is_same(read_beginning(entry.path, len(beginning)), beginning)


def _is_same(one: bytes, other: bytes) -> bool:
    # What tells after how many bytes two are different would tell how to forge one.
    from _operator import _compare_digest

    return _compare_digest(one, other)


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
