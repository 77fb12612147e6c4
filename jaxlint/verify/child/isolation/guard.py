"""A seat belt around the user's code: limits of time and memory, and no marks on the machine.

The audit hook sees what goes through Python. Native code can do what it likes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.verify.child.isolation.relative import Relative

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_REPEAT_SECONDS = 1.0
_SPARE_SECONDS = 30.0
_FILE_BYTES = 1 << 30
_MOST_NOTES = 20


class TimeOutError(BaseException):
    """The user's code took too long. No `except Exception` stops it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeOutError in code that takes longer, again and again until it gives in.

    Limits may nest. There is none outside the main thread or without POSIX signals.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeOutError(f"took more than {seconds:.0f} s")

    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, stop)
    left, repeat = signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_SECONDS)
    if 0 < left < seconds:
        signal.setitimer(signal.ITIMER_REAL, left, _REPEAT_SECONDS)
    try:
        yield
    finally:
        _disarm()
        signal.signal(signal.SIGALRM, before)
        if left:
            rest = max(left - (time.monotonic() - started), 0.001)
            signal.setitimer(signal.ITIMER_REAL, rest, repeat)


def _disarm() -> None:
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            return
        except TimeOutError:
            continue


def limit_resources(memory: int) -> None:
    """Limits the memory and the files of this process."""
    if resource is None:
        return
    for kind, most in (("RLIMIT_AS", memory), ("RLIMIT_FSIZE", _FILE_BYTES), ("RLIMIT_CORE", 0)):
        _lower(getattr(resource, kind), most)


def limit_processor(seconds: float) -> None:
    """Limits the CPU time of what comes next, should nobody be left to stop it."""
    if resource is None:
        return
    used = time.process_time()
    most = used + seconds * (os.cpu_count() or 1) + _SPARE_SECONDS
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(most), hard))


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind, where the system can: so
    nothing that comes of it is lost from sight."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _lower(kind: int, most: int) -> None:
    # macOS knows some limits by name only.
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, hard))


# --- what Python is about to do ---------------------------------------------------------------

_OPEN_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# Where an event has the paths that it changes, and their directories.
_CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.chflags": ((0, None),),
    "os.utime": ((0, 3),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
    "sqlite3.connect": ((0, None),),
}
_STARTS = {
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.spawn": "starts a process",
    "os.exec": "becomes another program",
    "os.system": "starts a process",
    "os.startfile": "starts a process",
    "os.startfile/2": "starts a process",
    "pty.spawn": "starts a process",
    "subprocess.Popen": "starts a process",
    "_winapi.CreateProcess": "starts a process",
    "socket.connect": "opens a connection",
    "socket.bind": "opens a connection",
    "socket.sendto": "opens a connection",
    "socket.sendmsg": "opens a connection",
    "socket.getaddrinfo": "opens a connection",
    "socket.gethostbyname": "opens a connection",
    "socket.gethostbyaddr": "opens a connection",
    "winreg.CreateKey": "writes to the registry",
    "winreg.DeleteKey": "writes to the registry",
    "winreg.SetValue": "writes to the registry",
}
_SUBREAPER = 36  # of prctl(2)
_SIGNALS = {"os.kill", "os.killpg"}


class Guard:
    """Blocks what leaves marks: files outside one directory always, the rest while calling.

    While a module is imported, processes and connections are let through and noted: libraries
    ask the machine about itself when they are imported.
    """

    def __init__(self, writable: str) -> None:
        self._writable = os.path.realpath(writable)
        self._is_importing = False
        self._checks: dict[str, Callable[[str, tuple[Any, ...]], None]] = {
            "open": self._open,
            **dict.fromkeys(_CHANGES, self._change),
            **dict.fromkeys(_STARTS, self._start),
            **dict.fromkeys(_SIGNALS, self._signal),
        }
        self._relative = Relative(self._check)
        self.notes: list[str] = []
        self.blocked: list[str] = []

    def install(self) -> None:
        """Watches this process from now on; an audit hook cannot be removed."""
        checks = self._checks

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            check = checks.get(event)
            if check is not None:
                check(event, arguments)

        self._relative.install()
        sys.addaudithook(hook)

    @contextlib.contextmanager
    def importing(self) -> Iterator[None]:
        """Lets processes and connections through, with a note."""
        self._is_importing = True
        try:
            yield
        finally:
            self._is_importing = False

    def _open(self, event: str, arguments: tuple[Any, ...]) -> None:
        path, mode, flags = arguments
        if not (isinstance(flags, int) and flags & _OPEN_TO_WRITE):
            return
        if mode is None and not isinstance(path, int) and not os.path.isabs(path):
            # `os.open` of a path that may be relative to another directory than the current one.
            if not self._relative.is_known:
                self._block(f"writes to {os.fsdecode(path)} in a directory that is not known")
            return
        self._check(path, None, "writes to")

    def _change(self, event: str, arguments: tuple[Any, ...]) -> None:
        for place, folder in _CHANGES[event]:
            directory = arguments[folder] if folder and folder < len(arguments) else None
            if event == "sqlite3.connect" and arguments[place] in (":memory:", ""):
                continue
            self._check(arguments[place], directory, "changes")

    def _check(self, path: Any, directory: Any, action: str) -> None:
        """Raises PermissionError for a path outside. A descriptor that is open to write was
        checked when it was opened, what one is open to read has not been."""
        if isinstance(path, int):
            path, directory = _opened(path), None
            if action == "writes to" or not os.path.isabs(path):
                return
        full = _resolved(path, directory)
        # Files without a name are opened by the directory that they are in.
        is_unnamed = action == "writes to" and full == self._writable
        if is_unnamed or full == os.devnull or _is_within(full, self._writable):
            return
        self._block(f"{action} {full}")

    def _start(self, event: str, arguments: tuple[Any, ...]) -> None:
        text = f"{_STARTS[event]} ({event}{_shown(arguments)})"
        if not self._is_importing:
            self._block(text)
        elif len(self.notes) < _MOST_NOTES:
            self.notes.append(text)

    def _signal(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Others than this process are out of reach, but for those that an import starts."""
        number = arguments[0]
        own = (os.getpid(),) if event == "os.kill" else (os.getpgrp(),)
        is_child = self._is_importing and event == "os.kill" and number not in (0, os.getppid())
        if number not in own and not (is_child and number > 0):
            self._block(f"sends a signal to {number}")

    def _block(self, text: str) -> None:
        if len(self.blocked) < _MOST_NOTES:
            self.blocked.append(text)
        raise PermissionError(f"blocked while jaxlint verifies: {text}")


def _resolved(path: Any, directory: Any) -> str:
    """The real path that an event speaks of; empty if it cannot be told."""
    try:
        name = os.fsdecode(path)
        if isinstance(directory, int) and directory >= 0 and not os.path.isabs(name):
            name = os.path.join(os.readlink(f"/proc/self/fd/{directory}"), name)
        return name if name == os.devnull else os.path.realpath(name)
    except (TypeError, ValueError, OSError):
        return ""


def _opened(descriptor: int) -> str:
    """The path that a descriptor is of, as far as the system tells."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""


def _is_within(path: str, directory: str) -> bool:
    return os.path.normcase(path).startswith(os.path.normcase(os.path.join(directory, "")))


def _shown(arguments: tuple[Any, ...]) -> str:
    shown = ", ".join(repr(each) for each in arguments[:2] if isinstance(each, (str, list, tuple)))
    return f": {shown[:120]}" if shown else ""
