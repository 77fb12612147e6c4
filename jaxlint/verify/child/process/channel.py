"""The child's line to its parent, out of the way of the user's code."""

from __future__ import annotations

import os
from typing import Any

from jaxlint.verify.protocol import dump, load


class Channel:
    """Messages from and to the parent, one JSON line each.

    The standard input becomes empty and the standard output goes nowhere. In a process that the
    user's code forks, using the channel ends that process.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.close(nothing)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def send(self, message: Any) -> None:
        """Tells the parent; without a parent there is nothing left to do."""
        self._check()
        data = (dump(message) + "\n").encode()
        try:
            while data:
                data = data[os.write(self._out, data) :]
        except OSError:
            os._exit(1)

    def receive(self) -> Any:
        """The next message, or None at the end."""
        self._check()
        line = self._in.readline()
        return load(line.decode()) if line else None

    def _check(self) -> None:
        if os.getpid() != self._process:
            os._exit(0)

    def _forget(self) -> None:
        """A forked process must not keep the parent waiting for the end of the pipe."""
        os.close(self._out)
        os.close(self._in.fileno())
