"""On which occasions code runs: in tests, once, or again and again.

What is slow or careless is worth a change only where it matters how often it happens.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jaxlint.engine.bindings import called_names

if TYPE_CHECKING:
    from jaxlint.engine.state import Frame
    from jaxlint.syntax import ir

_DIRECTORIES = frozenset({"test", "tests"})
_CLOCKS = frozenset(
    {"block_until_ready", "monotonic", "perf_counter", "process_time", "time", "timeit"}
)
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


def is_hot(machine: Any, func: ir.FunctionDef) -> bool:
    """Whether a loop of this file is seen to call a host function, or one that calls it."""
    seen, wanted = set[int](), [id(func)]
    while wanted:
        one = wanted.pop()
        if one in machine.looped:
            return True
        if one not in seen:
            seen.add(one)
            wanted += machine.callers.get(one, ())
    return False


def reads_clock(frame: Frame) -> bool:
    """Whether the function around measures how long something takes, or the module's own code."""
    home = frame.home()
    around = home.func if home.func is not None else home.root.module
    return around is not None and not _CLOCKS.isdisjoint(called_names(around.body))
