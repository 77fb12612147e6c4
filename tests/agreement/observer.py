"""Runs a project's tests, and notes what its names hold while JAX traces its functions.

Usage: python observer.py OUT ROOT [--seconds N] -- COMMAND ...

The command ends after N seconds of the processors' time; pytest is given so much after it has
found its tests, which run in an order of their own.

The command is a module with its arguments (`-m pytest tests/a_test.py`), a program (`-c TEXT`), or
a script with its arguments; it runs in this process, in the own environment of the project. Each
statement of the files under ROOT that runs under a trace is noted: how often it ran, under which
entry points, and what each local name and each attribute of `self` held before it. OUT receives
JSON, in the form that `observations.py` reads.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
_BORROWED = (str(_HERE.parent.parent), str(_HERE.parent / "fuzz"), str(_HERE))
# The project's own modules must not be hidden by those of this repository.
sys.path[:0] = _BORROWED

import jax  # noqa: E402
from command_runs import end_after, run_command  # noqa: E402
from happenings import Happenings  # noqa: E402
from jax._src import core  # noqa: E402
from observed_functions import (  # noqa: E402
    MODULE,
    Entry,
    Function,
    Line,
    add_entries,
    as_json,
    counted,
    is_function,
)
from observed_values import form_of, kind_of  # noqa: E402

from jaxlint.verify.child import internals  # noqa: E402

for _path in _BORROWED:
    while _path in sys.path:
        sys.path.remove(_path)

VISITS = 6
"""How many visits of a statement in a row are looked at."""

REST = 0.5
"""After how many seconds statements that were seen often enough are looked at again."""

MOST_VISITS = 48
"""How many visits of a statement are looked at in all."""


MOST_ATTRIBUTES = 32

_TRACERS = ("partial_eval.py", "linear_util.py", "batching.py", "ad.py", "api_util.py")


class Observer:
    """Watches the files under a directory."""

    def __init__(self, root: Path) -> None:
        self._root = str(root) + os.sep
        # By identity: code objects of different files may be equal. They are kept alive.
        self._functions: dict[int, tuple[types.CodeType, Function | None]] = {}
        self._errors: Counter[tuple[str, int, str]] = Counter()
        self._host_errors: Counter[tuple[str, int, str]] = Counter()
        self.happenings = Happenings(self.lines)
        self._error: BaseException | None = None

    # --- What happens -------------------------------------------------------------------------

    def function(self, code: types.CodeType) -> Function | None:
        """What is known of a code object, None where it is none of the project's functions."""
        try:
            return self._functions[id(code)][1]
        except KeyError:
            found = None
            file = code.co_filename
            if file.startswith(self._root) and self._is_project(file) and is_function(code):
                name = getattr(code, "co_qualname", code.co_name)
                found = Function(file[len(self._root) :], name, code.co_firstlineno)
            self._functions[id(code)] = code, found
            return found

    @functools.cache  # noqa: B019
    def _is_project(self, file: str) -> bool:
        parts = Path(file[len(self._root) :]).parts
        return "site-packages" not in parts and not any(part.startswith(".") for part in parts)

    def started(self, code: types.CodeType, frame: types.FrameType) -> None:
        """A function of the project begins."""
        function = self.function(code)
        if function is None:
            return
        if function.name == MODULE or core.trace_state_clean():
            function.host += 1
            return
        function.traced += 1
        if function.traced > MOST_VISITS:
            return
        origin = self._origin(frame)
        if origin is None:
            return
        entries, calls, modules = origin
        if function.calls is None or (calls, modules) < (function.calls, function.modules or 0):
            function.calls, function.modules = calls, modules
        add_entries(function.entries, entries)

    def came(self, code: types.CodeType, line: int, frame: types.FrameType) -> bool:
        """A function comes to a line. Whether to hear of this line again for now."""
        function = self.function(code)
        if function is None:
            return False
        seen = function.lines.get(line)
        if seen is None:
            seen = function.lines[line] = Line()
        if function.name == MODULE or core.trace_state_clean():
            seen.host += 1
            return seen.host % 64 != 0
        seen.traced += 1
        seen.staged += internals.staged()
        if seen.looked < MOST_VISITS:
            seen.looked += 1
            self._look(function, seen, frame)
        return seen.looked % VISITS != 0 and seen.looked < MOST_VISITS

    def _look(self, function: Function, seen: Line, frame: types.FrameType) -> None:
        if seen.looked <= 2 or seen.looked % VISITS == 0:
            origin = self._origin(frame)
            if origin is not None:
                add_entries(seen.entries, origin[0])
        for name, value in list(frame.f_locals.items()):
            kind = kind_of(value)
            seen.names.setdefault(name, set()).add(kind)
            if kind == "t":
                function.tracers.add(type(value).__name__)
                seen.forms.setdefault(name, set()).add(form_of(value))
            if name == "self" and kind in "mcu":
                attributes = list(getattr(value, "__dict__", {}).items())
                for attribute, inner in attributes[:MOST_ATTRIBUTES]:
                    if attribute.isidentifier():
                        held = seen.names.setdefault(f"self.{attribute}", set())
                        held.add(kind_of(inner))
                        if "t" in held and isinstance(inner, core.Tracer):
                            forms = seen.forms.setdefault(f"self.{attribute}", set())
                            forms.add(form_of(inner))

    def _origin(self, frame: types.FrameType) -> tuple[list[Entry], int, int] | None:
        """The functions at which tracing starts around a frame, the outermost last, and how many
        calls and changes of module lie between that and the frame."""
        entries: list[Entry] = []
        calls = modules = 0
        distance = (0, 0)
        inner = frame.f_code
        tracing = False
        outer = frame.f_back
        while outer is not None:
            code = outer.f_code
            if self.function(code) is not None or code.co_filename.startswith(self._root):
                if tracing:
                    entries.append(self._key(inner))
                    distance = (calls, modules)
                calls += 1
                modules += code.co_filename != inner.co_filename
                inner = code
                tracing = False
            elif code.co_filename.endswith(_TRACERS) and internals.is_own_file(code.co_filename):
                tracing = True
            outer = outer.f_back
        return (entries, *distance) if entries else None

    def _key(self, code: types.CodeType) -> Entry:
        return code.co_filename[len(self._root) :], code.co_firstlineno

    # --- Errors and lines ---------------------------------------------------------------------

    def raised(self, code: types.CodeType, frame: types.FrameType, error: BaseException) -> None:
        """An exception passes through a function; where it is first seen is noted."""
        function = self.function(code)
        if function is None or error is self._error:
            return
        self._error = error
        errors = self._host_errors if core.trace_state_clean() else self._errors
        errors[(function.file, frame.f_lineno, type(error).__name__)] += 1

    def lines(self, frame: types.FrameType) -> Iterator[tuple[str, int]]:
        """The lines of the project that run, the innermost first."""
        around: types.FrameType | None = frame
        while around is not None:
            if self.function(around.f_code) is not None:
                yield around.f_code.co_filename[len(self._root) :], around.f_lineno
            around = around.f_back

    # --- The result ---------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """Everything that was seen, as JSON."""
        files: dict[str, dict[str, Any]] = {}
        for _, function in self._functions.values():
            if function is None:
                continue
            known = files.setdefault(function.file, {"digest": "", "functions": []})
            known["functions"].append(as_json(function))
        for file, known in files.items():
            content = Path(self._root, file)
            if content.is_file():
                known["digest"] = hashlib.blake2b(content.read_bytes(), digest_size=16).hexdigest()
            known["functions"].sort(key=lambda one: (one["line"], one["name"]))
        return {
            "python": sys.version.split()[0],
            "jax": jax.__version__,
            "files": dict(sorted(files.items())),
            "errors": counted(self._errors),
            "host_errors": counted(self._host_errors),
            "conversions": counted(self.happenings.conversions),
            "warnings": counted(self.happenings.warnings),
            "keys": counted(self.happenings.keys),
        }


class Events:
    """Brings the events of the interpreter to an observer: `sys.monitoring` from Python 3.12 on,
    a trace function before."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._busy = threading.local()
        self._ended = threading.Event()

    def start(self) -> None:
        """Begins to listen."""
        if sys.version_info >= (3, 12):
            self._start()
        else:
            threading.settrace(self._trace)
            sys.settrace(self._trace)

    def stop(self) -> None:
        """Listens no more."""
        self._ended.set()
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.COVERAGE_ID)
        else:
            threading.settrace(None)  # type: ignore[arg-type]
            sys.settrace(None)

    def _trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        if self._observer.function(frame.f_code) is None:
            return None
        self._told(frame.f_code, None, frame)
        return self._trace_line

    def _trace_line(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._told(frame.f_code, frame.f_lineno, frame)
        elif event == "exception":
            self._observer.raised(frame.f_code, frame, argument[1])
        return self._trace_line

    def _told(self, code: types.CodeType, line: int | None, frame: types.FrameType) -> bool:
        """Tells the observer, unless it is its own doing that is heard."""
        if getattr(self._busy, "value", False):
            return True
        self._busy.value = True
        try:
            if line is None:
                self._observer.started(code, frame)
                return True
            return self._observer.came(code, line, frame)
        finally:
            self._busy.value = False

    if sys.version_info >= (3, 12):

        def _start(self) -> None:
            monitoring = sys.monitoring
            tool = monitoring.COVERAGE_ID
            monitoring.use_tool_id(tool, "agreement")
            events = monitoring.events
            monitoring.register_callback(tool, events.PY_START, self._began)
            monitoring.register_callback(tool, events.LINE, self._line)
            monitoring.register_callback(tool, events.RAISE, self._raised)
            monitoring.set_events(tool, events.PY_START | events.LINE | events.RAISE)
            threading.Thread(target=self._again, daemon=True).start()

        def _began(self, code: types.CodeType, _: int) -> Any:
            if self._observer.function(code) is None:
                return sys.monitoring.DISABLE
            self._told(code, None, sys._getframe(1))
            return None

        def _line(self, code: types.CodeType, line: int) -> Any:
            if self._observer.function(code) is None:
                return sys.monitoring.DISABLE
            again = self._told(code, line, sys._getframe(1))
            return None if again else sys.monitoring.DISABLE

        def _raised(self, code: types.CodeType, _: int, error: BaseException) -> None:
            self._observer.raised(code, sys._getframe(1), error)

        def _again(self) -> None:
            """Has lines looked at again that were seen often enough for a while."""
            rest = REST
            while not self._ended.wait(rest):
                begun = time.monotonic()
                sys.monitoring.restart_events()
                rest = max(REST, 20 * (time.monotonic() - begun))


def main(arguments: list[str]) -> int:
    """Observes a command, and writes what was seen."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="observer.py")
    parser.add_argument("out", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--seconds", type=int, default=0)
    options = parser.parse_args(arguments[:split])
    command = arguments[split + 1 :]
    if not command:
        parser.error("a command is missing: observer.py OUT ROOT -- COMMAND")
    out = options.out.resolve()
    observer = Observer(options.root.resolve())
    observer.happenings.patch()
    events = Events(observer)
    begun = time.monotonic()
    events.start()
    outcome: object = "an exception"
    try:
        outcome = run_command(command, options.seconds)
    finally:
        end_after(0)
        events.stop()
        seconds = round(time.monotonic() - begun, 1)
        document = {**observer.document(), "seconds": seconds, "outcome": str(outcome)}
        out.write_text(json.dumps(document), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
