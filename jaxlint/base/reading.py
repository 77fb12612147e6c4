"""Reads files that anybody may have written: regular ones, and no more of them than is bearable.

A directory may hold pipes, which never end, devices, and links to both. This is imported by a run
in which everything is in the cache, so it imports next to nothing.
"""

import os
from stat import S_ISREG

# The most bytes of one file that are read, and of one that decides about others.
LARGEST, LARGEST_DECIDING = 100_000_000, 5_000_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FLAGS |= getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_PIECE = 1 << 20


def read_file(path: str, most: int = LARGEST) -> bytes:
    """What a regular file holds. Raises OSError for what is none, and for one that is larger than
    bearable."""
    with os.fdopen(os.open(path, _FLAGS), "rb", buffering=0) as stream:
        state = os.fstat(stream.fileno())
        if not S_ISREG(state.st_mode):
            raise OSError(None, "no regular file", path)
        if state.st_size > most:
            raise _too_large(path, most)
        return _all_of(stream.fileno(), path, most, state.st_size)


def read_own(path: str, most: int = LARGEST) -> bytes:
    """What a regular file of this user holds that is reached by no link. Raises OSError, as
    `read_file` does."""
    with os.fdopen(os.open(path, _FLAGS | _NO_LINK), "rb", buffering=0) as stream:
        state = os.fstat(stream.fileno())
        if not (S_ISREG(state.st_mode) and is_own(state)):
            raise OSError(None, "not a file of this user", path)
        if state.st_size > most:
            raise _too_large(path, most)
        return _all_of(stream.fileno(), path, most, state.st_size)


def read_beginning(path: str, most: int) -> bytes:
    """The first bytes of a regular file that is reached by no link. Raises OSError."""
    with os.fdopen(os.open(path, _FLAGS | _NO_LINK), "rb", buffering=0) as stream:
        return stream.read(most) if S_ISREG(os.fstat(stream.fileno()).st_mode) else b""


def is_own(state: os.stat_result) -> bool:
    """Whether something belongs to this user, as far as the system tells."""
    return not hasattr(os, "geteuid") or state.st_uid == os.geteuid()


def _all_of(descriptor: int, path: str, most: int, size: int) -> bytes:
    """What can be read from here on. Files grow, and some of the system's have no size."""
    pieces: list[bytes] = []
    wanted, total = size + 1, 0
    while piece := os.read(descriptor, min(max(wanted - total, _PIECE), most + 1 - total)):
        pieces.append(piece)
        total += len(piece)
        if total > most:
            raise _too_large(path, most)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large(path: str, most: int) -> OSError:
    return OSError(None, f"larger than {most // 1_000_000} MB", path)
