"""The garbage collector, kept from looking at what is not garbage.

A file's syntax tree is many objects that die without it, and a collector that runs meanwhile
looks at all of them again and again. Left to itself, it costs more than a quarter of parsing.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# How many objects may be waiting for it: a few MB, most of them no garbage.
MOST_YOUNG = 25_000


@contextmanager
def paused() -> Iterator[None]:
    """Keeps the collector from running by itself."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def paused_to_the_end() -> Iterator[None]:
    """As `paused`, and what is there when the process exits is left as it is."""
    atexit.register(gc.freeze)
    with paused():
        yield


@contextmanager
def rounds(release: Callable[[], None]) -> Iterator[None]:
    """Pauses the collector for a piece of work, and runs it after that if there is much to look
    at, once `release` has dropped what need not be looked at.

    What lives on is old then, and not looked at in the next round.
    """
    with paused():
        yield
        if gc.get_count()[0] > MOST_YOUNG:
            release()
            gc.collect(1)
