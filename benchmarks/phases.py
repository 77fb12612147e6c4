"""Where the time of one check goes, and how much of the source it reads closely."""

from __future__ import annotations

import gc
import importlib
import io
import runpy
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

# Where phases begin: what is called, by the module that defines it.
HOOKS = (
    ("discover", "jaxlint.project.discovery", "discover"),
    ("read, decode", "jaxlint.project.project", "Universe._read"),
    ("read, decode", "jaxlint.project.file_systems.files", "Disk.read"),
    ("read, decode", "jaxlint.syntax.parse", "decode"),
    ("parse", "jaxlint.syntax.parse", "parse"),
    ("LibCST", "libcst", "parse_module"),
    ("LibCST", "jaxlint.syntax.lowering.lower", "lower"),
    ("engine", "jaxlint.engine.queries.analyse", "analyse"),
    ("positions", "jaxlint.syntax.places", "Places.locate"),
    ("rules", "jaxlint.session.session", "Session.check"),
)


class Phases:
    """CPU seconds by phase; an inner phase does not count for the one around it.

    The clock is that of the process: work that a phase hands to a thread and waits for is its own.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since = 0.0

    def _charge(self) -> None:
        now = time.process_time()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    @contextmanager
    def during(self, name: str) -> Iterator[None]:
        """Charges what runs inside to a phase."""
        self.enter(name)
        try:
            yield
        finally:
            self.leave()

    def enter(self, name: str) -> None:
        self._charge()
        self.seconds.setdefault(name, 0.0)
        self._open.append(name)

    def leave(self) -> None:
        self._charge()
        self._open.pop()

    def charge(self, owner: Any, attribute: str, name: str) -> None:
        """Makes every call of `owner.attribute` count for a phase."""

        def timed(inner: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            with self.during(name):
                return inner(*args, **kwargs)

        around(owner, attribute, timed)
        self.seconds.setdefault(name, 0.0)


class Read:
    """How much of the source was parsed, and of how much LibCST made a syntax tree."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.tree_lines = 0

    def watch(self) -> None:
        """Counts from here on."""
        import libcst

        from jaxlint.syntax import parse

        around(parse, "parse", self._parse)
        around(libcst, "parse_module", self._parse_module)

    def _parse(
        self, inner: Callable[..., Any], data: Any, path: str, *args: Any, **kwargs: Any
    ) -> Any:
        self.files[path] = _lines(data)
        return inner(data, path, *args, **kwargs)

    def _parse_module(self, inner: Callable[..., Any], source: Any, *args: Any) -> Any:
        self.tree_lines += _lines(source)
        return inner(source, *args)


def _lines(source: str | bytes) -> int:
    return source.count(b"\n") if isinstance(source, bytes) else source.count("\n")


def around(owner: Any, attribute: str, wrapper: Callable[..., Any]) -> None:
    """Replaces `owner.attribute` by the wrapper, which gets it as its first argument: also where
    modules of jaxlint have imported it by its name."""
    inner = getattr(owner, attribute)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return wrapper(inner, *args, **kwargs)

    importers = [module for name, module in sys.modules.items() if name.startswith("jaxlint.")]
    for holder in (owner, *importers):
        if vars(holder).get(attribute) is inner or holder is owner:
            setattr(holder, attribute, wrapped)


def command(*arguments: str) -> None:
    """Runs jaxlint's command in this process; what it prints is not shown."""
    sys.argv = ["jaxlint", *arguments]
    with redirect_stdout(io.StringIO()), suppress(SystemExit):
        runpy.run_module("jaxlint", run_name="__main__")


def check(arguments: Sequence[str]) -> dict[str, Any]:
    """Runs a check: seconds by phase, what was parsed, and the hooks that are not there."""
    measured, read = Phases(), Read()
    before = time.process_time()
    read.watch()
    watching = time.process_time() - before
    measured.seconds["start"] = before
    with measured.during("start"):
        missing = [hook for hook in HOOKS if not _hang(measured, *hook)]

        from jaxlint.session import session

        session.load_registry()

    def collecting(phase: str, info: dict[str, int]) -> None:
        measured.enter("collect") if phase == "start" else measured.leave()

    gc.callbacks.append(collecting)
    with measured.during("report"):
        command(*arguments)
    if read.tree_lines:
        # Then the check itself would have imported LibCST.
        measured.seconds["start"] += watching
    return {
        "seconds": measured.seconds,
        "files": len(read.files),
        "lines": sum(read.files.values()),
        "tree_lines": read.tree_lines,
        "missing": [f"{module}.{name}" for _, module, name in missing],
    }


def _hang(measured: Phases, phase: str, module: str, name: str) -> bool:
    """Charges the calls of a function to a phase. Whether there is such a function."""
    path, _, attribute = name.rpartition(".")
    try:
        found = importlib.import_module(module)
        owner = getattr(found, path) if path else found
        measured.charge(owner, attribute, phase)
    except (ImportError, AttributeError):
        return False
    return True
