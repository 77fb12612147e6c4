"""Whether each evaluation of the flagged expression makes JAX trace the same function again."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import stager
from jaxlint.verify.child.experiments.evidence.subject import Subject
from jaxlint.verify.child.experiments.evidence.watch import Watch
from jaxlint.verify.protocol import Outcome, Target

_MOST_WRAPPERS = 20
_MOST_RUNS = 8

_Code = tuple[str, types.CodeType]
"""Code with its file: functions of two files may have equal code."""


class _Counts:
    """Evaluations of the targets, and how often the user's functions begin, by what they get."""

    def __init__(self, subject: Subject) -> None:
        self._files = subject.files
        self._subject = subject
        self.watch = Watch(subject.files, on_value=self._on_value)
        self.reset()

    def reset(self) -> None:
        """Begins anew."""
        self.watch.reached.clear()
        # The functions are not kept: as long as one lives, JAX may find its traces by equality.
        self._codes: dict[int, set[_Code]] = {}
        self._entered: dict[_Code, Counter[tuple[str, ...]]] = {}

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Watches function calls."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before if callable(before) else None)

    def judged(self) -> Iterator[tuple[Target, Outcome, dict[str, Any]]]:
        """What two stagings of the host function say of each target."""
        for target in self._subject.of("recompiles"):
            count = self.watch.reached[target.id]
            codes = self._codes.get(target.id) or self._defined(target)
            kinds = [self._entered.get(code, Counter()) for code in codes]
            if count < 2 or not any(kinds):
                continue
            # What is the same in both stagings is traced once if the program finds its trace.
            again = sum(each for kind in kinds for each in kind.values() if each > 1)
            outcome: Outcome = "shown" if again >= count else "absent"
            traces = sum(sum(kind.values()) for kind in kinds)
            yield target, outcome, {"evaluations": count, "traces": traces}

    def _defined(self, target: Target) -> set[_Code]:
        """The code of the function that the flagged statement defines."""
        statement = self._subject.syntax(target).statement(target)
        name = getattr(statement, "name", None)
        file = os.path.realpath(target.file)
        return {
            (own, code)
            for own, code in self._entered
            if code.co_name == name
            and os.path.realpath(own) == file
            and _first_line(statement) <= code.co_firstlineno <= target.end_line
        }

    def _on_value(self, target: int, _: int, value: Any) -> Any:
        code = code_of(value)
        if code is not None:
            self._codes.setdefault(target, set()).add((code.co_filename, code))
        return value

    def _note(self, frame: types.FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_user = event == "call" and code.co_filename in self._files
        if is_user and not internals.is_ahead_of_time(frame.f_back):
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            held = frame.f_locals
            kind = tuple(_kind(held.get(name)) for name in names)
            self._entered.setdefault((code.co_filename, code), Counter())[kind] += 1


def _kind(value: Any) -> str:
    """What a trace may depend on."""
    is_tracer = isinstance(value, internals.Tracer)
    if is_tracer:
        return str(value.aval)
    plain = isinstance(value, (bool, int, float, complex, str, bytes, type(None)))
    return repr(value) if plain else type(value).__name__


def native(subject: Subject) -> None:
    """Runs the host function twice, by shapes, and keeps the caches."""
    if not _is_of_use(subject):
        return
    counts = _Counts(subject)
    internals.clear_caches()
    stage = stager(subject.call)
    with counts.counting():
        for _ in range(2):
            subject.run(stage, counts.watch)
    for target, outcome, evidence in counts.judged():
        subject.observe(target, outcome, **evidence)


def explored(subject: Subject) -> None:
    """The same in each explored run. The first answers that it gives are the same both times."""
    targets = {each.id for each in subject.of("recompiles") if not subject.is_judged(each)}
    if not targets or not _is_of_use(subject):
        return
    counts = _Counts(subject)
    seen: dict[int, list[tuple[Target, Outcome, dict[str, Any]]]] = {}

    def on_run() -> None:
        for each in counts.judged():
            seen.setdefault(each[0].id, []).append(each)
        counts.reset()

    with counts.counting():
        exploration = subject.explore(counts.watch, runs=_MOST_RUNS, times=2, on_run=on_run)
    for id in targets & seen.keys():
        target, _, evidence = seen[id][0]
        if all(outcome == "shown" for _, outcome, _ in seen[id]):
            lines = subject.earlier_lines(exploration)
            subject.observe(target, "next", after_sites=lines, **evidence)
        else:
            subject.observe(target, "absent", **evidence)


def _is_of_use(subject: Subject) -> bool:
    """Whether the call is one of a host function.

    A function that the program itself traces evaluates the expression once per trace, which
    proves nothing, so only given and invented calls are.
    """
    return bool(subject.of("recompiles")) and subject.source in ("given", "invented")


def code_of(value: Any) -> types.CodeType | None:
    """The code of the function inside wrappers, partial functions and methods."""
    for _ in range(_MOST_WRAPPERS):
        if isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, types.MethodType):
            value = value.__func__
        elif inspect.getattr_static(value, "__wrapped__", None) is not None or hasattr(
            value, "__wrapped__"
        ):
            value = value.__wrapped__
        else:
            break
    return getattr(value, "__code__", None)


def _first_line(statement: Any) -> int:
    lines: list[int] = [decorator.lineno for decorator in statement.decorator_list]
    return min([*lines, int(statement.lineno)])
