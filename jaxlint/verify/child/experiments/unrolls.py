"""Whether the traced program grows with the iterations of the flagged loop."""

from __future__ import annotations

import ast
import contextlib
import os
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jaxlint.verify.child import jaxprs
from jaxlint.verify.child.experiments.evidence import equations
from jaxlint.verify.child.experiments.evidence.subject import Exploration, Subject
from jaxlint.verify.child.experiments.evidence.watch import Watch
from jaxlint.verify.protocol import Target

_MOST_RUNS = 8
_Slope = tuple[int, float]


def native(subject: Subject) -> None:
    """Runs the loop half as often where its iterable is flagged, else counts by place."""
    if subject.native.error is None:
        _judge(subject, subject.native.watch, None)


def explored(subject: Subject, exploration: Exploration) -> None:
    """The same with the first explored run that comes to its end."""
    _judge(subject, exploration.watch, exploration)


def _judge(subject: Subject, watch: Watch, exploration: Exploration | None) -> None:
    for target in subject.of("unrolls"):
        syntax = subject.syntax(target)
        loop = syntax.loop(target)
        if not watch.reached[target.id] or loop is None or subject.is_judged(target):
            continue
        by_halves = syntax.is_iterable_of(loop, target)
        measure = _slope if by_halves else _per_iteration
        slope = measure(subject, target, loop, exploration is not None)
        if slope is None:
            continue
        iterations, each = slope
        evidence = {"iterations": iterations, "equations_per_iteration": round(each, 2)}
        if iterations <= 1:
            subject.reasons[target.id] = "its loop ran once at most, which tells nothing of growth"
        elif each <= 0:
            subject.observe(target, "absent", **evidence)
        elif exploration is None:
            subject.observe(target, "shown", **evidence)
        else:
            lines = subject.earlier_lines(exploration)
            subject.observe(target, "next", after_sites=lines, **evidence)


@dataclass(frozen=True)
class _Staged:
    """A program, how often its loop ran, how often it would have, and how it came about."""

    program: Any
    iterations: int
    full: int
    origin: tuple[Any, ...] = ()


class _Meter:
    """Counts the iterations of one loop while it is staged."""

    def __init__(self) -> None:
        self.full = self.iterations = 0

    def on_value(self, target: int, _: int, value: Any) -> Any:
        return value

    def staged(self, subject: Subject, is_explored: bool) -> _Staged | None:
        """The program of one staging, or of the first explored run that comes to its end."""
        watch = Watch(subject.files, on_value=self.on_value)
        if not is_explored:
            program = subject.trace(watch).jaxpr
            return None if program is None else _Staged(program, self.iterations, self.full)
        counts: list[tuple[int, int]] = []

        def on_run() -> None:
            counts.append((self.iterations, self.full))
            self.full = self.iterations = 0

        exploration = subject.explore(watch, runs=_MOST_RUNS, on_run=on_run)
        for at, program in enumerate(exploration.programs):
            if program is not None:
                return _Staged(program, *counts[at], origin=(at, *exploration.found.sites))
        return None


class _Items(_Meter):
    """Gives the program a part of what the target iterates over: one in so many."""

    def __init__(self, target: int, divisor: int) -> None:
        super().__init__()
        self._target = target
        self._divisor = divisor

    def on_value(self, target: int, _: int, value: Any) -> Any:
        if target != self._target:
            return value
        try:
            known = value if hasattr(value, "__getitem__") else list(value)
            full = len(known)
            left = full // self._divisor
            part = list(known)[:left] if isinstance(known, dict) else known[:left]
        except (TypeError, ValueError, KeyError):
            return value
        self.full += full
        self.iterations += left
        return known if left == full else part


def _slope(subject: Subject, target: Target, _: ast.AST, is_explored: bool) -> _Slope | None:
    half = _Items(target.id, 2).staged(subject, is_explored)
    if half is None or half.full == half.iterations:
        return None
    if is_explored:
        whole = _Items(target.id, 1).staged(subject, is_explored)
    else:
        whole = _Staged(subject.native.jaxpr, half.full, half.full)
    if whole is None or whole.origin != half.origin:
        return None
    grown = equations.count(whole.program) - equations.count(half.program)
    # Half of an array is a slice: up to one equation more per loop, and never one less.
    return whole.full, max(grown, 0) / (half.full - half.iterations)


class _Lines(_Meter):
    """Counts how often the first line of a loop's body begins."""

    def __init__(self, file: str, line: int) -> None:
        super().__init__()
        self._file = file
        self._line = line
        self._own: dict[str, bool] = {}

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Watches the lines that run."""
        before = sys.gettrace()
        sys.settrace(self._note)
        try:
            yield
        finally:
            sys.settrace(before)

    def _note(self, frame: types.FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        if file not in self._own:
            self._own[file] = os.path.realpath(file) == self._file
        if not self._own[file]:
            return None
        if event == "line" and frame.f_lineno == self._line:
            self.iterations += 1
        return self._note


def _per_iteration(
    subject: Subject, target: Target, loop: ast.AST, is_explored: bool
) -> _Slope | None:
    """Equations in the lines of the loop's body by the number of times that the body began."""
    if not isinstance(loop, (ast.For, ast.While)):
        return None
    first, last = loop.body[0].lineno, loop.body[-1].end_lineno or 0
    file = os.path.realpath(target.file)
    lines = _Lines(file, first)
    with lines.counting():
        staged = lines.staged(subject, is_explored)
    if staged is None or not staged.iterations:
        return None
    inside = 0
    for equation in equations.equations(staged.program):
        place = jaxprs.equation_place(equation, subject.files.__contains__)
        if place and os.path.realpath(place[0]) == file and first <= place[1] <= last:
            inside += 1
    return staged.iterations, inside / staged.iterations
