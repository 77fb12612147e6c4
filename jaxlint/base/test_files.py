"""Which files belong to tests, where what is slow or careless matters little."""

from __future__ import annotations

import os
import re
from functools import lru_cache

_DIRECTORIES = frozenset({"test", "tests"})
_FILE = re.compile(r"test_.*|.*_test\.[a-z]+|conftest\.py")


@lru_cache(maxsize=1024)
def is_of_tests(file: str, root: str | None) -> bool:
    """Whether a file belongs to tests, by its name or by the directories between it and the
    project's."""
    directory, name = os.path.split(file)
    if _FILE.fullmatch(name):
        return True
    if root is None:
        return False
    inside = os.path.relpath(directory, root) if os.path.isabs(directory) else directory
    return not _DIRECTORIES.isdisjoint(inside.split(os.sep))
