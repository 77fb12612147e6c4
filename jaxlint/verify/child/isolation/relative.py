"""Functions of `os` whose audit events do not tell all: which directory a path is relative to, or
that there is anything to tell."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

Check = Callable[[Any, Any, str], None]
# `os.open` raises an event without its `dir_fd`, the others raise none.
_MAKERS = ("mkfifo", "mknod")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Relative:
    """Puts functions in the place of those of `os` that have `check` look at what they change.

    `is_known` tells that the event of the moment comes from one of them.
    """

    def __init__(self, check: Check) -> None:
        self._check = check
        self._local = threading.local()

    @property
    def is_known(self) -> bool:
        return getattr(self._local, "depth", 0) > 0

    def install(self) -> None:
        """Replaces the functions, in the module that they come from too."""
        homes = [os, *(sys.modules[name] for name in ("posix", "nt") if name in sys.modules)]
        for name in ("open", *_MAKERS):
            real = getattr(os, name, None)
            if real is None:
                continue
            made = self._opening(real) if name == "open" else self._making(real)
            for home in homes:
                setattr(home, name, made)
            if real in os.supports_dir_fd:
                os.supports_dir_fd.discard(real)
                os.supports_dir_fd.add(made)

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def opening(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> Any:
            if flags & _WRITES and not isinstance(path, int):
                self._check(path, dir_fd, "writes to")
            return self._passed(real, path, flags, mode, dir_fd=dir_fd)

        return opening

    def _making(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def making(path: Any, *arguments: Any, **named: Any) -> Any:
            self._check(path, named.get("dir_fd"), "changes")
            return real(path, *arguments, **named)

        return making

    def _passed(self, real: Callable[..., Any], *arguments: Any, dir_fd: int | None) -> Any:
        self._local.depth = getattr(self._local, "depth", 0) + 1
        try:
            return real(*arguments, dir_fd=dir_fd)
        finally:
            self._local.depth -= 1
