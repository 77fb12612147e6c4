"""Studies a live call in a forked child, so that the user's own run goes on unchanged."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jaxlint.verify.child.isolation.guard import Guard
from jaxlint.verify.protocol import Miss, Observation, dump, load

is_possible = hasattr(os, "fork")

in_study = False
"""Whether this process is such a child."""

_BLOCK = 1 << 16


Sink = Callable[["Observation | Miss"], None]
Work = Callable[[Sink], Sequence[Observation]]


@dataclass(frozen=True)
class Outcome:
    """What a child found, whether it ended well in time, and the CPU time that it took.

    `reasons` say of targets that it reached why it found nothing.
    """

    found: list[Observation]
    is_whole: bool = False
    seconds: float = 0.0
    reasons: dict[int, str] = field(default_factory=dict)


def study_apart(work: Work, seconds: float) -> Outcome:
    """What the work makes in a forked child.

    The work gets a sink for what it has found so far; what it returns in the end takes precedence.
    """
    if in_study:
        return Outcome([])
    reader, writer = os.pipe()
    with _quiet_fork():
        child = os.fork()
    if child == 0:
        _be_child(work, writer, seconds)
    os.close(writer)
    data, is_closed, cost = b"", False, 0.0
    try:
        data, is_closed = _read(reader, time.monotonic() + seconds)
    finally:
        os.close(reader)
        if not is_closed:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            usage = os.wait4(child, 0)[2]
            cost = usage.ru_utime + usage.ru_stime
    answers, is_whole = _understood(data)
    found = [each for each in answers if isinstance(each, Observation)]
    reasons = {each.target: each.reason for each in answers if isinstance(each, Miss)}
    unique = {(each.target, each.outcome): each for each in found}
    return Outcome(list(unique.values()), is_whole, cost, reasons)


_END = "end"


def _understood(data: bytes) -> tuple[list[Observation | Miss], bool]:
    """What a child wrote, and whether it came to its end."""
    # The child may have been stopped in the middle of a line.
    lines = data[: data.rfind(b"\n") + 1].decode("utf-8", "replace").splitlines()
    is_whole = bool(lines) and lines[-1] == _END
    return [load(line) for line in (lines[:-1] if is_whole else lines)], is_whole


@contextlib.contextmanager
def _quiet_fork() -> Iterator[None]:
    """Drops the warnings that Python and JAX give about forks.

    The list is changed by hand: `warnings.filterwarnings` would make each warning of the user's
    that is shown once appear again.
    """
    everything: Any = ("ignore", None, Warning, None, 0)
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, everything)
    try:
        yield
    finally:
        # In a child too, where it does not matter.
        with contextlib.suppress(ValueError):
            filters.remove(everything)


def _read(reader: int, deadline: float) -> tuple[bytes, bool]:
    """What comes until the end, and whether the end came in time."""
    blocks: list[bytes] = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return b"".join(blocks), False
        block = os.read(reader, _BLOCK)
        if not block:
            return b"".join(blocks), True
        blocks.append(block)


def _be_child(work: Work, writer: int, seconds: float) -> None:
    """Works and ends. Never returns into the user's program."""
    global in_study
    code = 1
    try:
        in_study = True
        # A collection would touch, and so copy, all memory that is shared with the parent.
        gc.freeze()
        sys.setprofile(None)
        sys.settrace(None)
        # Should nobody be left to end this process, it ends itself.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds) + 5)
        Guard("/nowhere").install()
        _blind(writer)
        stream = os.fdopen(writer, "w", encoding="utf-8")

        def send(answer: Observation | Miss) -> None:
            stream.write(dump(answer) + "\n")
            stream.flush()

        def run() -> None:
            for each in work(send):
                send(each)
            stream.write(_END + "\n")

        # The fork came in the midst of a trace. JAX keeps its state per thread: a new one is
        # clean.
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
        stream.close()
        code = 0
    finally:
        os._exit(code)


def _blind(keep: int) -> None:
    """Points every open file at the null device: writes of repeated code reach nobody."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in _descriptors():
        if descriptor not in (keep, null):
            with contextlib.suppress(OSError):
                os.dup2(null, descriptor)


def _descriptors() -> list[int]:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            return [int(name) for name in os.listdir(folder) if name.isdecimal()]
    return list(range(256))
