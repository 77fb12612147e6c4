"""Whether flagged code runs while JAX traces and not when the compiled function is called."""

from __future__ import annotations

from jaxlint.verify.child.experiments.holders import Holders, is_unknown, writes_inside
from jaxlint.verify.child.experiments.subject import Exploration, Subject, Trace, first_line
from jaxlint.verify.child.experiments.watch import Watch


def native(subject: Subject) -> None:
    """Calls one jitted function twice and counts."""
    targets = [t for t in subject.of("effects") if subject.native.watch.reached[t.id]]
    if not targets:
        return
    holders = Holders(subject)
    calls = twice(subject, holders)
    for target in targets:
        first, second = (call.watch.reached[target.id] for call in calls)
        if is_unknown(holders, target):
            continue
        evidence = {"first_call": first, "stdout": calls[0].output}
        error = calls[0].error
        if error is None:
            evidence["second_call"] = second
        else:
            evidence.update(error=type(error).__name__, message=first_line(error))
        if not first or (second and error is None) or writes_inside(holders, target):
            evidence["evaluations"] = first
            subject.observe(target, "absent", **evidence)
        else:
            subject.observe(target, "shown", **evidence)


def explored(subject: Subject, exploration: Exploration, holders: Holders) -> None:
    """Judges the code behind conversions: it was staged once these were stepped over."""
    for target in subject.of("effects"):
        count = exploration.watch.reached[target.id]
        if not count or subject.is_judged(target) or is_unknown(holders, target):
            continue
        if writes_inside(holders, target):
            subject.observe(target, "absent", evaluations=count)
        else:
            lines = subject.earlier_lines(exploration)
            subject.observe(target, "next", evaluations=count, after_sites=lines)


def twice(subject: Subject, holders: Holders | None = None) -> tuple[Trace, Trace]:
    """Two calls of one jitted function, by shapes only. The caches are cleared before the first."""
    on_reach = None if holders is None else holders.on_reach
    action = subject.jitted()
    first = subject.run(action, Watch(subject.files, on_reach=on_reach))
    return first, subject.run(action, Watch(subject.files))
