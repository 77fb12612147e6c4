"""Whether JAX refuses the flagged expression: as it is, and behind what stops the trace first."""

from __future__ import annotations

import dis
import re
from typing import Any

import jax
import numpy as np

from jaxlint.verify.child import internals
from jaxlint.verify.child.experiments.evidence import culprits
from jaxlint.verify.child.experiments.evidence.subject import (
    Exploration,
    Subject,
    Trace,
    depends_on,
    first_line,
    is_a,
    place_of,
)
from jaxlint.verify.child.experiments.evidence.watch import Watch
from jaxlint.verify.protocol import Target

_MOST_STEPS = 16
_UNTESTED = "it ran, and what may raise is outside of what was traced"
_INVENTED = "it ran with invented arguments, and what may raise depends on their types and shapes"
_ERRORS: dict[str, tuple[str, ...]] = {
    "bool": ("TracerBoolConversionError", "ConcretizationTypeError"),
    "int": ("ConcretizationTypeError", "TracerIntegerConversionError"),
    "index": ("TracerIntegerConversionError", "ConcretizationTypeError"),
    "float": ("ConcretizationTypeError",),
    "complex": ("ConcretizationTypeError",),
    "array": ("TracerArrayConversionError",),
    "item": ("ConcretizationTypeError",),
    "tolist": ("ConcretizationTypeError",),
    "hash": ("TypeError",),
    "format": ("TypeError",),
    "mask": ("NonConcreteBooleanIndexError", "IndexError"),
    "slice": ("IndexError", "TracerIntegerConversionError", "TracerArrayConversionError"),
    "shape": ("ConcretizationTypeError", "TracerIntegerConversionError", "TypeError"),
}
"""The classes of the errors that JAX of any version raises for each kind of site."""


def native(subject: Subject) -> None:
    """Judges what the first, untouched trace shows."""
    trace = subject.native
    for target in _refused(subject, trace, frozenset()):
        subject.observe(target, "shown", **_error_evidence(trace))
    reached = [each for each in subject.of("raises") if trace.watch.reached[each.id]]
    if reached and trace.error is None and subject.is_entry:
        trace = subject.trace(Watch(subject.files), entry=True)
    for target in reached:
        if subject.is_shown(target):
            continue
        is_behind = trace.is_entry and not trace.places
        if target.anywhere or (is_behind and trace.error is not None):
            _judge_elsewhere(subject, target, trace)
        elif subject.passed(target, trace):
            _observe_absent(subject, target, trace)


def _observe_absent(subject: Subject, target: Target, trace: Trace) -> None:
    """The target ran and raised nothing.

    Where it asks for a value, it is enough that the argument is traced. Any other error depends on
    types and shapes, and those that are invented are not the program's.
    """
    asks = any(each.__name__ in target.errors for each in internals.CONVERSION_ERRORS)
    if subject.source == "invented" and not asks:
        subject.reasons[target.id] = _INVENTED
    else:
        subject.observe(target, "absent", evaluations=trace.watch.reached[target.id])


def _judge_elsewhere(subject: Subject, target: Target, trace: Trace) -> None:
    """Judges a target whose error may come from another place, be it behind the function."""
    if trace.error is None:
        if culprits.is_tested(subject, target):
            _observe_absent(subject, target, trace)
        else:
            subject.reasons[target.id] = _UNTESTED
        return
    is_jax = is_a(trace.error, target.errors) and not _is_raised_by_user(subject, trace.error)
    if is_jax and culprits.is_due(subject, target, trace):
        subject.observe(target, "shown", **_error_evidence(trace))
    elif not target.anywhere:
        _observe_absent(subject, target, trace)
    else:
        error = type(trace.error).__name__
        subject.reasons[target.id] = f"{error} was raised, and nothing shows that this is why"


def stepped(subject: Subject) -> None:
    """Replaces the value of each refused expression and stages again, as long as that helps."""
    trace, lines = subject.native, []
    refused = _refused(subject, trace, frozenset())
    known: frozenset[int] = frozenset()
    while refused and len(known) < _MOST_STEPS:
        new = {t.id for t in refused if trace.watch.delivered[t.id]} - known
        if not new:
            return
        known |= new
        lines.append(trace.places[-1].line)
        trace = _with_known(subject, known)
        refused = _refused(subject, trace, known)
        for target in refused:
            if not subject.is_shown(target):
                evidence = _error_evidence(trace)
                subject.observe(target, "next", after_sites=sorted(set(lines)), **evidence)


def _with_known(subject: Subject, targets: frozenset[int]) -> Trace:
    """A staging in which the values of some targets are no tracers."""

    def known(target: int, before: int, value: Any) -> Any:
        return _known(value, before) if target in targets else value

    return subject.trace(Watch(subject.files, on_value=known))


def explored(subject: Subject, exploration: Exploration) -> None:
    """Judges the sites behind the first: those that the explorer stepped over."""
    for site, sighting in exploration.found.sites.items():
        for target in subject.matcher.match(site.place):
            if target.hazard != "raises" or subject.is_shown(target):
                continue
            if site.place.column is None and not _may_be_at(target, exploration.watch):
                continue
            error = sighting.error or _ERRORS.get(site.kind, ("",))[0]
            if not set(target.errors) & {error, *_ERRORS.get(site.kind, ())}:
                continue
            if sighting.guarded:
                subject.observe(target, "absent", site=site.kind)
                continue
            subject.observe(
                target,
                "next",
                site=site.kind,
                error=error,
                message=sighting.message,
                place=place_of(site.place),
                after_sites=sorted({each.place.line for each in sighting.after}),
            )


def _refused(subject: Subject, trace: Trace, known: frozenset[int]) -> list[Target]:
    """The targets at which JAX ended a trace, in which the values of some were `known`."""
    failing = _failing(subject, trace)
    if internals.is_refusal(trace.error) and not _is_raised_by_user(subject, trace.error):
        return failing
    return [target for target in failing if _is_of_tracer(subject, target, trace, known)]


def _failing(subject: Subject, trace: Trace) -> list[Target]:
    """The targets at which an error of their classes ended a trace."""
    if trace.error is None or not trace.places:
        return []
    is_line = trace.places[-1].column is None
    return [
        target
        for target in subject.matcher.match(trace.places[-1])
        if target.hazard == "raises"
        and not target.anywhere
        and is_a(trace.error, target.errors)
        and (not is_line or _may_be_at(target, trace.watch))
    ]


def _may_be_at(target: Target, watch: Watch) -> bool:
    """Whether a target in the line of an error may be what raised it.

    It began, and did not end with a value that JAX knows.
    """
    return watch.reached[target.id] > watch.delivered[target.id] or watch.traced[target.id] > 0


def _is_of_tracer(subject: Subject, target: Target, trace: Trace, known: frozenset[int]) -> bool:
    """Whether an error of a common class is about a tracer, and not the user's or any other.

    Without a tracer in the flagged value it does not happen; JAX's words decide where the flagged
    code has none.
    """
    assert trace.error is not None
    if _is_raised_by_user(subject, trace.error):
        return False
    text = str(trace.error)
    if not trace.watch.traced[target.id]:
        return _OF_TRACERS.search(text) is not None and _OF_ANYTHING.search(text) is None
    if _TRUTH in text:
        return True
    return target not in _failing(subject, _with_known(subject, known | {target.id}))


_TRUTH = "truth value"
_OF_TRACERS = re.compile(rf"concrete|static|[Tt]race[rd]|hashable|real number|{_TRUTH}")
_OF_ANYTHING = re.compile("unsupported operand|argument|not (callable|iterable|subscriptable)")


def _is_raised_by_user(subject: Subject, error: BaseException | None) -> bool:
    """Whether a `raise` in the user's code made the error."""
    step = error.__traceback__ if error is not None else None
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or step.tb_frame.f_code.co_filename not in subject.files:
        return False
    return dis.opname[step.tb_frame.f_code.co_code[step.tb_lasti]] == "RAISE_VARARGS"


def _error_evidence(trace: Trace) -> dict[str, Any]:
    assert trace.error is not None
    return {
        "error": type(trace.error).__name__,
        "message": first_line(trace.error),
        "depends_on": depends_on(trace.error),
        "place": place_of(trace.places[-1]) if trace.places else "",
    }


def _known(value: Any, before: int) -> Any:
    """The value with an array of ones, or the number one, in place of each tracer.

    Truth values alternate, so that loops end.
    """

    def replaced(leaf: Any) -> Any:
        is_tracer = isinstance(leaf, internals.Tracer)
        if not is_tracer:
            return leaf
        try:
            if leaf.dtype == np.bool_ and before % 2:
                return np.zeros(leaf.shape, leaf.dtype)[()]
            return np.ones(leaf.shape, leaf.dtype)[()]
        except TypeError:  # A type that NumPy lacks, such as that of random keys.
            return leaf

    return jax.tree_util.tree_map(replaced, value)
