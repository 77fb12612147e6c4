"""What `cold.py` measures in processes of their own: the parser alone, and jaxlint by phases."""

from __future__ import annotations

import gc
import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STARTED = time.process_time()


class Phases:
    """CPU seconds by phase; an inner phase does not count for the one around it.

    The clock is that of the process: work that a phase hands to a thread and waits for is its own.
    """

    def __init__(self, *names: str) -> None:
        self.seconds = dict.fromkeys(names, 0.0)
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
        self._open.append(name)

    def leave(self) -> None:
        self._charge()
        self._open.pop()

    def charge(self, owner: Any, attribute: str, name: str) -> None:
        """Makes every call of `owner.attribute` count for a phase."""
        inner: Callable[..., Any] = getattr(owner, attribute)

        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.during(name):
                return inner(*args, **kwargs)

        setattr(owner, attribute, timed)


def parse(files: list[str]) -> dict[str, float]:
    """Reads and parses every file with the collector off, and keeps none."""
    import libcst

    gc.disable()
    started = time.process_time()
    for path in files:
        with open(path, "rb") as stream:
            data = stream.read()
        try:
            libcst.parse_module(data)
        except (libcst.ParserSyntaxError, UnicodeError, RecursionError):
            print(f"not parsed: {path}", file=sys.stderr)
    return {"files": len(files), "seconds": time.process_time() - started}


def phases(paths: list[str]) -> dict[str, float]:
    """Checks the paths as the command does, and says where the time went."""
    measured = Phases(
        "start", "discover", "read, decode", "parse", "lower", "engine", "rules", "positions",
        "collect", "report",
    )  # fmt: skip
    measured.seconds["start"] = STARTED
    with measured.during("start"):
        import libcst

        from jaxlint import session
        from jaxlint.base import collector
        from jaxlint.engine import run
        from jaxlint.frontends import check
        from jaxlint.project import universe
        from jaxlint.project.files import Disk
        from jaxlint.syntax import lower, parse, positions

        session.load_registry()
    measured.charge(check, "discover", "discover")
    measured.charge(universe, "discover", "discover")
    measured.charge(universe.Universe, "_read", "read, decode")
    measured.charge(Disk, "read", "read, decode")
    for name in ("decode", "is_shallow", "excess"):
        measured.charge(parse, name, "read, decode")
    measured.charge(libcst, "parse_module", "parse")
    measured.charge(lower, "lower", "lower")
    measured.charge(run, "analyse", "engine")
    measured.charge(positions.Positions, "locate", "positions")
    measured.charge(session.Session, "check", "rules")

    def collecting(phase: str, info: dict[str, int]) -> None:
        measured.enter("collect") if phase == "start" else measured.leave()

    gc.callbacks.append(collecting)
    options = check.Options(paths=tuple(paths), output_format="concise", quiet=True)
    streams = check.Streams(io.BytesIO(), io.StringIO(), sys.stderr)
    with measured.during("report"), collector.paused_to_the_end():
        check.Run(options, streams).execute()
    return measured.seconds


if __name__ == "__main__":
    if sys.argv[1] == "parse":
        print(json.dumps(parse(sys.stdin.read().splitlines())))
    else:
        print(json.dumps(phases(sys.argv[2:])))
