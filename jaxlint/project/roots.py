"""Where projects begin, and which directories below belong to none. Imports next to nothing."""

from __future__ import annotations

import os

from jaxlint.base.file_stats import MARKS, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Kinds(Protocol):
        """The part of a file system that is asked here."""

        def kind(self, path: str) -> str:
            """What a path is: "missing", or something that is there."""


# Where installers put packages: each of them is a project of its own.
INSTALLED = frozenset({"site-packages", "dist-packages"})
DEFAULT_EXCLUDES = (
    ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".jaxlint_cache",
    ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn",
    ".tox", ".venv", "*.egg-info", "__pycache__", "__pypackages__", "build", "buck-out", "dist",
    "node_modules", "site-packages", "venv",
)  # fmt: skip
_LITERAL_EXCLUDES = frozenset(name for name in DEFAULT_EXCLUDES if "*" not in name)
_GLOB_EXCLUDES = tuple(name for name in DEFAULT_EXCLUDES if "*" in name)


def project_root(path: str, files: Kinds) -> str | None:
    """The directory in which the project of a file begins: the nearest with a mark of one.

    A home directory is no project, even where it is kept under version control. An installed
    package is one, whatever is around the environment that it is installed in.
    """
    home = os.path.expanduser("~")
    for directory in upwards(os.path.dirname(path)):
        if directory == home:
            break
        if os.path.basename(os.path.dirname(directory)) in INSTALLED:
            return directory
        if any(_is_there(os.path.join(directory, mark), files) for mark in MARKS):
            return directory
    return None


def _is_there(path: str, files: Kinds) -> bool:
    try:
        return files.kind(path) != "missing"
    except OSError:
        # A link that leads nowhere marks nothing.
        return False


def is_excluded_name(name: str) -> bool:
    """Whether directories of this name are left out wherever they are."""
    from fnmatch import fnmatchcase

    return name in _LITERAL_EXCLUDES or any(fnmatchcase(name, glob) for glob in _GLOB_EXCLUDES)
