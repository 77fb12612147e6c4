"""Units of work that may end this process: the parent is told before each, and after it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from jaxlint.verify.child import internals
from jaxlint.verify.child.isolation.guard import limit_processor, time_limit
from jaxlint.verify.child.process.channel import Channel
from jaxlint.verify.protocol import Begin, End


class Units:
    """Runs units of work in the streams and the directory with which the process started."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._directory = os.getcwd()

    @contextlib.contextmanager
    def run(self, name: str, seconds: float) -> Iterator[None]:
        """Announces what may end this process, and takes back what user code did to it."""
        self.channel.send(Begin(name, seconds))
        limit_processor(seconds)
        try:
            with time_limit(seconds):
                yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = self._streams
            with contextlib.suppress(OSError):
                os.chdir(self._directory)
            self._check_trace()
            self.channel.send(End(name))

    def _check_trace(self) -> None:
        """Code that is stopped at any instruction may leave JAX in the middle of a trace."""
        if internals.staged():
            os.write(2, b"JAX was left in the middle of a trace\n")
            os._exit(1)
