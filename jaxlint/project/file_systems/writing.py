"""Writes files that are there already: all of the new content or none of it."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress


def write_whole(path: str, data: bytes) -> None:
    """Gives a file this content and leaves its mode and, if it is one, the link to it. Raises
    OSError, and then the file is as it was."""
    path = os.path.realpath(path)
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mode = None
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", path)
    directory, name = os.path.split(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=directory)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, _default_mode() if mode is None else mode)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _default_mode() -> int:
    """The mode of a file that is made as others are."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
