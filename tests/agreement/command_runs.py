"""Runs of a command in this process, for a limited time of the processors."""

from __future__ import annotations

import hashlib
import os
import runpy
import signal
import sys
from pathlib import Path
from typing import Any

AGAIN = 10
"""After how many seconds of the processors' time a process is interrupted again."""


class Sample:
    """A plugin of pytest: tests run in an order of their own, for the time that there is. What is
    cut off is then a little of everything."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Puts the tests in an order that depends on their names alone."""
        items.sort(key=lambda item: hashlib.blake2b(item.nodeid.encode()).digest())

    def pytest_collection_finish(self) -> None:
        """The time begins when all tests are known."""
        end_after(self._seconds)


def end_after(seconds: int) -> None:
    """Interrupts the process when it has used so much time of the processors; 0 is for ever. Where
    the interrupt is lost, as in a destructor, another comes."""
    signal.signal(signal.SIGPROF, _out_of_time)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN if seconds else 0)


def run_command(command: list[str], seconds: int) -> object:
    """Runs a module or script as `python` does, and gives its exit code."""
    try:
        if command[:2] == ["-m", "pytest"]:
            import pytest

            sys.path.insert(0, os.getcwd())
            return int(pytest.main(command[2:], plugins=[Sample(seconds)]))
        end_after(seconds)
        if command[0] == "-c":
            sys.argv = ["-c", *command[2:]]
            exec(compile(command[1], "<string>", "exec"), {"__name__": "__main__"})
        elif command[0] == "-m":
            sys.argv = command[1:]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(command[1], run_name="__main__", alter_sys=True)
        else:
            script = Path(command[0]).resolve()
            sys.argv = [str(script), *command[1:]]
            sys.path.insert(0, str(script.parent))
            runpy.run_path(str(script), run_name="__main__")
    except SystemExit as ended:
        return ended.code
    except KeyboardInterrupt:
        return "out of time"
    return 0


def _out_of_time(*_: object) -> None:
    raise KeyboardInterrupt
