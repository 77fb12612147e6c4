"""Whether a tracer can still be reached, from where the flagged code put it, after its trace."""

from __future__ import annotations

import ast
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.experiments.evidence.holders import Holders, Slot
from jaxlint.verify.child.experiments.evidence.reachable import roots, tracers_in, walk
from jaxlint.verify.child.experiments.evidence.subject import (
    Exploration,
    Subject,
    Trace,
    first_line,
)
from jaxlint.verify.protocol import Target

_WITHIN = "it ran while JAX traced, and the code around may take back what it leaves"


class Remains:
    """The tracers that studies of parts of traces have left in this process.

    They tell nothing: the code around a part may take back what the part leaves. Unless the
    process looks for leaks, as `is_asked` tells, nobody asks for them.
    """

    def __init__(self, *, is_asked: bool = True) -> None:
        self._is_asked = is_asked
        self._of_parts: dict[int, Any] = {}

    def __contains__(self, tracer: Any) -> bool:
        return id(tracer) in self._of_parts

    @contextlib.contextmanager
    def kept_apart(self, subject: Subject) -> Iterator[None]:
        """A study, which is one of a part of a trace unless its subject begins a trace."""
        if subject.is_outermost or not self._is_asked:
            yield
            return
        before = _reachable_tracers(subject)
        try:
            yield
        finally:
            after = _reachable_tracers(subject)
            self._of_parts.update((id, each) for id, each in after.items() if id not in before)


def _reachable_tracers(subject: Subject) -> dict[int, Any]:
    found = walk(roots(subject), subject.files)
    return {id(each): each for _, each in found if isinstance(each, internals.Tracer)}


def native(subject: Subject, holders: Holders, remains: Remains) -> None:
    """Looks where the first trace wrote to, and at what earlier traces left there."""
    trace = subject.native
    for target in subject.of("leaks"):
        if trace.watch.reached[target.id]:
            _judge(subject, target, holders, trace)
        elif (left := _left_behind(subject, target, remains)) is not None:
            subject.observe(target, "shown", holder=left)


def explored(subject: Subject, exploration: Exploration, holders: Holders) -> None:
    """Looks where the explored runs wrote to."""
    for target in subject.of("leaks"):
        if not exploration.watch.reached[target.id] or subject.is_judged(target):
            continue
        slot = _leaking(holders, target)
        if slot is not None and not subject.is_outermost:
            subject.reasons[target.id] = _WITHIN
        elif slot is not None:
            lines = subject.earlier_lines(exploration)
            subject.observe(target, "next", holder=_name(subject, slot), after_sites=lines)
        elif holders.slots.get(target.id):
            subject.observe(target, "absent", evaluations=exploration.watch.reached[target.id])


def _judge(subject: Subject, target: Target, holders: Holders, trace: Trace) -> None:
    slot = _leaking(holders, target)
    count = trace.watch.reached[target.id]
    if slot is not None and not subject.is_outermost:
        subject.reasons[target.id] = _WITHIN
    elif slot is not None:
        error = trace.error
        evidence: dict[str, Any] = {"holder": _name(subject, slot), "evaluations": count}
        if error is not None:
            evidence.update(error=type(error).__name__, message=first_line(error))
        subject.observe(target, "shown", **evidence)
    elif holders.slots.get(target.id) and subject.passed(target, trace):
        subject.observe(target, "absent", evaluations=count)


def _leaking(holders: Holders, target: Target) -> Slot | None:
    slots = holders.slots.get(target.id, [])
    return next((slot for slot in slots if slot.is_outside and slot.leaked()), None)


def _name(subject: Subject, slot: Slot) -> str:
    """A path to the slot that starts at a module or at the function, else its own text."""
    wanted = {id(each) for each in slot.leaked()}
    for path, each in walk(roots(subject), subject.files):
        if id(each) in wanted:
            return path
    return slot.text


def _left_behind(subject: Subject, target: Target, remains: Remains) -> str | None:
    """The place that the target writes to, if a tracer from before the first trace is there.

    Code that fills an empty cache is not reached again.
    """
    if internals.staged() or not subject.is_outermost:
        return None
    written = subject.syntax(target).written(target)
    if isinstance(written, ast.Name):
        for namespace in _modules(target.file):
            if any(each not in remains for each in tracers_in(namespace.get(written.id))):
                return f"{namespace.get('__name__')}.{written.id}"
    if isinstance(written, ast.Attribute):
        for path, each in walk(roots(subject), subject.files):
            is_left = isinstance(each, internals.Tracer) and each not in remains
            if is_left and f".{written.attr}" in path:
                return path
    return None


def _modules(file: str) -> list[dict[str, Any]]:
    """The namespaces of the modules that were loaded from a file."""
    real = os.path.realpath(file)
    return [
        vars(module)
        for module in list(sys.modules.values())
        if getattr(module, "__file__", None) and os.path.realpath(str(module.__file__)) == real
    ]
