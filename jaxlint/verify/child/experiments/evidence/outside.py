"""What running code does to the world outside of it: output, logs, warnings, files, settings.

Everything is counted, so that what happened between two moments is the difference of their marks.
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import jax

from jaxlint.verify.child import internals

Marks = tuple[Any, ...]

_KINDS = (
    "output",
    "a call of a logger",
    "a warning",
    "a request to the system",
    "a setting of JAX",
)
_EVENTS = frozenset(
    {
        "open",
        "builtins.breakpoint",
        "builtins.input",
        "mmap.__new__",
        "signal.pthread_kill",
        "urllib.Request",
    }
)
_FAMILIES = ("os.", "pty.", "shutil.", "socket.", "sqlite3.", "subprocess.", "tempfile.", "winreg.")
_PRIVATE = ("<frozen ", "<jaxlint")
_SOURCE_READERS = frozenset({"linecache", "tokenize", "inspect"})


class _Counts:
    """The events of this process while somebody counts."""

    def __init__(self) -> None:
        self.listeners = 0
        self.is_hooked = False
        self.logged = 0
        self.warned = 0
        self.asked = 0


_counts = _Counts()


@contextlib.contextmanager
def counted() -> Iterator[None]:
    """A context in which marks tell of logs, warnings and requests to the system."""
    if not _counts.is_hooked:
        _counts.is_hooked = True
        sys.addaudithook(_audit)
    enabled, warn = logging.Logger.isEnabledFor, warnings.warn
    plain: Any = warn

    def asked(self: logging.Logger, level: int) -> bool:
        if not _is_of_library(sys._getframe(1)):
            _counts.logged += 1
        return enabled(self, level)

    def warned(
        message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **more: Any
    ) -> None:
        if not _is_of_library(sys._getframe(1)):
            _counts.warned += 1
        # One frame more lies between the caller and Python's own function.
        plain(message, category, stacklevel + 1, source, **more)

    logging.Logger.isEnabledFor, warnings.warn = asked, warned  # type: ignore[method-assign]
    _counts.listeners += 1
    try:
        yield
    finally:
        _counts.listeners -= 1
        logging.Logger.isEnabledFor, warnings.warn = enabled, warn  # type: ignore[method-assign]


def marks() -> Marks:
    """How much has happened so far."""
    values = getattr(jax.config, "values", None)
    settings = tuple(values.items()) if isinstance(values, dict) else ()
    return (_written(), _counts.logged, _counts.warned, _counts.asked, settings)


def done(before: Marks, after: Marks) -> list[str]:
    """What happened between two marks, in words."""
    return [kind for kind, one, other in zip(_KINDS, before, after, strict=True) if one != other]


def position(held: Any) -> int | None:
    """How far an open file is, for calls that write to it; None for anything else."""
    if not isinstance(held, io.IOBase):
        return None
    with contextlib.suppress(OSError, ValueError):
        return int(held.tell())
    return None


def _written() -> tuple[int, ...]:
    return tuple(
        len(stream.getvalue()) if isinstance(stream, io.StringIO) else 0
        for stream in (sys.stdout, sys.stderr)
    )


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _counts.listeners or (event not in _EVENTS and not event.startswith(_FAMILIES)):
        return
    if not _is_of_library(sys._getframe(1)):
        _counts.asked += 1


def _is_of_library(frame: types.FrameType | None) -> bool:
    """Whether JAX, the import system or what reads source for tracebacks is at work."""
    while frame is not None and frame.f_code.co_filename in (__file__, logging.__file__):
        frame = frame.f_back
    if frame is None:
        return True
    name = frame.f_code.co_filename
    module = str(frame.f_globals.get("__name__", ""))
    is_ours = module.startswith("jaxlint.") or module in _SOURCE_READERS
    return is_ours or name.startswith(_PRIVATE) or internals.is_own_file(name)
