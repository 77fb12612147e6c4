"""What files and directories are, and their states, by which a change is noticed without reading.

This is imported by a run in which everything is in the cache, so it imports next to nothing.
"""

import os
from stat import S_ISDIR, S_ISREG

from jaxlint.base.reading import LARGEST, LARGEST_DECIDING, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    Kind = Literal["file", "directory", "missing", "other"]

# What marks the directory in which a project begins.
MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
# Where settings stand in a directory, what counts more first, and which of them are ours alone.
OWN_SETTINGS = (".jaxlint.toml", "jaxlint.toml")
SETTINGS = (*OWN_SETTINGS, "pyproject.toml")
# How the files end that are Python, and those that hold some among other things.
PYTHON, NOTEBOOK, MARKDOWN = ".py", ".ipynb", (".md", ".markdown")
# Files that decide about more than themselves.
DECIDING = frozenset((*MARKS, *SETTINGS, ".gitignore", "requirements.txt"))
# Size, times of the last change of content and of anything, and the number of the file.
Stamp = tuple[int, int, int, int]
# How coarse the clock of a file system may be, in nanoseconds.
_COARSE = 2_000_000_000


def upwards(directory: str) -> "Iterator[str]":
    """A directory and all above it, the nearest first."""
    while True:
        yield directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def project_around(path: str) -> str:
    """The directory in which everything begins that comes with a path, links resolved: the nearest
    one that is under version control, else the farthest one with a mark of a project or settings
    of ours, else the directory of the path. The user's own directory and what is above it begin
    no project."""
    real = os.path.realpath(path)
    directory = real if os.path.isdir(real) else os.path.dirname(real)
    home = os.path.realpath(os.path.expanduser("~"))
    found = directory
    for each in upwards(directory):
        if each == home:
            break
        if os.path.exists(os.path.join(each, ".git")):
            return each
        if any(os.path.exists(os.path.join(each, mark)) for mark in (*MARKS, *OWN_SETTINGS)):
            found = each
    return found


def is_below(path: str, directory: str) -> bool:
    """Whether a full path is that of a directory, or of something in it."""
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def stamp_of(state: os.stat_result) -> Stamp:
    """What changes with a file."""
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino


def settled(stamp: Stamp, seen: int) -> Stamp:
    """The state of a file that was seen at a time, in nanoseconds. One that was written just
    before may be written again without a change of state: then it is like no other."""
    if max(stamp[1], stamp[2]) < seen - _COARSE:
        return stamp
    return stamp[0], -1, -1, -1


def digest(data: bytes) -> str:
    """Equal for equal contents."""
    from hashlib import sha256

    return sha256(data).hexdigest()[:32]


def most_of(path: str) -> int:
    """How much of a file is read at most."""
    return LARGEST_DECIDING if os.path.basename(path) in DECIDING else LARGEST


def content(path: str) -> bytes | None:
    """What a file holds, None where it cannot be read."""
    try:
        return read_file(path, most_of(path))
    except OSError:
        return None


def kind_at(path: str) -> "Kind":
    """What a path is, links followed. Raises OSError for what cannot be looked at."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    if S_ISDIR(mode):
        return "directory"
    return "file" if S_ISREG(mode) else "other"


def kind_of(entry: "os.DirEntry[str]") -> "Kind":
    """What a walk takes a name in a directory for."""
    # Links to directories are not followed, so a walk cannot run in circles.
    try:
        if entry.is_dir(follow_symlinks=False):
            return "directory"
        return "file" if entry.is_file() else "other"
    except OSError:
        return "other"


def listing(entries: "Iterable[tuple[str, str]]") -> str:
    """What of the names in a directory, each with its kind, can matter to a run."""
    return "\n".join(f"{kind[0]} {name}" for name, kind in sorted(entries) if _matters(name, kind))


def _matters(name: str, kind: str) -> bool:
    if name in DECIDING:
        return True
    if kind == "file":
        return name.endswith((PYTHON, NOTEBOOK, *MARKDOWN))
    if kind == "directory":
        return name not in _CACHES
    # A link to a directory may be a package; those that editors make to lock a file are not.
    return not name.startswith(".")


# No walk looks into these, and other tools make them.
_CACHES = frozenset(
    (".jaxlint_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__")
)
