"""One process that examines files for another: how it is started, talked to and ended.

They tell each other pickles. `Know` gives a member a session, `Forget` takes it away, `Do` asks
for files; of each file, in turn, the member says what it found. A member that was not forked says
first that it is ready.
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
    "from jaxlint.frontends.work.worker_process import main; main()"
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
# A process that works for thousands of projects holds no more than these.
_MOST_SESSIONS = 4


class EndedError(Exception):
    """The process is no more. The message completes "the process ..."."""


@slotted(frozen=True)
class Know:
    """A pickled session, and what it goes by."""

    session: Hashable
    data: bytes


@slotted(frozen=True)
class Do:
    """Files to be examined by a session."""

    session: Hashable
    files: tuple[str, ...]


@slotted(frozen=True)
class Forget:
    """A session that is not asked about for now."""

    session: Hashable


class _Process(Protocol):
    def kill(self) -> None: ...

    def join(self, seconds: float) -> int | None: ...


class Member:
    """A running process, told and heard over two pipes."""

    def __init__(self, process: _Process, reader: BinaryIO, writer: BinaryIO) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._told: dict[Hashable, None] = {}
        self._born_with: frozenset[Hashable] = frozenset()

    def teach(self, session: Hashable, data: Callable[[], bytes]) -> None:
        """Sends a pickled session, unless it is known. Raises EndedError."""
        if session in self._born_with:
            return
        if session not in self._told:
            self.tell(Know(session, data()))
        # The last one that was used is the last one to go.
        self._told.pop(session, None)
        self._told[session] = None
        if len(self._told) > _MOST_SESSIONS:
            oldest = next(iter(self._told))
            del self._told[oldest]
            self.tell(Forget(oldest))

    def tell(self, message: Know | Forget | Do | tuple[list[str], str]) -> None:
        """Sends a message. Raises EndedError."""
        try:
            pickle.dump(message, self._writer, pickle.HIGHEST_PROTOCOL)
            self._writer.flush()
        except (OSError, ValueError):
            raise EndedError(self._end()) from None

    def hear(self) -> Any:
        """The next message, waited for. Raises EndedError."""
        try:
            return pickle.load(self._reader)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise EndedError(self._end()) from None

    def kill(self) -> None:
        """Ends the process, whatever it is doing; who listens to it hears that."""
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
    """Whether a copy of this process is whole: nobody else runs in it, or holds its locks.

    Only Linux tells; elsewhere the system's own libraries do not bear it.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def forked(number: int, sessions: Mapping[Hashable, Session]) -> list[Member]:
    """So many copies of this process, which know its sessions. Raises OSError."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    # What every copy needs is imported once; it is not the copies' to collect.
    Session(files=Memory({})).check_source(_SAMPLE, "sample.py")
    members: list[Member] = []
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
            member = Member(_Forked(process), reader, writer)
            member._born_with = frozenset(sessions)
            members.append(member)
    except OSError:
        for member in members:
            member.close()
        raise
    finally:
        gc.unfreeze()
    return members


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """A process that is made inside is born with interrupts held, until it ignores them: one from
    the keyboard goes to all processes, and the parent ends its members."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def started() -> Member:
    """A new process that knows nothing yet. Raises OSError or EndedError."""
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
    member = Member(_Started(process), process.stdout, process.stdin)  # type: ignore[arg-type]
    try:
        member.tell((sys.path, os.path.dirname(os.path.dirname(jaxlint.__file__))))
        if member.hear() != _READY:
            raise EndedError("does not speak our language")
    except EndedError:
        member.close()
        raise
    return member


def _environment() -> dict[str, str]:
    """The environment of a process that is told its import path."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def main() -> None:
    """Runs in a new process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    reader = sys.stdin.buffer
    writer = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a plugin prints is not for the other side.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _say(writer, _READY)
    _serve(reader, writer, {})
    os._exit(0)


def _serve_copy(
    incoming: int, outgoing: int, foreign: list[int], sessions: Mapping[Hashable, Session]
) -> None:
    """Runs in a copy of the process. `foreign` are the other ends of pipes: as long as a copy
    has one open too, nobody hears that the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for descriptor in foreign:
        os.close(descriptor)
    gc.disable()
    _serve(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"), dict(sessions))
    os._exit(0)


def _serve(reader: BinaryIO, writer: BinaryIO, sessions: dict[Hashable, Session]) -> None:
    """Does what it is told until the other side is gone."""
    with contextlib.suppress(EOFError, BrokenPipeError, pickle.UnpicklingError):
        while True:
            message = pickle.load(reader)
            if isinstance(message, Know):
                sessions[message.session] = pickle.loads(message.data)
                continue
            if isinstance(message, Forget):
                del sessions[message.session]
                continue
            for file in message.files:
                _say(writer, sessions[message.session].examine(file))


def _say(writer: BinaryIO, message: Any) -> None:
    pickle.dump(message, writer, pickle.HIGHEST_PROTOCOL)
    writer.flush()
