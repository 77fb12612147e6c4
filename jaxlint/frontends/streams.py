"""The streams of the command and the codes that it exits with. Imports next to nothing."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

FAILED, INTERRUPTED = 2, 130


def print_anything() -> None:
    """Has the streams of this process take whatever a file name may hold."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def interrupted() -> int:
    """Says that the user ended the run. Gives the exit code."""
    sys.stderr.write("jaxlint: interrupted\n")
    return INTERRUPTED


def abandon_output() -> None:
    """Nobody reads our output any more: what Python still holds must not fail at exit."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


class OutputFile:
    """A file that takes what is written to `text`, once all of it is there.

    It is made, or emptied, at the start: what cannot be written is known before the work, and no
    run that fails leaves the report of an earlier one. Raises JaxlintError.
    """

    def __init__(self, path: str) -> None:
        import io

        self.path = path
        self.text: TextIO = io.StringIO()

    def __enter__(self) -> OutputFile:
        self._write("")
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.text.seek(0)
            self._write(self.text.read())

    def _write(self, text: str) -> None:
        from jaxlint.base.errors import JaxlintError, reason

        try:
            os.makedirs(os.path.dirname(self.path) or os.curdir, exist_ok=True)
            with open(
                self.path, "w", encoding="utf-8", errors="backslashreplace", newline=""
            ) as stream:
                stream.write(text)
        except OSError as error:
            raise JaxlintError(f"cannot write {self.path}: {reason(error)}") from None
