"""What is measured in processes of their own: `child.py MODE ARGUMENT...` prints JSON."""

from __future__ import annotations

import contextlib
import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# What stands beside this file is reached by the package's name, as everywhere.
sys.path[0] = str(ROOT)


def parse() -> dict[str, float]:
    """Reads and parses the files on standard input with the collector off, and keeps none."""
    files = sys.stdin.read().splitlines()
    import libcst

    gc.disable()
    cpu, wall = time.process_time(), time.perf_counter()
    for path in files:
        with open(path, "rb") as stream:
            data = stream.read()
        # What LibCST does not understand is charged for as far as it came.
        with contextlib.suppress(libcst.ParserSyntaxError, UnicodeError, RecursionError):
            libcst.parse_module(data)
    return {
        "files": len(files),
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
    }


def phases(*arguments: str) -> dict[str, Any]:
    """Where the time of one run of jaxlint's command goes."""
    from benchmarks import phases

    return phases.check(arguments)


def entries(root: str) -> dict[str, int]:
    """For each file below a directory that is examined, in how many files tracing may start that
    reaches it, itself included."""
    from jaxlint.project.discovery import discover
    from jaxlint.session.session import Session

    session = Session()
    found = {file: session.entries_for(file) for file in discover([root]).files}
    return {file: len(entries) for file, entries in found.items() if file in entries}


def dependants(file: str) -> list[str]:
    """The files in which tracing may start that reaches a file."""
    from jaxlint.session.session import Session

    return Session().entries_for(file)


def examined(*arguments: str) -> dict[str, int]:
    """Runs jaxlint's command, and counts the files that it examines."""
    from benchmarks.phases import around, command
    from jaxlint.session.examination import Examination

    found = 0

    def counted(inner: Callable[..., Any], *args: Any) -> Any:
        nonlocal found
        found += 1
        return inner(*args)

    around(Examination, "_examine", counted)
    command(*arguments)
    return {"examined": found}


def statements(rounds: str, *files: str) -> list[list[float]]:
    """CPU seconds of checking each file by itself, in so many rounds after one that warms up."""
    from jaxlint.session.session import Session

    taken: list[list[float]] = []
    for _ in range(int(rounds) + 1):
        taken.append([])
        for file in files:
            gc.collect()
            started = time.process_time()
            Session().check(file)
            taken[-1].append(time.process_time() - started)
    return taken[1:]


def shapes(context: str) -> dict[str, list[list[float]]]:
    """For each generated shape under a transform, as it doubles three times: the sizes, the lines
    of Python that a check runs, and the least of its CPU seconds in two rounds."""
    from benchmarks import work

    return {one.name: work.measured(one, context) for one in work.shapes()}


def edits(rounds: str, file: str) -> list[list[float]]:
    """CPU seconds of answering an edit of a file in a session, and of parsing the same text."""
    from benchmarks import editing

    return editing.session(file, int(rounds))


def server(rounds: str, file: str) -> list[list[float]]:
    """As `edits`, but it is the language server that answers."""
    from benchmarks import editing

    return editing.server(file, int(rounds))


MODES = {
    mode.__name__: mode
    for mode in (parse, phases, entries, dependants, examined, statements, shapes, edits, server)
}

if __name__ == "__main__":
    print(json.dumps(MODES[sys.argv[1]](*sys.argv[2:])))
