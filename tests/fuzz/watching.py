"""Watches a marked module while it runs: what its names hold and what it does to the world."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, field
from typing import Any

from births import Births
from contract import Effect
from dry import current_trace
from holding import holds
from marking import AFTER, BEFORE, LAMBDA, RETURN, Marked, Spot

from jaxlint.verify.child import internals

MOST_MARKS = 50_000
"""How many statements a run may execute."""


class Endless(BaseException):
    """Ends a run that goes on and on; `except Exception` in the module lets it pass."""


@dataclass
class Seen:
    """What all runs of a module showed: bits by spot and name, effects, spots run under trace."""

    names: list[dict[str, int]]
    effects: dict[Effect, None] = field(default_factory=dict)
    executed: set[int] = field(default_factory=set)


class Watch:
    """One run of a module, whose namespace knows the marks."""

    def __init__(self, marked: Marked, seen: Seen, module: types.ModuleType) -> None:
        self._marked = marked
        self._seen = seen
        self._path = marked.code.co_filename
        self._births = Births(module.__name__, marked.stores)
        self._left = MOST_MARKS
        self._traces: list[Any] = [None]
        self._staged = False
        self._pending: list[str] = []
        self._last: dict[int, tuple[Spot, bool, Any]] = {}
        self._owners: dict[tuple[int, str], Any] = {}
        self._globals: dict[str, Any] = {}
        self._code_names: dict[types.CodeType, tuple[str, ...]] = {}
        self._namespace = vars(module)
        self._namespace["__builtins__"] |= {
            BEFORE: self._before,
            AFTER: self._after,
            RETURN: self._return,
            LAMBDA: self._return,
        }

    # Marks

    def _before(self, index: int) -> int:
        spot = self._marked.spots[index]
        frame = sys._getframe(1)
        trace = self._enter()
        if trace is None:
            self._host(frame, spot)
            return index
        if self._changes():
            self._blame(self._culprit(frame, spot))
        self._last[id(frame)] = (spot, False, trace)
        self._seen.executed.add(index)
        self._look(frame, spot, self._seen.names[index] if spot.labelled else None)
        return index

    def _after(self, index: int) -> None:
        spot = self._marked.spots[index]
        frame = sys._getframe(1)
        trace = self._enter()
        if trace is None:
            self._host(frame, spot)
            return
        for each in spot.rebinds:
            if self._owners.get(each) is not trace:
                self._effect("nonlocal", spot.line)
        if self._changes():
            self._blame(spot)
        self._last[id(frame)] = (spot, True, trace)

    def _return(self, index: int, value: Any) -> Any:
        if self._enter() is not None and self._changes():
            self._blame(self._marked.spots[index])
        return value

    def _enter(self) -> Any:
        """The trace, which becomes the current one."""
        self._left -= 1
        if self._left < 0:
            raise Endless
        trace = current_trace()
        if trace is not self._traces[-1]:
            if self._traces[-1] is None:
                self._look_outside()
            self._births.enter(trace)
            if any(trace is each for each in self._traces):
                while self._traces[-1] is not trace:
                    self._traces.pop()
            else:
                self._traces.append(trace)
            self._staged = trace is not None and internals.staged()
        return trace

    def _host(self, frame: types.FrameType, spot: Spot) -> None:
        """A statement that runs outside any trace: everything may change."""
        self._last[id(frame)] = (spot, False, None)
        if spot.function:
            for name in self._own_names(frame.f_code):
                self._owners[spot.owner, name] = None

    def _look_outside(self) -> None:
        """A trace begins in the innermost function of the module: note what is there outside."""
        frame: types.FrameType | None = sys._getframe(1)
        frames = []
        while frame is not None:
            if frame.f_code.co_filename == self._path:
                frames.append(frame)
            frame = frame.f_back
        inner = frames[0].f_locals
        captured = {name: inner[name] for name in frames[0].f_code.co_freevars if name in inner}
        outside = [self._namespace, captured, *(each.f_locals for each in frames[1:-1])]
        for values in outside:
            for name, value in list(values.items()):
                if not name.startswith("__"):
                    self._births.see(value)
        self._changed_globals()

    def _own_names(self, code: types.CodeType) -> tuple[str, ...]:
        """The names that a function binds itself, in a fixed order."""
        own = self._code_names.get(code)
        if own is None:
            own = tuple(dict.fromkeys(code.co_varnames + code.co_cellvars))
            self._code_names[code] = own
        return own

    def _look(self, frame: types.FrameType, spot: Spot, names: dict[str, int] | None) -> None:
        """Note what the names of a function hold."""
        values = frame.f_locals
        trace = self._traces[-1]
        for name in self._own_names(frame.f_code):
            if name in values:
                value = values[name]
                self._births.see(value)
                self._owners[spot.owner, name] = trace
                if names is not None:
                    names[name] = names.get(name, 0) | holds(value)

    # Effects

    def _changes(self) -> list[str]:
        """The kinds of what changed since the last mark; they wait for someone to blame."""
        self._pending = self._births.changes()
        self._pending += ["global"] * self._changed_globals()
        return self._pending

    def _blame(self, spot: Spot | None) -> None:
        if spot is not None:
            for kind in self._pending:
                self._effect(kind, spot.line)

    def _culprit(self, frame: types.FrameType, spot: Spot) -> Spot | None:
        """The statement that ran before another one began; None if it runs outside any trace."""
        found: types.FrameType | None = frame
        if spot.enters:
            found = frame.f_back
            while found is not None and found.f_code.co_filename != self._path:
                found = found.f_back
        last = self._last.get(id(found))
        if last is None or last[2] is None:
            return None
        return spot.parent if last[1] and not spot.enters else last[0]

    def _changed_globals(self) -> int:
        """How many globals were bound to something else."""
        declared = self._marked.globals
        names = self._namespace if declared is None else declared & self._namespace.keys()
        now = {name: self._namespace[name] for name in names if not name.startswith("__")}
        before, self._globals = self._globals, now
        if len(before) == len(now) and all(now.get(name) is before[name] for name in before):
            return 0
        return sum(before.get(name) is not now[name] for name in now)

    def _effect(self, kind: str, line: int) -> None:
        self._seen.effects.setdefault(Effect(kind, line, self._staged))
