"""Says what a run is doing, where somebody may be waiting for it."""

from __future__ import annotations

import time
from typing import TextIO

from jaxlint.base.printable import one_line


class Progress:
    """A line on a terminal that says what is being done, once a run takes long."""

    _PATIENCE, _INTERVAL = 1.0, 0.1

    def __init__(self, stream: TextIO, quiet: bool, verb: str = "checking") -> None:
        self._stream = stream
        self._verb = verb
        self._wanted = not quiet and stream.isatty()
        self._next = time.monotonic() + self._PATIENCE
        self._shown = False

    def step(self, number: int, total: int, path: str) -> None:
        """Another file is about to be worked on."""
        now = time.monotonic()
        if self._wanted and now >= self._next:
            self._next = now + self._INTERVAL
            width = 60
            name = path if len(path) <= width else "..." + path[3 - width :]
            self._stream.write(f"\r\x1b[K{self._verb} {number}/{total} {one_line(name)}")
            self._stream.flush()
            self._shown = True

    def clear(self) -> None:
        """Removes the line, so that what is printed next starts on an empty one."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False
