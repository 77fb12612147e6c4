"""The key by which the cache knows its own documents: a secret of this user, outside every project.

Whoever can write a document into a repository cannot write one that the key vouches for. This is
imported by a run in which everything is in the cache, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

from jaxlint.base.file_stats import is_below, project_around
from jaxlint.base.reading import read_own
from jaxlint.base.version import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

# Names the file of the key, in place of the user's own.
VARIABLE = "JAXLINT_CACHE_KEY"
_NAME = "cache.key"
_LEAST, _MOST = 32, 4096


class Key:
    """A secret. `seal` is of a document in its place, `mark` of its name alone."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @classmethod
    def find(cls, make: bool = False) -> Self | None:
        """This user's key, None where there is none that is secret; `make` has one made."""
        try:
            path = location()
            if not path or is_below(os.path.realpath(path), project_around(os.curdir)):
                return None
            if make and not os.path.lexists(path):
                _make(path)
            return cls(_read(path))
        except (OSError, ValueError):
            return None

    def seal(self, directory: str, name: str, body: bytes) -> str:
        """Equal for one document of this version of jaxlint in one place of the disk, asked for in
        one current directory."""
        place = (version, os.path.realpath(directory), os.getcwd(), name)
        return self._digest(b"document", *map(os.fsencode, place), body)

    def mark(self, name: str) -> str:
        """Equal for all documents of this name that were written with this key."""
        return self._digest(b"name", os.fsencode(name))

    def _digest(self, *parts: bytes) -> str:
        # All of hashlib takes as long to import as the rest of a run that is known.
        try:
            from _blake2 import blake2b
        except ImportError:
            from hashlib import blake2b
        own = blake2b(self._secret, digest_size=64).digest()
        made = blake2b(key=own, digest_size=24)
        for part in parts:
            made.update(len(part).to_bytes(8, "big"))
            made.update(part)
        found: str = made.hexdigest()
        return found


def location() -> str:
    """The file of the key, empty where no user has a place for it."""
    named = os.environ.get(VARIABLE)
    if named:
        return os.path.abspath(named)
    if sys.platform == "win32":
        around = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        around = os.path.expanduser("~/Library/Application Support")
    else:
        around = os.environ.get("XDG_STATE_HOME", "")
        around = around if os.path.isabs(around) else os.path.expanduser("~/.local/state")
    return os.path.join(around, "jaxlint", _NAME) if os.path.isabs(around) else ""


def _read(path: str) -> bytes:
    secret = read_own(path, _MOST)
    if len(secret) < _LEAST:
        raise ValueError("too short to be secret")
    if os.name == "posix" and os.stat(path).st_mode & 0o077:
        raise ValueError("others can read it")
    return secret


def _make(path: str) -> None:
    """Writes a new key, unless another process has just done so."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(temporary, flags, 0o600), "wb") as stream:
        stream.write(os.urandom(32).hex().encode() + b"\n")
    try:
        # Unlike a renamed file, a link takes the place of no other.
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:
        if not os.path.lexists(path):
            os.replace(temporary, path)
            return
    os.unlink(temporary)
