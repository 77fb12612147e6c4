"""The processes that come of one, as far as the system tells: Linux does, in /proc."""

from __future__ import annotations

import contextlib
import os
import signal

# How often those are looked for that were started while others were ended.
_ROUNDS = 20


def end(process: int, mark: str) -> None:
    """Kills a process with all that came of it, whatever session it is in. `mark` is a variable of
    its environment, which all inherit, with its value: those whose parent has ended have it too."""
    # What is stopped starts nothing more, and is still the parent of what it has started.
    _signal(process, signal.SIGSTOP)
    for _ in range(_ROUNDS):
        found = _below(process) | _marked(mark)
        found.discard(os.getpid())
        if not found:
            break
        for each in found:
            _signal(each, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _below(process: int) -> set[int]:
    """The processes that a process has started, and those that these have started."""
    children: dict[int, list[int]] = {}
    for each in _processes():
        status = _read(f"/proc/{each}/stat").rpartition(b")")[2].split()
        # What has ended already waits for its parent only.
        if len(status) > 1 and status[0] not in (b"Z", b"X"):
            children.setdefault(int(status[1]), []).append(each)
    found: set[int] = set()
    pending = [process]
    while pending:
        for each in children.get(pending.pop(), ()):
            if each not in found:
                found.add(each)
                pending.append(each)
    return found


def _marked(mark: str) -> set[int]:
    """The processes with this in their environment."""
    wanted = os.fsencode(mark)
    return {each for each in _processes() if wanted in _read(f"/proc/{each}/environ").split(b"\0")}


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return []


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def _signal(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)
