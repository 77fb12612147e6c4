"""Room for the frames of Python calls that nest deeply.

CPython 3.11 and later keep the frames of Python calls in chunks of 16 KB, which they take from the
system when a call needs one and give back when that call returns. Calls that come and go at the
end of a chunk take and give back one each time, which costs a tenth of tracing and more. A call
whose own frame is large takes one chunk for itself and what it calls. Memory of it that is never
touched costs nothing.

Source: `push_chunk` and `_PyThreadState_PopFrame` in CPython's Python/pystate.c.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

T = TypeVar("T")

# Chunks have a power of two of bytes: with this many values of 8 bytes in one frame, half of a
# chunk of 8 MB is left for the frames above it. A frame takes some 300 bytes.
_VALUES = 1 << 19


def _called(work: Callable[[], T]) -> T:
    return work()


_code = _called.__code__.replace(co_stacksize=_VALUES)
_called_with_room: Callable[[Callable[[], Any]], Any] = FunctionType(_code, globals())


def roomy(work: Callable[[], T]) -> T:
    """The result of a call in which many others nest."""
    return cast("T", _called_with_room(work))
