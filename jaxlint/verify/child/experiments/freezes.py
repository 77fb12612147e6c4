"""Whether the flagged value ends up as a constant of the traced program."""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxlint.verify.child.experiments import effects
from jaxlint.verify.child.experiments.evidence import equations, perturb
from jaxlint.verify.child.experiments.evidence.subject import Exploration, Subject, shortened
from jaxlint.verify.child.experiments.evidence.watch import Watch, user_frame
from jaxlint.verify.child.observing.probe import holds_tracer
from jaxlint.verify.protocol import Target

_PLAIN = (bool, int, float, complex, str, np.ndarray, np.generic)
_MOST_KEPT = 1000
_Programs = list["list[equations.Part] | None"]


class _Values:
    """The values of the targets in one staging, in their order, and the code around them."""

    def __init__(self, subject: Subject) -> None:
        self._files = subject.files
        nodes = {each.id: subject.syntax(each).node(each) for each in subject.of("freezes")}
        self._owners = {
            target: node.value.id
            for target, node in nodes.items()
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        self.attributes = {t.id: subject.syntax(t).attribute_of(t) for t in subject.of("freezes")}
        self.values: dict[int, list[Any]] = {}
        self.strings: dict[int, tuple[str, ...]] = {}
        self.owners: dict[int, Any] = {}

    def on_value(self, target: int, before: int, value: Any) -> Any:
        kept = self.values.setdefault(target, [])
        if before == len(kept) < _MOST_KEPT:
            kept.append(value)
        frame = None if before else user_frame(self._files)
        if frame is not None:
            self._look_around(target, frame)
        return value

    def _look_around(self, target: int, frame: types.FrameType) -> None:
        self.strings[target] = tuple(perturb.strings_of(frame.f_code))[:3]
        owner = self._owners.get(target)
        if owner is not None:
            self.owners[target] = frame.f_locals.get(owner)


@dataclass(frozen=True)
class _Replaced:
    """Replays what the targets were, and changes one of them."""

    subject: Subject
    values: _Values
    target: int = -1
    attempt: int = 0

    def on_value(self, target: int, before: int, value: Any) -> Any:
        kept = self.values.values.get(target, [])
        if before < len(kept) and isinstance(kept[before], _PLAIN):
            value = kept[before]
        if target != self.target:
            return value
        strings = self.values.strings.get(target, ())
        try:
            attribute = self.values.attributes[target]
            return perturb.perturbed(value, strings, self.attempt, attribute)
        except perturb.UnchangedError:
            return value


def native(subject: Subject) -> None:
    """Compares the programs that two values of each target lead to."""
    if subject.native.error is None:
        targets = [t for t in subject.of("freezes") if subject.native.watch.reached[t.id]]
        _compare(subject, targets, None)


def explored(subject: Subject, exploration: Exploration) -> None:
    """The same, with conversions stepped over."""
    targets = [
        target
        for target in subject.of("freezes")
        if exploration.watch.reached[target.id] and not subject.is_judged(target)
    ]
    _compare(subject, targets, exploration)


def _compare(subject: Subject, targets: Sequence[Target], exploration: Exploration | None) -> None:
    if not targets:
        return
    recorded = _Values(subject)
    before = _programs(subject, recorded.on_value, exploration)
    again = _programs(subject, _Replaced(subject, recorded).on_value, exploration)
    noise = [
        set() if one is None or other is None else equations.differing(one, other)
        for one, other in zip(before, again, strict=False)
    ]
    for target in targets:
        values = recorded.values.get(target.id, [])
        if not values:
            continue
        if all(value is None for value in values) and exploration is None:
            # What returns nothing is there for its effect.
            effects.judge(subject, [target])
            continue
        evidence = _frozen(subject, target, recorded, before, noise, exploration)
        if not evidence and exploration is None:
            evidence = _varying(subject, target, values) or evidence
        if evidence is None:
            continue
        if evidence and exploration is not None:
            evidence["after_sites"] = subject.earlier_lines(exploration)
            subject.observe(target, "next", **evidence)
        elif evidence:
            subject.observe(target, "shown", **evidence)
        elif _is_tried(subject, target, recorded):
            subject.observe(target, "absent", evaluations=len(values))
        else:
            subject.reasons[target.id] = "not every change of such a value was tried"


def _is_tried(subject: Subject, target: Target, recorded: _Values) -> bool:
    """Whether the values that were tried stand for all others: those of parts do not, nor those
    of one of several reads in a statement."""
    values = recorded.values[target.id]
    is_plain = all(isinstance(value, _PLAIN) or holds_tracer(value) for value in values)
    if is_plain and not subject.syntax(target).is_read_again(target):
        return True
    return _is_in_key(subject, target, recorded)


def _programs(subject: Subject, on_value: Any, exploration: Exploration | None) -> _Programs:
    """The program of one staging, or those of some explored runs; None where it did not end.

    The first part of that of one staging is what was printed.
    """
    watch = Watch(subject.files, on_value=on_value)
    if exploration is None:
        trace = subject.trace(watch)
        printed = [equations.Part("", trace.output)]
        return [None if trace.jaxpr is None else printed + equations.parts(trace.jaxpr)]
    found = subject.explore(watch, runs=8).programs
    return [None if each is None else equations.parts(each) for each in found]


def _frozen(
    subject: Subject,
    target: Target,
    recorded: _Values,
    before: _Programs,
    noise: list[set[int]],
    exploration: Exploration | None,
) -> dict[str, Any] | None:
    """Evidence that the program changes with the value; empty if it does not, None if unknown."""
    values = recorded.values[target.id]
    if all(holds_tracer(value) for value in values) or _is_in_key(subject, target, recorded):
        return {}
    outcome: dict[str, Any] | None = None
    for attempt in range(perturb.ROUNDS):
        changed = _first_change(
            values, recorded.strings.get(target.id, ()), attempt, recorded.attributes[target.id]
        )
        if changed is None:
            if outcome is None:
                kind = type(values[0]).__name__
                subject.reasons[target.id] = f"no other value of its {kind} is known"
            return outcome
        replaced = _Replaced(subject, recorded, target.id, attempt)
        after = _programs(subject, replaced.on_value, exploration)
        for one, other, ignored in zip(before, after, noise, strict=False):
            if one is None or other is None:
                continue
            outcome = {}
            places = equations.differing(one, other) - ignored
            if places:
                if places == {0} and exploration is None:
                    subject.reasons[target.id] = "it changes what is printed, not the program"
                    return None
                at = min(places - {0} if exploration is None else places)
                return {
                    "before": equations.text_at(one, at),
                    "after": equations.text_at(other, at),
                    "value": changed[0],
                    "changed": changed[1],
                }
    if outcome is None:
        subject.reasons[target.id] = "with another value the trace does not come to its end"
    return outcome


def _is_in_key(subject: Subject, target: Target, recorded: _Values) -> bool:
    """Whether another value makes JAX trace again.

    The value is a static argument, or an attribute of one that takes part in its hash or equality.
    """
    value = recorded.values[target.id][0]
    owner = value if hasattr(value, "__dict__") else recorded.owners.get(target.id)
    leaves = jax.tree_util.tree_leaves((subject.call.args, subject.call.kwargs))
    if not any(leaf is owner for leaf in leaves):
        owner = recorded.owners.get(target.id)
    if owner is None or not any(leaf is owner for leaf in leaves):
        return False
    node = subject.syntax(target).node(target)
    try:
        if owner is value:
            other = perturb.perturbed(value, (), 0, subject.syntax(target).attribute_of(target))
        else:
            other = copy.copy(owner)
            new = perturb.perturbed(value, (), 0)
            object.__setattr__(other, getattr(node, "attr", ""), new)
        same = copy.copy(owner)
        return bool(hash(same) == hash(owner) and same == owner and other != owner)
    except Exception:  # The user's own hash and equality may raise anything.
        return False


def _first_change(
    values: Sequence[Any], strings: tuple[str, ...], attempt: int, attribute: str
) -> tuple[str, str] | None:
    """The first value that can be replaced and what by, as text."""
    for value in values:
        try:
            new = perturb.perturbed(value, strings, attempt, attribute)
        except perturb.UnchangedError:
            continue
        return _text(value, attribute), _text(new, attribute)
    return None


def _varying(subject: Subject, target: Target, values: Sequence[Any]) -> dict[str, Any] | None:
    """Evidence that the value is another at each staging, as that of a clock is."""
    if not isinstance(subject.syntax(target).node(target), ast.Call):
        return None
    recorded = _Values(subject)
    subject.trace(Watch(subject.files, on_value=recorded.on_value))
    others = recorded.values.get(target.id, [])
    if len(values) != len(others) or not all(isinstance(value, _PLAIN) for value in values):
        return None
    unlike = [(one, other) for one, other in zip(values, others) if not _same(one, other)]  # noqa: B905
    if not unlike:
        return None
    first, second = (call.watch.reached[target.id] for call in effects.twice(subject))
    if second or not first:
        return None
    return {
        "value": _text(unlike[0][0]),
        "changed": _text(unlike[0][1]),
        "first_call": first,
        "second_call": second,
    }


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return type(one) is type(other) and bool(one == other)


def _text(value: Any, attribute: str = "") -> str:
    try:
        held = inspect.getattr_static(value, attribute, None)
        value = held if isinstance(held, _PLAIN) else value
        return shortened(" ".join(repr(value).split()))
    except Exception:  # The user's own `__repr__` may raise anything.
        return type(value).__name__
