"""The streams of the command and the codes that it exits with. Imports next to nothing."""

from __future__ import annotations

import os
import sys

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
