"""One child process: how it is started, talked to and ended."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from jaxlint.base.errors import reason
from jaxlint.verify.protocol import load

_MAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child", "__main__.py")
_KEPT = frozenset({
    *("PATH", "LANG", "LANGUAGE", "TZ", "HOME", "USERPROFILE"),
    *("PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV", "CONDA_PREFIX"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "XLA_FLAGS"),
})  # fmt: skip
_KEPT_PREFIXES = ("LC_", "JAX_")
_DROPPED = frozenset({"JAX_PLATFORM_NAME", "JAX_DISABLE_JIT", "JAX_COMPILATION_CACHE_DIR"})
_KEPT_SUFFIX = "_NUM_THREADS"
_LAST_WORDS = 2000
_LONGEST_WORD = 300
_ENDING_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The process is no more, or did not answer in time. `reason` completes "the process ..."."""

    reason: str
    is_late: bool = False


class Child:
    """A running child. As a context, it and all that it started is killed at the end."""

    def __init__(self, python: str, directory: str) -> None:
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._words = b""
        self._problem = ""
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = _started(python, directory)
        except OSError as error:
            self._problem = reason(error)
            return
        self._readers = [self._reader(self._listen), self._reader(self._overhear)]

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def send(self, line: str) -> None:
        """Writes a message. That nobody reads it shows at the next `receive`."""
        if self._process is None or self._process.stdin is None:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float) -> Any:
        """The next message, or why there is none."""
        if self._process is None:
            return Ended(self._problem)
        try:
            message = self._inbox.get(timeout=seconds)
        except queue.Empty:
            return Ended(f"took more than {seconds:.0f} s", is_late=True)
        return Ended(self._end()) if message is None else message

    def kill(self) -> None:
        """Ends the process and its group, and frees the pipes."""
        process = self._process
        if process is None:
            return
        if os.name == "posix":
            # The group outlives its leader as long as the leader started others.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _reader(self, target: Any) -> threading.Thread:
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        return thread

    def _listen(self) -> None:
        assert self._process is not None
        for line in _lines(self._process.stdout):
            # What is no message was written by somebody who guessed the descriptor.
            with contextlib.suppress(ValueError, TypeError, KeyError):
                self._inbox.put(load(line))
        self._inbox.put(None)

    def _overhear(self) -> None:
        assert self._process is not None
        for data in _chunks(self._process.stderr):
            self._words = (self._words + data)[-_LAST_WORDS:]

    def _end(self) -> str:
        """How the process ended, with the last line of what it wrote as an error."""
        assert self._process is not None
        try:
            status = self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its connection"
        self._readers[1].join(1.0)
        if status < 0:
            name = signal.strsignal(-status) or str(-status)
            return _with_words(f"was killed by signal {-status} ({name})", self._words)
        return _with_words(f"ended with exit status {status}", self._words)


def environment(outside: Mapping[str, str], directory: str) -> dict[str, str]:
    """What the child may know of our environment: no tokens, no settings of other programs.

    The home directory stays until Python has found its packages; the child then moves it.
    """
    kept = {
        name: value
        for name, value in outside.items()
        if (name in _KEPT or name.startswith(_KEPT_PREFIXES) or name.endswith(_KEPT_SUFFIX))
        and name not in _DROPPED
    }
    path = outside.get("PYTHONPATH")
    if path:
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, path.split(os.pathsep)))
    return {
        **kept,
        "JAX_PLATFORMS": "cpu",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "TMPDIR": directory,
        "TEMP": directory,
        "TMP": directory,
    }


def _started(python: str, directory: str) -> subprocess.Popen[bytes]:
    # A bare name is looked up in PATH; a path is ours to resolve, as the child's is elsewhere.
    found = shutil.which(python)
    if found is None:
        raise FileNotFoundError(f"no interpreter {python!r}")
    return subprocess.Popen(
        [os.path.abspath(found), _MAIN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=directory,
        env=environment(os.environ, directory),
        start_new_session=True,
    )


def _lines(stream: IO[bytes] | None) -> Iterator[str]:
    """The lines of a pipe until it ends or is closed from our side."""
    with contextlib.suppress(ValueError, OSError):
        for line in stream or ():
            yield line.decode(errors="replace")


def _chunks(stream: IO[bytes] | None) -> Iterator[bytes]:
    """What a pipe gives as it comes; lines may have no end."""
    with contextlib.suppress(ValueError, OSError):
        while stream is not None:
            data = os.read(stream.fileno(), 1 << 16)
            if not data:
                return
            yield data


def _with_words(reason: str, words: bytes) -> str:
    lines = [line.strip() for line in words.decode(errors="replace").splitlines()]
    last = next((line for line in reversed(lines) if line), "")
    return f"{reason}: {last[:_LONGEST_WORD]}" if last else reason
