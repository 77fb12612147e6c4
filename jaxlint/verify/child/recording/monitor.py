"""Notes which of the user's functions are entered under trace, and with which signatures.

`sys.monitoring` from Python 3.12 on, a profile function during traces before.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import Call, Unreplayable, abstract, encode, is_known
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.protocol import Recorded

_MOST_SIGNATURES = 4
_MOST_TRIES = 24
_MOST_FUNCTIONS = 20_000
_MOST_EAGER = 64
_MOST_PROFILED = 3
_REST = 0.25
_OPTIMIZED, _VARARGS, _VARKEYWORDS = 0x1, 0x4, 0x8

_Key = tuple[str, int, str]


@dataclass
class _Function:
    """The signatures of one code object. `None` among them is one that cannot be stored."""

    phrase: str = ""
    tries: int = 0
    eager: int = 0
    signatures: dict[str, Any] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        return len(self.signatures) >= _MOST_SIGNATURES or self.tries >= _MOST_TRIES


class Monitor:
    """The user's functions under trace."""

    def __init__(self, files: UserFiles) -> None:
        self._files = files
        self._functions: dict[_Key, _Function] = {}
        self._profiled: Counter[types.CodeType] = Counter()
        self._tool: int | None = None
        self._asleep = False
        self._woken = 0.0
        self._busy = _Busy()

    def install(self) -> None:
        """Begins to watch, if this Python can watch at no cost."""
        if sys.version_info >= (3, 12):
            self._start()

    def remove(self) -> None:
        """Watches no more."""
        if sys.version_info >= (3, 12):
            self._stop()

    def reset(self) -> None:
        """Forgets everything."""
        self._functions.clear()

    def note(self, call: Call, phrase: str, code: types.CodeType) -> None:
        """A transform's function is traced with these arguments."""
        function = self._function(code)
        if function is not None:
            function.phrase = phrase
            self._add(function, call)

    def begin(self, code: types.CodeType) -> None:
        """The outermost trace of a thread begins."""
        if sys.version_info >= (3, 12):
            self._wake()
        elif sys.getprofile() is None and self._profiled[code] < _MOST_PROFILED:
            self._profiled[code] += 1
            sys.setprofile(self._profile)

    def end(self) -> None:
        """The outermost trace of a thread is over."""
        if sys.version_info < (3, 12) and sys.getprofile() == self._profile:
            sys.setprofile(None)

    def recorded(self) -> list[Recorded]:
        """All signatures, with None for the arguments that no text can rebuild."""
        found = []
        for (file, line, name), function in self._functions.items():
            for arguments in function.signatures.values():
                is_entry = bool(function.phrase)
                found.append(Recorded(file, line, name, arguments, is_entry, function.phrase))
        return found

    def _function(self, code: types.CodeType) -> _Function | None:
        name = getattr(code, "co_qualname", code.co_name)
        key = (code.co_filename, code.co_firstlineno, name)
        function = self._functions.get(key)
        if function is None and len(self._functions) < _MOST_FUNCTIONS:
            function = self._functions[key] = _Function()
        return function

    def _add(self, function: _Function, call: Call) -> None:
        if function.is_known:
            return
        function.tries += 1
        data = encode(call)
        text = repr(data)
        function.signatures.setdefault(text, data)
        if data is not None:
            function.signatures.pop(repr(None), None)

    def _entered(self, code: types.CodeType, frame: types.FrameType) -> bool:
        """A user's function begins under trace. Whether to hear of it again."""
        function = self._function(code)
        if function is None or function.is_known or function.phrase:
            return False
        call = _call(code, frame)
        if call is None:
            function.tries += 1
            function.signatures.setdefault(repr(None), None)
        else:
            self._add(function, call)
        return not function.is_known

    # --- Python 3.11 and older ----------------------------------------------------------------

    def _profile(self, frame: types.FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not self._is_wanted(code) or self._busy.value:
            return
        self._busy.value = True
        try:
            self._entered(code, frame)
        finally:
            self._busy.value = False

    def _is_wanted(self, code: types.CodeType) -> bool:
        return code.co_filename in self._files and _is_function(code)

    # --- Python 3.12 and newer ----------------------------------------------------------------

    if sys.version_info >= (3, 12):

        def _start(self) -> None:
            monitoring = sys.monitoring
            for tool in (4, 3, monitoring.PROFILER_ID):
                if monitoring.get_tool(tool) is None:
                    monitoring.use_tool_id(tool, "jaxlint")
                    self._tool = tool
                    started = monitoring.events.PY_START
                    monitoring.register_callback(tool, started, self._started)
                    monitoring.set_events(tool, started)
                    return

        def _stop(self) -> None:
            if self._tool is not None:
                sys.monitoring.set_events(self._tool, 0)
                sys.monitoring.free_tool_id(self._tool)
                self._tool = None

        def _started(self, code: types.CodeType, _: int) -> Any:
            if not self._is_wanted(code):
                return sys.monitoring.DISABLE
            if self._busy.value:
                return None
            self._busy.value = True
            try:
                if not internals.staged():
                    return self._eager(code)
                if not self._entered(code, sys._getframe(1)):
                    return sys.monitoring.DISABLE
            finally:
                self._busy.value = False
            return None

        def _eager(self, code: types.CodeType) -> Any:
            """A function that runs outside traces again and again is left alone for a while."""
            function = self._function(code)
            if function is None or function.is_known:
                return sys.monitoring.DISABLE
            function.eager += 1
            if function.eager % _MOST_EAGER:
                return None
            self._asleep = True
            return sys.monitoring.DISABLE

        def _wake(self) -> None:
            """Hears again of functions that were left alone."""
            now = time.monotonic()
            if self._asleep and self._tool is not None and now - self._woken > _REST:
                self._asleep = False
                self._woken = now
                sys.monitoring.restart_events()


class _Busy(threading.local):
    """Whether a thread is at work here: what that calls is not the program's."""

    value = False


def _is_function(code: types.CodeType) -> bool:
    """Whether the code is that of a function or lambda, not of a module, class or generator
    expression."""
    return bool(code.co_flags & _OPTIMIZED) and (
        not code.co_name.startswith("<") or code.co_name == "<lambda>"
    )


def _call(code: types.CodeType, frame: types.FrameType) -> Call | None:
    """The call that a frame has just begun with; None if it has no abstract form."""
    values = frame.f_locals
    names = code.co_varnames
    count = code.co_argcount
    last = count + code.co_kwonlyargcount
    with contextlib.suppress(KeyError, Unreplayable):
        args = [values[name] for name in names[:count]]
        kwargs = {name: values[name] for name in names[count:last]}
        if code.co_flags & _VARARGS:
            args.extend(values[names[last]])
            last += 1
        if code.co_flags & _VARKEYWORDS:
            kwargs.update(values[names[last]])
        return abstract(_stand_in(code), tuple(args), kwargs, static=is_known)
    return None


@functools.lru_cache(maxsize=4096)
def _stand_in(code: types.CodeType) -> Callable[..., Any]:
    """Something to make a call of: its function is not known, and not needed to store it."""
    return lambda *args, **kwargs: None
