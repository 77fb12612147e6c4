"""Whether anything can be found in a run at all: not in projects that never mention JAX.

This is asked at every start of flake8, most of them on code without JAX, so it imports next to
nothing and is cautious: it says that nothing can be found only where that is plain.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from jaxlint.base.file_stats import OWN_SETTINGS, content
from jaxlint.knowledge.libraries import BUILT_IN, JAX_LIKE
from jaxlint.project.roots import DEFAULT_EXCLUDES, INSTALLED, project_root

_WORDS = tuple(sorted(map(str.encode, {*BUILT_IN, *JAX_LIKE}), key=len))
# What is left out of every walk, but for what is a package's name as well.
_SKIPPED = frozenset(DEFAULT_EXCLUDES) - {"build", "dist"}
# How many files are read beside one that belongs to no project.
_MOST_LOOSE = 100


class _Disk:
    """As much of a file system as it takes to find a project's directory."""

    def kind(self, path: str) -> str:
        return "file" if os.path.exists(path) else "missing"


class Mentions:
    """What is known of the files around those of a run."""

    def __init__(self) -> None:
        self._configured: dict[str, bool] = {}

    def none_in(self, paths: Iterable[str]) -> bool:
        """Whether no finding is possible in these files, as they are on the disk: no settings
        speak of jaxlint, and no file around them names a library that matters."""
        around: dict[str, int] = {}
        real = [os.path.realpath(path) for path in paths]
        if any(self.is_configured(os.path.dirname(path)) for path in paths):
            return False
        for directory in {os.path.dirname(path) for path in real}:
            root = project_root(os.path.join(directory, "_"), _Disk())
            top = directory if root is None else root
            below = os.path.relpath(directory, top).split(os.sep)
            if not _is_closed(top) or not _SKIPPED.isdisjoint(below):
                return False
            around[top] = _MOST_LOOSE if root is None else sys.maxsize
        others = [path for path in real if not path.endswith(".py")]
        return not any(map(names_library, others)) and not any(
            _names_library_below(top, most)
            for top, most in around.items()
            if not any(_is_below(top, other) for other in around)
        )

    def is_configured(self, directory: str) -> bool:
        """Whether a configuration file at or above a directory names jaxlint."""
        directory = os.path.abspath(directory)
        known = self._configured.get(directory)
        if known is None:
            parent = os.path.dirname(directory)
            known = _is_configured(directory) or (
                parent != directory and self.is_configured(parent)
            )
            self._configured[directory] = known
        return known


def _is_configured(directory: str) -> bool:
    if any(os.path.exists(os.path.join(directory, name)) for name in OWN_SETTINGS):
        return True
    return b"jaxlint" in (content(os.path.join(directory, "pyproject.toml")) or b"")


def _is_closed(top: str) -> bool:
    """Whether imports of the files below a directory lead to no other of their projects."""
    if os.path.basename(os.path.dirname(top)) in INSTALLED:
        return True
    return not os.path.exists(os.path.join(top, "__init__.py"))


def _names_library_below(top: str, most: int) -> bool:
    """Whether a file below a directory names a library that matters, or there are too many."""
    return any(number == most or names_library(path) for number, path in enumerate(_sources(top)))


def names_library(path: str) -> bool:
    """Whether a file names a library that matters."""
    return names_library_in(content(path) or b"")


def names_library_in(data: bytes) -> bool:
    """Whether source names a library that matters."""
    return any(word in data for word in _WORDS)


def _sources(root: str) -> Iterator[str]:
    """Every file below a directory that may belong to its project, links to directories
    followed: more than a walk that knows what is ignored."""
    seen: set[str] = set()
    pending = [root]
    while pending:
        directory = pending.pop()
        try:
            entries = list(os.scandir(directory))
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.path
            elif entry.name not in _SKIPPED and entry.is_dir():
                if entry.is_symlink():
                    real = os.path.realpath(entry.path)
                    if real in seen or _is_below(entry.path, real):
                        continue
                    seen.add(real)
                pending.append(entry.path)


def _is_below(path: str, other: str) -> bool:
    return path.startswith(other.rstrip(os.sep) + os.sep)
