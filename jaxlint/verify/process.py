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
from jaxlint.verify.descent import end
from jaxlint.verify.protocol import load

_MAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child", "__main__.py")
_KEPT = frozenset({
    *("PATH", "TZ", "HOME", "USERPROFILE"),
    *("PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV", "CONDA_PREFIX"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    # What decides which types, ranks, keys and devices a program sees. The other variables of JAX
    # are about logs, caches, clusters and accelerators.
    *("JAX_ENABLE_X64", "JAX_EXPLICIT_X64_DTYPES", "JAX_DEFAULT_DTYPE_BITS"),
    *("JAX_NUMPY_DTYPE_PROMOTION", "JAX_NUMPY_RANK_PROMOTION", "JAX_DEFAULT_MATMUL_PRECISION"),
    *("JAX_DEFAULT_PRNG_IMPL", "JAX_ENABLE_CUSTOM_PRNG", "JAX_LEGACY_PRNG_KEY"),
    *("JAX_THREEFRY_PARTITIONABLE", "JAX_RANDOM_SEED_OFFSET", "JAX_NUM_CPU_DEVICES"),
    *("JAX_CHECK_TRACER_LEAKS", "JAX_DEBUG_KEY_REUSE", "JAX_DEBUG_NANS", "JAX_DEBUG_INFS"),
})  # fmt: skip
# Of the flags of XLA, those that decide what a program sees, and how long compiling it takes.
# Others write files.
_KEPT_FLAGS = ("--xla_force_host_platform_device_count=", "--xla_backend_optimization_level=")
# In the environment of the child and of all that comes of it, with a value of its own.
_MARK = "JAXLINT_VERIFIER"
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
        self._mark = os.urandom(16).hex()
        try:
            self._process = _started(python, directory, self._mark)
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
            # What the leader started outlives it, in its group and in sessions of its own.
            end(process.pid, f"{_MARK}={self._mark}")
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
        if name in _KEPT or name.endswith(_KEPT_SUFFIX)
    }
    flags = [word for word in outside.get("XLA_FLAGS", "").split() if word.startswith(_KEPT_FLAGS)]
    if flags:
        kept["XLA_FLAGS"] = " ".join(flags)
    path = outside.get("PYTHONPATH")
    if path:
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, path.split(os.pathsep)))
    return {
        **kept,
        "JAX_PLATFORMS": "cpu",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "TMPDIR": directory,
        "TEMP": directory,
        "TMP": directory,
    }


def _started(python: str, directory: str, mark: str) -> subprocess.Popen[bytes]:
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
        env={**environment(os.environ, directory), _MARK: mark},
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
