"""Writes what commands print now into the documents that show it, for you to look at:

python tests/docs/refresh.py README.md docs/why.md

Where `...` stands for lines, and where a command fails, nothing is written.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from sessions import Ran, play, project


def refreshed(text: str, ran: list[Ran]) -> str:
    """A document with what its commands printed."""
    lines = text.splitlines(keepends=True)
    for one in reversed(ran):
        shown = one.command.printed
        if shown is None or one.is_as_shown or "...\n" in shown or one.code > 1:
            continue
        start = one.command.line - 1 + len(one.command.text.splitlines())
        lines[start : start + len(shown.splitlines())] = one.printed.splitlines(keepends=True)
    return "".join(lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        with tempfile.TemporaryDirectory() as scratch:
            ran = play(path, project(path, Path(scratch) / "project"))
        path.write_text(refreshed(path.read_text(encoding="utf-8"), ran), encoding="utf-8")
