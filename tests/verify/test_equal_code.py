"""Functions of two files may have equal code objects: what is seen of one says nothing of the
other."""

from types import CodeType, SimpleNamespace
from typing import Any

import pytest

from jaxlint.verify.child.experiments.recompiles import _Counts
from jaxlint.verify.child.experiments.unrolls import _Lines

SOURCE = (
    "def total(n):\n    found = 0\n    for i in range(n):\n        found += i\n    return found\n"
)


@pytest.fixture
def twins(tmp_path: Any) -> dict[str, Any]:
    """The same function in two files, by file."""
    found: dict[str, Any] = {}
    for name in ("one.py", "other.py"):
        file = str(tmp_path / name)
        space: dict[str, Any] = {}
        exec(compile(SOURCE, file, "exec"), space)
        found[file] = space["total"]
    one, other = (function.__code__ for function in found.values())
    assert one == other and one is not other
    return found


def test_iterations_of_a_loop_are_those_of_its_file(twins: dict[str, Any]) -> None:
    file, other = twins
    lines = _Lines(file, 4)
    with lines.counting():
        twins[other](5)
        twins[file](3)
    assert lines.iterations == 3


def test_calls_of_a_function_are_those_of_its_file(twins: dict[str, Any]) -> None:
    counts = _Counts(SimpleNamespace(files=set(twins)))  # type: ignore[arg-type]
    with counts.counting():
        for times, function in enumerate(twins.values(), 1):
            for _ in range(times):
                function(1)
    entered: dict[tuple[str, CodeType], Any] = counts._entered
    assert {file: sum(kinds.values()) for (file, _), kinds in entered.items()} == dict(
        zip(twins, (1, 2), strict=True)
    )
