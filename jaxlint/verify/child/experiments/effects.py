"""Whether flagged code has an effect while JAX traces, and not when what is compiled is called.

Every statement runs in the first call alone, so that is no evidence. What counts is the effect: a
write to what outlives the trace, or what the code does to the world outside.
"""

from __future__ import annotations

import ast
import time
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxlint.verify.child.experiments import outside
from jaxlint.verify.child.experiments.holders import Holders, is_unknown, resolve, writes_inside
from jaxlint.verify.child.experiments.subject import Exploration, Subject, Trace, first_line
from jaxlint.verify.child.experiments.watch import Reached, Watch, user_frame
from jaxlint.verify.protocol import Target

_MOST_ITEMS = 1000
_MOST_BYTES = 1 << 20
_UNSEEN = "it ran while JAX traced, and nothing was seen that it does to the world outside"


@dataclass(frozen=True)
class _Begun:
    """How the world was when an evaluation began, with the function that a flagged call calls."""

    marks: outside.Marks
    objects: list[Any]
    states: list[Any]
    function: Any


class Effects(Watch):
    """Notes what happens while the targets are evaluated, in words, by target."""

    def __init__(
        self, subject: Subject, targets: Sequence[Target], on_reach: Reached | None = None
    ) -> None:
        super().__init__(subject.files, on_reach=on_reach)
        self._subject = subject
        self._wanted = {target.id: target for target in targets}
        self._open: dict[int, list[_Begun]] = {}
        self.seen: dict[int, dict[str, None]] = {}

    def reach(self, target: int) -> None:
        before = self.reached[target]
        super().reach(target)
        if target in self._wanted and self.reached[target] > before:
            frame = user_frame(self._subject.files)
            node = self._subject.syntax(self._wanted[target]).node(self._wanted[target])
            if not isinstance(node, ast.Call) or frame is None:
                objects, function = [], None
            else:
                objects, function = _objects(node, frame), resolve(node.func, frame)
            begun = _Begun(outside.marks(), objects, list(map(_state, objects)), function)
            self._open.setdefault(target, []).append(begun)

    def value(self, target: int, value: Any) -> Any:
        if self._open.get(target):
            self._close(target)
        return super().value(target, value)

    def ended(self, trace: Trace) -> None:
        """The run is over. What an error cut off has had its effect until then."""
        for target in self._wanted.values() if trace.error is not None else ():
            while self._open.get(target.id):
                self._close(target.id, is_cut_off=self._subject.passed(target, trace))
        self._open.clear()

    def _close(self, target: int, *, is_cut_off: bool = False) -> None:
        begun = self._open[target].pop()
        if is_cut_off:
            return
        found = self.seen.setdefault(target, {})
        found.update(dict.fromkeys(outside.done(begun.marks, outside.marks())))
        pairs = zip(begun.objects, begun.states, strict=True)
        if any(_state(each) != state for each, state in pairs):
            found["a change of what it is called on"] = None
        if begun.function is time.sleep:
            found["a wait"] = None


def _objects(call: ast.Call, frame: types.FrameType) -> list[Any]:
    """What a flagged call is given by name and is called on, so far as that may change."""
    parts = [*call.args, *(each.value for each in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        parts.append(call.func.value)
    return [
        value
        for part in parts
        if isinstance(part, ast.Name) and (value := _global(part.id, frame)) is not None
    ]


def _global(name: str, frame: types.FrameType) -> Any:
    """An object that was there before the trace, as far as its name tells."""
    free = name in frame.f_code.co_freevars
    value = frame.f_locals.get(name) if free else frame.f_globals.get(name)
    is_local = name in frame.f_code.co_varnames or name in frame.f_code.co_cellvars
    return None if is_local or callable(value) or isinstance(value, types.ModuleType) else value


def _state(held: Any) -> Any:
    """What tells a changed object from what it was, without running its own code."""
    kind: Any = type(held)
    if isinstance(held, np.ndarray) and held.nbytes <= _MOST_BYTES and held.dtype != object:
        return held.tobytes()
    if kind in (list, set, dict, tuple):
        parts = list(held.items()) if kind is dict else list(held)
        return len(held), [_identity(each) for each in parts[:_MOST_ITEMS]]
    if (place := outside.position(held)) is not None:
        return place
    own = getattr(held, "__dict__", None) if kind.__module__ != "builtins" else None
    if not isinstance(own, dict):
        return None
    return [(name, _identity(value)) for name, value in list(own.items())[:_MOST_ITEMS]]


def _identity(value: Any) -> Any:
    if isinstance(value, tuple) and len(value) == 2:
        return id(value[0]), id(value[1])
    return id(value), len(value) if type(value) in (list, set, dict) else 0


def native(subject: Subject) -> None:
    """Judges what the first trace reached."""
    targets = [t for t in subject.of("effects") if subject.native.watch.reached[t.id]]
    if targets:
        judge(subject, targets)


def judge(subject: Subject, targets: Sequence[Target]) -> None:
    """Calls one jitted function twice and looks at both."""
    holders = Holders(subject)
    watch = Effects(subject, targets, holders.on_reach)
    with outside.counted():
        calls = twice(subject, watch)
    watch.ended(calls[0])
    for target in targets:
        first, second = (call.watch.reached[target.id] for call in calls)
        evidence: dict[str, Any] = {"first_call": first, "stdout": calls[0].output}
        error = calls[0].error
        if error is None:
            evidence["second_call"] = second
        else:
            evidence.update(error=type(error).__name__, message=first_line(error))
        effect = _effect(target, holders, watch)
        if first and error is None and second:
            subject.observe(target, "absent", **evidence)
        elif writes_inside(holders, target):
            subject.observe(target, "absent", evaluations=first)
        elif first and effect:
            subject.observe(target, "shown", effect=effect, **evidence)
        else:
            subject.reasons[target.id] = _UNSEEN


def explored(subject: Subject, exploration: Exploration, holders: Holders) -> None:
    """Judges the code behind conversions: it was staged once these were stepped over."""
    watch = exploration.watch
    for target in subject.of("effects"):
        count = watch.reached[target.id]
        if not count or subject.is_judged(target):
            continue
        effect = _effect(target, holders, watch) if isinstance(watch, Effects) else ""
        if writes_inside(holders, target):
            subject.observe(target, "absent", evaluations=count)
        elif effect:
            lines = subject.earlier_lines(exploration)
            evidence = {"evaluations": count, "effect": effect, "after_sites": lines}
            subject.observe(target, "next", **evidence)
        else:
            subject.reasons[target.id] = _UNSEEN


def _effect(target: Target, holders: Holders, watch: Effects) -> str:
    """What the target was seen to do; empty if nothing."""
    if is_unknown(holders, target):
        return ""
    older = [slot.text for slot in holders.slots.get(target.id, ()) if slot.is_older]
    if older:
        return f"a write to `{older[0]}`"
    return ", ".join(watch.seen.get(target.id, ()))


def twice(subject: Subject, watch: Watch | None = None) -> tuple[Trace, Trace]:
    """Two calls of one jitted function, by shapes only. The caches are cleared before the first."""
    action = subject.jitted()
    first = subject.run(action, watch or Watch(subject.files))
    return first, subject.run(action, Watch(subject.files))
