"""One worker process that examines files: its start, its messages and its end.

The messages are pickles. `LoadSession` gives the worker a session, `UnloadSession` takes it away.
`Examine` asks for files, and the worker sends one result for each, in order. A worker that was not
forked first sends that it is ready.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import jaxlint
from jaxlint.base.dataclass import slotted
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

# The import path comes before anything of ours is imported; what the user's directory holds must
# not stand in for Python's own modules. Where jaxlint is may be no part of the path.
_PROGRAM = (
    "import pickle, sys; sys.path[:], ours = pickle.load(sys.stdin.buffer); "
    "sys.path.append(ours); import jaxlint; sys.path.pop(); "
    "from jaxlint.frontends.pools.worker import main; main()"
)
_READY = "ready"
# To check this takes nearly all the modules that checking takes.
_SAMPLE = """
import jax
import jax.numpy as jnp
import numpy as np

@jax.jit
def f(x, key):
    if jax.lax.exp(x) > 0:
        return x + jax.random.normal(key)
    return jax.nn.relu(jnp.sum(x)).reshape(1) + np.sin(2.0)
"""
_ENDING_SECONDS = 5.0
# The sessions that a worker holds at a time: it may work for thousands of projects.
_MOST_SESSIONS = 4


class WorkerEndedError(Exception):
    """The worker process has ended. The message completes "the process ..."."""


@slotted(frozen=True)
class LoadSession:
    """A pickled session, and its key."""

    session: Hashable
    data: bytes


@slotted(frozen=True)
class Examine:
    """Files to be examined in a session."""

    session: Hashable
    files: tuple[str, ...]


@slotted(frozen=True)
class UnloadSession:
    """The key of a session that the worker may drop."""

    session: Hashable


class _Process(Protocol):
    def kill(self) -> None: ...

    def join(self, seconds: float) -> int | None: ...


class WorkerProcess:
    """A running worker process with two pipes, one for each direction."""

    def __init__(self, process: _Process, reader: BinaryIO, writer: BinaryIO) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._loaded: dict[Hashable, None] = {}
        self.inherited: frozenset[Hashable] = frozenset()

    def load(self, session: Hashable, data: Callable[[], bytes]) -> None:
        """Sends a pickled session, unless the worker has it. Raises WorkerEndedError."""
        if session in self.inherited:
            return
        if session not in self._loaded:
            self.send(LoadSession(session, data()))
        # The session that was used last is dropped last.
        self._loaded.pop(session, None)
        self._loaded[session] = None
        if len(self._loaded) > _MOST_SESSIONS:
            oldest = next(iter(self._loaded))
            del self._loaded[oldest]
            self.send(UnloadSession(oldest))

    def send(self, message: LoadSession | UnloadSession | Examine | tuple[list[str], str]) -> None:
        """Sends a message. Raises WorkerEndedError."""
        try:
            pickle.dump(message, self._writer, pickle.HIGHEST_PROTOCOL)
            self._writer.flush()
        except (OSError, ValueError):
            raise WorkerEndedError(self._end()) from None

    def receive(self) -> Any:
        """Waits for the next message. Raises WorkerEndedError."""
        try:
            return pickle.load(self._reader)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise WorkerEndedError(self._end()) from None

    def kill(self) -> None:
        """Ends the process at once. A thread that waits for a message gets WorkerEndedError."""
        self._process.kill()

    def close(self) -> None:
        """Ends the process and frees the pipes."""
        self._process.kill()
        self._process.join(_ENDING_SECONDS)
        for stream in (self._writer, self._reader):
            with contextlib.suppress(OSError, ValueError):
                stream.close()

    def _end(self) -> str:
        status = self._process.join(_ENDING_SECONDS)
        if status is None:
            return "closed its connection"
        if status < 0:
            return f"was killed by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
        return f"ended with exit status {status}"


class _Forked:
    def __init__(self, process: ForkProcess) -> None:
        self._process = process

    def kill(self) -> None:
        self._process.kill()

    def join(self, seconds: float) -> int | None:
        self._process.join(seconds)
        return self._process.exitcode


class _Started:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def kill(self) -> None:
        self._process.kill()

    def join(self, seconds: float) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def can_fork() -> bool:
    """Whether a fork of this process is safe: no other thread runs, which may hold locks.

    Only Linux tells. On other systems the system's own libraries do not survive a fork.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def forked(number: int, sessions: Mapping[Hashable, Session]) -> list[WorkerProcess]:
    """Forks this number of workers, which have its sessions. Raises OSError."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    # What every worker needs is imported once, and no worker collects it.
    Session(files=Memory({})).check_source(_SAMPLE, "sample.py")
    workers: list[WorkerProcess] = []
    ours: list[BinaryIO] = []
    gc.freeze()
    try:
        for _ in range(number):
            (theirs_in, our_out), (our_in, theirs_out) = os.pipe(), os.pipe()
            reader, writer = os.fdopen(our_in, "rb"), os.fdopen(our_out, "wb")
            ours += [reader, writer]
            given = (theirs_in, theirs_out, [one.fileno() for one in ours], sessions)
            process = context.Process(target=_serve_copy, args=given, daemon=True)
            try:
                with _interrupts_held():
                    process.start()
            finally:
                os.close(theirs_in)
                os.close(theirs_out)
            worker = WorkerProcess(_Forked(process), reader, writer)
            worker.inherited = frozenset(sessions)
            workers.append(worker)
    except OSError:
        for worker in workers:
            worker.close()
        raise
    finally:
        gc.unfreeze()
    return workers


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Blocks interrupts in a process that is started inside, until it ignores them. An interrupt
    from the keyboard goes to all processes, and the parent ends its workers."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def started() -> WorkerProcess:
    """A new worker process without sessions. Raises OSError or WorkerEndedError."""
    if not sys.executable:
        raise OSError("no Python to start a process with")
    with _interrupts_held():
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    assert process.stdout is not None and process.stdin is not None
    worker = WorkerProcess(_Started(process), process.stdout, process.stdin)  # type: ignore[arg-type]
    try:
        worker.send((sys.path, os.path.dirname(os.path.dirname(jaxlint.__file__))))
        if worker.receive() != _READY:
            raise WorkerEndedError("does not speak our language")
    except WorkerEndedError:
        worker.close()
        raise
    return worker


def _environment() -> dict[str, str]:
    """The environment of a process that is told its import path."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def main() -> None:
    """Runs in a new process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    reader = sys.stdin.buffer
    writer = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # The output of plugins must not get between the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _send(writer, _READY)
    _serve(reader, writer, {})
    os._exit(0)


def _serve_copy(
    incoming: int, outgoing: int, foreign: list[int], sessions: Mapping[Hashable, Session]
) -> None:
    """Runs in a forked worker. `foreign` are the parent's ends of pipes: while a worker holds one
    open, no worker notices that the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for descriptor in foreign:
        os.close(descriptor)
    gc.disable()
    _serve(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"), dict(sessions))
    os._exit(0)


def _serve(reader: BinaryIO, writer: BinaryIO, sessions: dict[Hashable, Session]) -> None:
    """Answers messages until the parent has ended."""
    with contextlib.suppress(EOFError, BrokenPipeError, pickle.UnpicklingError):
        while True:
            message = pickle.load(reader)
            if isinstance(message, LoadSession):
                sessions[message.session] = pickle.loads(message.data)
                continue
            if isinstance(message, UnloadSession):
                del sessions[message.session]
                continue
            for file in message.files:
                _send(writer, sessions[message.session].examine(file))


def _send(writer: BinaryIO, message: Any) -> None:
    pickle.dump(message, writer, pickle.HIGHEST_PROTOCOL)
    writer.flush()
