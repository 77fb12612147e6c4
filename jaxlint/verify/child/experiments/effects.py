"""Whether flagged code has an effect while JAX traces, and not when what is compiled is called.

Every statement runs in the first call alone, so that is no evidence. What counts is the effect: a
write to what outlives the trace, or what the code does to the world outside.
"""

from __future__ import annotations

import ast
import time
import types
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from jaxlint.verify.child.experiments.evidence import contents, equations, outside
from jaxlint.verify.child.experiments.evidence.contents import is_undone
from jaxlint.verify.child.experiments.evidence.holders import (
    Holders,
    is_unknown,
    resolve,
    writes_inside,
)
from jaxlint.verify.child.experiments.evidence.subject import (
    Exploration,
    Subject,
    Trace,
    first_line,
)
from jaxlint.verify.child.experiments.evidence.watch import Watch, user_frame
from jaxlint.verify.protocol import Target

_UNSEEN = "it ran while JAX traced, and nothing was seen that it does to the world outside"
_UNDONE = "it ran while JAX traced, and what it changes was as before once the trace was over"
_ONCE = "it wrote in the first trace alone, and the next one made the same program"


@dataclass(frozen=True)
class _Begun:
    """How the world was when an evaluation began, with the function that a flagged call calls."""

    marks: outside.Marks
    objects: list[_Object]
    states: list[Any]
    function: Any


@dataclass(frozen=True)
class _Object:
    """An object that a flagged call may change, as a place of which the content is known."""

    held: Any

    @property
    def key(self) -> Hashable:
        return "container", id(self.held), ""

    def is_import(self) -> bool:
        return False

    def state(self) -> Any:
        place = outside.position(self.held)
        return contents.state(self.held, is_bound=False) if place is None else (place,)


class Effects(Watch):
    """Notes what happens while the targets are evaluated, in words, by target."""

    def __init__(self, subject: Subject, targets: Sequence[Target], holders: Holders) -> None:
        super().__init__(subject.files, on_reach=holders.on_reach)
        self._subject = subject
        self._contents = holders.contents
        self._wanted = {target.id: target for target in targets}
        self._open: dict[int, list[_Begun]] = {}
        self.seen: dict[int, dict[str, None]] = {}
        self.changed: dict[int, dict[Hashable, None]] = {}

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
            for each in objects:
                self._contents.note(each)
            states = [each.state() for each in objects]
            begun = _Begun(outside.marks(), objects, states, function)
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
        for each, state in zip(begun.objects, begun.states, strict=True):
            if each.state() != state:
                self.changed.setdefault(target, {})[each.key] = None
        if begun.function is time.sleep:
            found["a wait"] = None


def _objects(call: ast.Call, frame: types.FrameType) -> list[_Object]:
    """What a flagged call is given by name and is called on, so far as that may change."""
    parts = [*call.args, *(each.value for each in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        parts.append(call.func.value)
    return [
        _Object(value)
        for part in parts
        if isinstance(part, ast.Name) and (value := _global(part.id, frame)) is not None
    ]


def _global(name: str, frame: types.FrameType) -> Any:
    """An object that was there before the trace, as far as its name tells."""
    free = name in frame.f_code.co_freevars
    value = frame.f_locals.get(name) if free else frame.f_globals.get(name)
    is_local = name in frame.f_code.co_varnames or name in frame.f_code.co_cellvars
    return None if is_local or callable(value) or isinstance(value, types.ModuleType) else value


def native(subject: Subject, first: Holders) -> None:
    """Judges what the first trace reached."""
    targets = [t for t in subject.of("effects") if subject.native.watch.reached[t.id]]
    if targets:
        judge(subject, targets, first)


def judge(subject: Subject, targets: Sequence[Target], first: Holders | None = None) -> None:
    """Calls one jitted function twice and looks at both, and at what the `first` trace wrote to."""
    first = first or Holders(subject)
    holders = Holders(subject, first)
    holders.begin()
    watch = Effects(subject, targets, holders)
    with outside.counted():
        calls = twice(subject, watch)
    watch.ended(calls[0])
    holders.close()
    for target in targets:
        counts = [call.watch.reached[target.id] for call in calls]
        seen = _Effect(subject, target, (first, holders), (subject.native.watch, watch))
        _judge(subject, target, seen, calls[0], counts)


def _judge(
    subject: Subject, target: Target, seen: _Effect, call: Trace, counts: Sequence[int]
) -> None:
    evidence: dict[str, Any] = {"first_call": counts[0], "stdout": call.output}
    if call.error is None:
        evidence["second_call"] = counts[1]
    else:
        evidence.update(error=type(call.error).__name__, message=first_line(call.error))
    if all(counts) and call.error is None:
        subject.observe(target, "absent", **evidence)
    elif seen.is_inside:
        subject.observe(target, "absent", evaluations=counts[0])
    elif counts[0] and seen.text:
        subject.observe(target, "shown", effect=seen.text, **evidence)
    elif not counts[0] and seen.text and _has_other_program(subject):
        evidence["first_call"] = subject.native.watch.reached[target.id]
        subject.observe(target, "shown", effect=seen.text, **evidence)
    elif counts[0] or not seen.text:
        subject.reasons[target.id] = _UNDONE if seen.is_undone else _UNSEEN
    else:
        subject.reasons[target.id] = _ONCE


def _has_other_program(subject: Subject) -> bool:
    """Whether the next trace makes another program than the first has made."""
    one, other = subject.native.jaxpr, subject.trace(Watch(subject.files)).jaxpr
    if one is None or other is None:
        return False
    return bool(equations.differing(equations.parts(one), equations.parts(other)))


def explored(subject: Subject, exploration: Exploration, holders: Holders) -> None:
    """Judges the code behind conversions: it was staged once these were stepped over."""
    watch = exploration.watch
    for target in subject.of("effects"):
        count = watch.reached[target.id]
        if not count or subject.is_judged(target):
            continue
        seen = _Effect(subject, target, (holders, holders), (watch,))
        if seen.is_inside:
            subject.observe(target, "absent", evaluations=count)
        elif seen.text:
            lines = subject.earlier_lines(exploration)
            evidence = {"evaluations": count, "effect": seen.text, "after_sites": lines}
            subject.observe(target, "next", **evidence)
        else:
            subject.reasons[target.id] = _UNDONE if seen.is_undone else _UNSEEN


class _Effect:
    """What a target was seen to do in two traces.

    `text` says so, and is empty if it is nothing. `is_inside` tells that it wrote to what is as
    new as the program around it alone, `is_undone` that nothing is left of a change.
    """

    def __init__(
        self,
        subject: Subject,
        target: Target,
        traces: tuple[Holders, Holders],
        watches: Sequence[Watch],
    ) -> None:
        first, second = (each.contents for each in traces)
        last = traces[1] if traces[1].slots.get(target.id) else traces[0]
        self.is_inside = writes_inside(last, target)
        self.is_undone = False
        self.text = ""
        last_reached = next((w for w in reversed(watches) if w.reached[target.id]), None)
        effects = last_reached if isinstance(last_reached, Effects) else None
        changed = list(effects.changed.get(target.id, ())) if effects is not None else []
        slots = [slot for each in traces for slot in each.slots.get(target.id, ())]
        older = {slot.key: slot.text for slot in slots if slot.is_older}
        written = [text for key, text in older.items() if not is_undone(key, first, second)]
        touched = [key for key in changed if not is_undone(key, first, second)]
        self.is_undone = len(written) < len(older) or len(touched) < len(changed)
        if not subject.is_outermost:
            # The code around may take back whatever this call leaves.
            self.is_undone, written, touched = self.is_undone or bool(older), [], []
        if is_unknown(last, target):
            return
        if written:
            self.text = f"a write to `{written[0]}`"
        elif not older or self.is_undone:
            seen = effects.seen.get(target.id, {}) if effects is not None else {}
            words = [*seen, *(["a change of what it is called on"] if touched else [])]
            self.text = ", ".join(words)


def twice(subject: Subject, watch: Watch | None = None) -> tuple[Trace, Trace]:
    """Two calls of one jitted function, by shapes only. The caches are cleared before the first."""
    action = subject.jitted()
    first = subject.run(action, watch or Watch(subject.files))
    return first, subject.run(action, Watch(subject.files))
