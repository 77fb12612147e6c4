"""Prints as JSON which functions and lines of a package calls reach under trace.

`python tests/verify/entered.py PROJECT SECONDS FILE...` with the interpreter that PROJECT runs in.
The calls are those that users give in docstrings and comments, and invented ones.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import io
import json
import os
import pathlib
import signal
import sys
import tempfile
import types
from collections.abc import Iterator
from typing import Any

Place = tuple[str, int]
_PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "jaxlint"


class TooLongError(BaseException):
    """A try took longer than allowed."""


@contextlib.contextmanager
def limited(seconds: float = 5.0) -> Iterator[None]:
    """Ends what runs too long."""

    def end(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Reached:
    """The functions (file, first line) and lines (file, line) of each source of arguments."""

    def __init__(self) -> None:
        self.functions: dict[str, set[Place]] = collections.defaultdict(set)
        self.lines: dict[str, set[Place]] = collections.defaultdict(set)

    def add(self, source: str, functions: Any, lines: Any) -> None:
        self.functions[source] |= {(file, line) for file, line, _ in functions}
        self.lines[source] |= set(lines)

    def text(self) -> str:
        parts = {"functions": self.functions, "lines": self.lines}
        return json.dumps(
            {
                part: {source: sorted(places) for source, places in found.items()}
                for part, found in parts.items()
            }
        )


def reach(project: pathlib.Path, seconds: float, paths: list[pathlib.Path]) -> Reached:
    """Tries all calls that are not recorded."""
    from jaxlint.verify.child.arguments import invent
    from jaxlint.verify.child.arguments.candidates import Pool
    from jaxlint.verify.child.observing.places import UserFiles

    files = UserFiles([str(project)])
    pool = Pool()
    reached = Reached()
    for path in paths:
        name = ".".join(path.relative_to(project).with_suffix("").parts).removesuffix(".__init__")
        try:
            module = importlib.import_module(name)
        except BaseException as error:  # A module may raise anything, exit too.
            print(f"  not imported: {name}: {error!r:.90}", file=sys.__stderr__)
            continue
        give(module, path, files, reached)
        budget = invent.Budget(seconds=seconds)
        for made in invent.calls(module, None, files, budget, limit=limited, pool=pool):
            reached.add(made.strength, made.functions, made.lines)
    return reached


def give(module: types.ModuleType, path: pathlib.Path, files: Any, reached: Reached) -> None:
    """Stages the calls that the user wrote for a module."""
    from jaxlint.verify.child import internals
    from jaxlint.verify.child.arguments import replay, signatures
    from jaxlint.verify.child.arguments.candidates import Maker, Pool
    from jaxlint.verify.child.observing.coverage import Coverage
    from jaxlint.verify.given import examples

    for example in examples(str(path), path.read_text(), {}):
        coverage = Coverage(files)
        internals.clear_caches()
        # The user's code may raise anything, and its examples may be out of date.
        with contextlib.suppress(BaseException), limited():
            call = replay.given(module, example, Maker(Pool()).objects)
            with coverage.watching():
                signatures.stager(call)()
        reached.add("given", coverage.functions, coverage.lines)


def main() -> None:
    package = types.ModuleType("jaxlint")
    package.__path__ = [str(_PACKAGE)]
    sys.modules["jaxlint"] = package
    sys.dont_write_bytecode = True
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("MPLBACKEND", "Agg")
    project, seconds, *names = sys.argv[1:]
    sys.path[0] = project
    out = sys.stdout
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        with contextlib.redirect_stdout(io.StringIO()):
            paths = [pathlib.Path(name) for name in names]
            text = reach(pathlib.Path(project), float(seconds), paths).text()
        os.chdir(os.sep)
    out.write(text)


if __name__ == "__main__":
    main()
