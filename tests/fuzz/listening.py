"""Tells when a module prints, logs, asks for the time or a random number, or touches a file.

Nothing is printed or logged, sleep is short, the clock ticks once for each question and random
numbers begin with the same seed: a module does the same thing each time.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import logging
import random
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from holding import TRACED, holds

Report = Callable[[str, int], None]
"""What is told: the kind of effect, and the line of the module that calls."""

_Function = Callable[..., Any]

_NAMED = "Tracer"
"""Is part of the text of every tracer."""


class Listener:
    """Knows the calls that come from one file."""

    def __init__(self, path: str, report: Report) -> None:
        self._path = path
        self._report = report
        self._ticks = 0

    def builtins(self) -> dict[str, _Function]:
        """Built-in functions that tell who calls them."""
        return {
            "print": self._printing,
            "input": self._noting("io", lambda *_: ""),
            "open": self._noting("io", open),
        }

    def begin(self) -> None:
        """Let random numbers and the time begin anew."""
        self._ticks = 0
        random.seed(0)
        np.random.seed(0)

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """A context in which clocks, random numbers and logging tell who calls them."""
        states = random.getstate(), np.random.get_state()
        output = _Output()
        output.write = self._noting("io", len)  # type: ignore[method-assign]
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(output))
            stack.enter_context(contextlib.redirect_stderr(output))
            for owner, name, make in self._patches():
                stack.enter_context(_replaced(owner, name, make))
            yield
        random.setstate(states[0])
        np.random.set_state(states[1])

    def _patches(self) -> Iterator[tuple[Any, str, _Function]]:
        for name in _CLOCKS:
            yield time, name, self._ticking(getattr(time, name), whole=name.endswith("_ns"))
        for name in ("ctime", "localtime", "gmtime", "strftime"):
            yield time, name, self._noting("clock", getattr(time, name))
        for module in (random, np.random):
            for name in _drawing(module):
                yield module, name, self._noting("rng", getattr(module, name))
        yield time, "sleep", self._noting("clock", _nothing)
        yield datetime, "datetime", self._dates()
        yield logging, "basicConfig", _nothing
        yield logging.Logger, "isEnabledFor", self._enabled(logging.Logger.isEnabledFor)

    def _heard(self, kind: str) -> bool:
        """Note a call. False if it does not come right from the file."""
        frame = sys._getframe(2)
        while frame.f_back is not None and frame.f_code.co_filename == logging.__file__:
            frame = frame.f_back
        if frame.f_code.co_filename != self._path:
            return False
        self._report(kind, frame.f_lineno)
        return True

    def _printing(self, *args: Any, **_: Any) -> None:
        shown = any(
            holds(arg) == TRACED or (isinstance(arg, str) and _NAMED in arg) for arg in args
        )
        self._heard("print" if shown else "output")

    def _noting(self, kind: str, original: _Function) -> _Function:
        def noted(*args: Any, **kwargs: Any) -> Any:
            self._heard(kind)
            return original(*args, **kwargs)

        return noted

    def _ticking(self, original: _Function, *, whole: bool) -> _Function:
        def asked() -> float:
            if not self._heard("clock"):
                now: float = original()
                return now
            self._ticks += 1
            return self._ticks if whole else self._ticks / 8

        return asked

    def _enabled(self, original: _Function) -> _Function:
        def enabled(logger: logging.Logger, level: int) -> bool:
            return not self._heard("log") and bool(original(logger, level))

        return enabled

    def _dates(self) -> type:
        """`datetime.datetime`, which tells who asks it for the time."""

        class Datetime(datetime.datetime):
            """The same, but for the methods that read the clock."""

        for name in ("now", "utcnow", "today"):
            noon = datetime.datetime(2000, 1, 1, 12)
            method = self._noting("clock", lambda *args, noon=noon, **kwargs: noon)
            setattr(Datetime, name, staticmethod(method))
        return Datetime


class _Output(io.StringIO):
    """A stream whose methods can be replaced."""


def _nothing(*args: Any, **kwargs: Any) -> None:
    pass


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)


_CLOCKS = (
    *("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns"),
    *("process_time", "process_time_ns"),
)


def _drawing(module: Any) -> Iterator[str]:
    """The functions of a module of random numbers that change its state."""
    for name, value in vars(module).items():
        is_function = callable(value) and not isinstance(value, (type, types.ModuleType))
        if is_function and name[0].islower() and name not in _CALM:
            yield name


_CALM = ("default_rng", "getstate", "get_state", "get_bit_generator")
