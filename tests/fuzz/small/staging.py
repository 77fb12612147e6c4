"""Runs a small module and notes, line by line, what it changes on the host."""

from __future__ import annotations

import ast
import contextlib
import datetime
import inspect
import io
import logging
import os
import random
import sys
import tempfile
import threading
import time
import types
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

from jaxlint.verify.child.internals import staged
from small.host import Key, Part, Survey, generators

MODULE = "small_module"
Code = tuple[str, int]
_CLOCKS = [
    "time",
    "time_ns",
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "process_time",
    "sleep",
    "localtime",
    "gmtime",
    "ctime",
    "strftime",
]

_CARRIERS = frozenset({"pathlib", "numpy", "contextlib"})


@dataclass(frozen=True)
class Line:
    """A line is about to run in the frame of a function."""

    code: Code
    line: int


@dataclass(frozen=True)
class Change:
    """A line changed something; `owner` is the function that holds it, None for the module."""

    line: int
    kind: str
    text: str = ""
    owner: Code | None = None


@dataclass
class Run:
    """What happened, in order. `traced` and `plain` are the functions that JAX called, and those
    that it did not; `errors` the statements' exceptions with lines."""

    events: list[Line | Change] = field(default_factory=list)
    traced: set[Code] = field(default_factory=set)
    plain: set[Code] = field(default_factory=set)
    errors: list[tuple[int, Exception]] = field(default_factory=list)

    @property
    def host(self) -> set[Code]:
        """The functions that are never traced."""
        return self.plain - self.traced


class Watcher:
    """Attributes changes of the host's state to lines, through `sys.settrace`."""

    def __init__(self, path: str, host: set[Code] | None = None) -> None:
        self.path = path
        self.run = Run()
        self.namespace: dict[str, Any] = {}
        self.output = io.StringIO()
        self.records: list[str] = []
        self.calls: list[str] = []
        self._known_host = host
        self._lock = threading.RLock()
        self._place = 0
        # Who advances a generator changes it, not the generator itself.
        self._taker = 0
        self._last: dict[Key, Part] = {}

    # -- places ----------------------------------------------------------------------------

    def trace(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != self.path:
            return None
        with self._lock:
            self._settle(frame)
            code = (frame.f_code.co_name, frame.f_code.co_firstlineno)
            if event == "call":
                (self.run.traced if staged() or _is_in_jax(frame) else self.run.plain).add(code)
            elif event == "line":
                self.run.events.append(Line(code, frame.f_lineno))
            self._place = self._after(frame) if event == "return" else frame.f_lineno
            if not frame.f_code.co_flags & inspect.CO_GENERATOR or event == "return":
                self._taker = self._place
        return self.trace

    def _after(self, frame: types.FrameType) -> int:
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename != self.path:
            caller = caller.f_back
        return caller.f_lineno if caller is not None else 0

    @contextlib.contextmanager
    def elsewhere(self) -> Iterator[None]:
        """A callback runs, perhaps in another thread: what it changes is its own."""
        with self._lock:
            self._settle(None)
            place, before = self._place, sys.gettrace()
            sys.settrace(self.trace)
            try:
                yield
            finally:
                self._settle(None)
                sys.settrace(before)
                self._place = place

    # -- changes ---------------------------------------------------------------------------

    def _settle(self, frame: types.FrameType | None) -> None:
        now = self._snapshot(frame)
        for key, part in now.items():
            before = self._last.get(key)
            if before is not None and part.differs(before):
                self._note(part, before)
        self._last = now
        for kind in self.calls:
            self._change(kind)
        self.calls.clear()
        for text in self.records:
            self._change("log", text)
        self.records.clear()
        if text := self.output.getvalue():
            self._change("print", text)
            self.output.seek(0)
            self.output.truncate()

    def _note(self, part: Part, before: Part) -> None:
        owner: Any = part.owner or before.owner
        kind = f"leak {part.kind}" if part.gains_tracer(before) else part.kind
        place = self._taker if part.kind == "iterator" else self._place
        self.run.events.append(Change(place, kind, "", owner))

    def _change(self, kind: str, text: str = "") -> None:
        self.run.events.append(Change(self._place, kind, text))

    def _snapshot(self, frame: types.FrameType | None) -> dict[Key, Part]:
        survey = Survey(MODULE)
        survey.names(self.namespace)
        while frame is not None:
            code = (frame.f_code.co_name, frame.f_code.co_firstlineno)
            if frame.f_code.co_filename == self.path and self._is_host(code):
                survey.locals(code, frame.f_locals)
            frame = frame.f_back
        survey.parts["generators",] = generators()
        return survey.parts

    def _is_host(self, code: Code) -> bool:
        if code[0] == "<module>":
            return False
        return code in (self.run.host if self._known_host is None else self._known_host)

    # -- calls that leave no state ---------------------------------------------------------

    def counted(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, noted when the program itself calls it."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._is_own(sys._getframe(1)):
                self.calls.append(kind)
            return function(*args, **kwargs)

        return call

    def _is_own(self, frame: types.FrameType | None) -> bool:
        """Whether the program calls, itself or by way of a library that reads and writes."""
        while frame is not None and frame.f_code.co_filename != self.path:
            if frame.f_globals.get("__name__", "").partition(".")[0] not in _CARRIERS:
                return False
            frame = frame.f_back
        return frame is not None


def perform(source: str, *, eager: bool = False, host: set[Code] | None = None) -> Run:
    """Runs a module, going on with the next statement after one that raised."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        watcher = Watcher("small_module.py", host)
        module = types.ModuleType(MODULE)
        sys.modules[MODULE] = module
        watcher.namespace = vars(module)
        random.seed(0)
        np.random.seed(0)
        try:
            with _watched(watcher), unjitted(eager):
                _execute(source, watcher)
        finally:
            del sys.modules[MODULE]
    return watcher.run


@contextlib.contextmanager
def unjitted(eager: bool) -> Iterator[None]:
    """If `eager`, without `jit` and without what `checkpoint` remembers."""
    names = ("checkpoint", "remat") if eager else ()
    with jax.disable_jit(eager), _replaced((jax, name, _as_it_is) for name in names):
        yield


def _as_it_is(function: Any = None, **options: Any) -> Any:
    return _as_it_is if function is None else function


def _is_in_jax(frame: types.FrameType | None) -> bool:
    while frame is not None:
        if "/jax/_src/" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _execute(source: str, watcher: Watcher) -> None:
    for statement in ast.parse(source).body:
        code = compile(ast.Module([statement], []), watcher.path, "exec")
        before = sys.gettrace()
        sys.settrace(watcher.trace)
        try:
            exec(code, watcher.namespace)
            jax.effects_barrier()
        except Exception as error:
            sys.settrace(before)
            watcher.run.errors.append((line_of(error, watcher.path), error))
        finally:
            sys.settrace(before)
        watcher._settle(None)


def line_of(error: BaseException, path: str) -> int:
    """The innermost line of the program that an exception passed."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == path:
            line = step.tb_lineno
        step = step.tb_next
    return line


@contextlib.contextmanager
def _watched(watcher: Watcher) -> Iterator[None]:
    with (
        contextlib.redirect_stdout(watcher.output),
        warnings.catch_warnings(),
        _logged(watcher),
        _replaced(_replacements(watcher)),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = lambda *args, **kwargs: watcher.records.append(str(args[0]))
        yield


class _Handler(logging.Handler):
    def __init__(self, watcher: Watcher) -> None:
        super().__init__()
        self.watcher = watcher

    def emit(self, record: logging.LogRecord) -> None:
        if record.pathname == self.watcher.path:
            self.watcher.records.append(record.getMessage())


@contextlib.contextmanager
def _logged(watcher: Watcher) -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    library = logging.getLogger("jax")
    library_level = library.level
    root.setLevel(logging.DEBUG)
    root.handlers[:] = [_Handler(watcher)]
    library.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
        library.setLevel(library_level)


def _replacements(watcher: Watcher) -> Iterator[tuple[Any, str, Any]]:
    for name in _CLOCKS:
        original = (lambda seconds: None) if name == "sleep" else getattr(time, name)
        yield time, name, watcher.counted("clock", original)
    yield uuid, "uuid4", watcher.counted("rng", uuid.uuid4)
    yield os, "urandom", watcher.counted("rng", os.urandom)
    yield io, "open", watcher.counted("io", io.open)
    yield sys.modules["builtins"], "open", watcher.counted("io", open)
    yield datetime, "datetime", _watched_datetime(watcher)
    yield jax.debug, "callback", _announced(watcher, jax.debug.callback)
    yield jax.debug, "print", _unprinted(jax.debug.callback)
    for name in ("io_callback", "pure_callback"):
        owner: Any = jax if hasattr(jax, name) else jax.experimental
        yield owner, name, _announced(watcher, getattr(owner, name))


def _watched_datetime(watcher: Watcher) -> type:
    class Watched(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Watched:
            if sys._getframe(1).f_code.co_filename == watcher.path:
                watcher.calls.append("clock")
            return super().now(tz)

    return Watched


def _unprinted(callback: Callable[..., Any]) -> Callable[..., Any]:
    """`jax.debug.print` without the print, which no line of the program does."""

    def wrapped(fmt: str, *args: Any, **kwargs: Any) -> None:
        callback(lambda *_: None, *args)

    return wrapped


def _announced(watcher: Watcher, register: Callable[..., Any]) -> Callable[..., Any]:
    """A way to register callbacks whose callbacks tell the watcher when they run."""

    def wrapped(callback: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        def announced(*given: Any, **named: Any) -> Any:
            with watcher.elsewhere():
                return callback(*given, **named)

        return register(announced, *args, **kwargs)

    return wrapped


@contextlib.contextmanager
def _replaced(places: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    originals: list[tuple[Any, str, Any]] = []
    try:
        for owner, name, value in places:
            originals.append((owner, name, getattr(owner, name)))
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in reversed(originals):
            setattr(owner, name, value)
