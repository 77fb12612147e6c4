"""Keeps what JAX has cached from run to run, which is most of the time that a run takes.

Each run of a module makes its functions anew, so JAX traces them anew. What stays are the traces
and the machine code of library functions. They are forgotten only after the explorer answered a
conversion in the trace of a library function: a cached trace would not ask again.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing import explore
from jaxlint.verify.child.observing.conversions import Native, Stub
from jaxlint.verify.child.observing.sites import Site


def learned() -> tuple[Any, Any]:
    """What the explorer has learned about libraries that handle errors."""
    return dict(explore._library), set(explore._transparent)


def learn(what: tuple[Any, Any]) -> None:
    """Let the explorer know this and nothing else: what it finds then depends on no earlier one."""
    explore._library.clear()
    explore._library.update(what[0])
    explore._transparent.clear()
    explore._transparent.update(what[1])


@contextlib.contextmanager
def caches_kept() -> Iterator[None]:
    """A context in which explorations clear the caches of JAX only if they have to."""
    clear, run = internals.clear_caches, explore._Run
    keeper = _Keeper(clear)

    class Noticing(run):  # type: ignore[misc, valid-type]
        """A run that tells of the conversions that it answers in library functions."""

        def _stub(self, site: Site, spot: Any, stubs: tuple[Stub, ...], native: Native) -> Any:
            keeper.notice(site)
            return super()._stub(site, spot, stubs, native)

    internals.clear_caches, explore._Run = keeper.clear, Noticing  # type: ignore[misc]
    try:
        yield
    finally:
        internals.clear_caches, explore._Run = clear, run  # type: ignore[misc]


class _Keeper:
    """Knows whether a cached trace would hide a conversion."""

    def __init__(self, clear: Callable[[], None]) -> None:
        self._clear = clear
        self._is_spoiled = False

    def clear(self) -> None:
        """Clear the caches if a trace is spoiled."""
        if self._is_spoiled:
            self._is_spoiled = False
            self._clear()

    def notice(self, site: Site) -> None:
        """Note a conversion that is answered; library code that stages lies beneath its place."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != site.place.file:
            if internals.begins_staging(frame):
                self._is_spoiled = True
                return
            frame = frame.f_back
