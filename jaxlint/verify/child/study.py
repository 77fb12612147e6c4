"""Puts one call with abstract arguments to JAX and tells what that shows of each finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import Call, fresh
from jaxlint.verify.child.experiments import (
    donates,
    effects,
    freezes,
    keys,
    leaks,
    raises,
    recompiles,
    unrolls,
)
from jaxlint.verify.child.experiments.evidence import outside, undo
from jaxlint.verify.child.experiments.evidence.holders import Holders
from jaxlint.verify.child.experiments.evidence.subject import Subject, first_line, quiet
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.protocol import Config, Hazard, Observation, Source, Target

_EXPERIMENTS: dict[Hazard, Callable[[Subject], None]] = {
    "raises": raises.native,
    "freezes": freezes.native,
    "recompiles": recompiles.native,
    "unrolls": unrolls.native,
    "donates": donates.native,
    "reuses-key": keys.native,
}
"""What each kind of hazard is put to after the first trace, but for effects, which need what that
trace wrote to. Leaks are looked for right after it."""


def study(
    call: Call,
    targets: Sequence[Target],
    probes: Probes,
    files: UserFiles,
    *,
    source: Source,
    config: Config,
    assumption: str = "",
    is_entry: bool = False,
    is_outermost: bool = True,
    remains: leaks.Remains | None = None,
    sink: Callable[[Observation], None] | None = None,
    explain: Callable[[Target, str], None] | None = None,
) -> list[Observation]:
    """What staging the call shows about the targets that it reaches.

    The user's function runs many times, never with real arrays unless `config.execute` is set.
    Globals get their values back where tracers leaked into them. `sink` is told each observation
    once it is made, without the traced program: they hold even if a time-out ends the study.
    `explain` is told why there is none of a target that was reached. `is_entry` tells that a
    transform was given the function, whose result JAX then judges, `is_outermost` that no other
    function of the user's was being traced when it was called so. `remains` is what the studies
    of one process have left behind.
    """
    subject = Subject(
        call,
        targets,
        probes,
        files,
        config,
        source=source,
        assumption=assumption,
        is_entry=is_entry,
        is_outermost=is_outermost,
        sink=sink,
    )
    remains = remains or leaks.Remains()
    with remains.kept_apart(subject):
        _experiment(subject, remains)
    _note_eager(subject)
    if explain is not None:
        _explain(subject, explain)
    return [_with_program(subject, each) for each in subject.observations.values()]


def _experiment(subject: Subject, remains: leaks.Remains) -> None:
    files = subject.files
    with undo.globals_kept(files), undo.emptied(Holders(subject)) as holders:
        _trace(subject, holders, remains)
    if subject.of("effects"):
        with undo.globals_kept(files):
            effects.native(subject, holders)
    for hazard, experiment in _EXPERIMENTS.items():
        if subject.of(hazard):
            with undo.globals_kept(files):
                experiment(subject)
    if subject.native.error is not None:
        _look_behind(subject)


def _trace(subject: Subject, holders: Holders, remains: leaks.Remains) -> None:
    """The first trace, as JAX does it, and what it left behind."""
    watch = effects.Effects(subject, subject.of("effects"), holders)
    subject.native = subject.trace(watch)
    holders.close()
    leaks.native(subject, holders, remains)


def _look_behind(subject: Subject) -> None:
    """Steps over what stopped the first trace."""
    if not all(subject.is_judged(target) for target in subject.targets):
        with undo.globals_kept(subject.files):
            raises.stepped(subject)
    if all(subject.is_judged(target) for target in subject.targets):
        return
    with undo.globals_kept(subject.files), undo.emptied(Holders(subject)) as watched:
        with outside.counted():
            exploration = subject.explore(effects.Effects(subject, subject.of("effects"), watched))
        watched.close()
        leaks.explored(subject, exploration, watched)
    if not exploration.found.sites:
        return
    raises.explored(subject, exploration)
    effects.explored(subject, exploration, watched)
    with undo.globals_kept(subject.files):
        freezes.explored(subject, exploration)
        unrolls.explored(subject, exploration)
        recompiles.explored(subject)
        keys.explored(subject)


def _note_eager(subject: Subject) -> None:
    watch = subject.native.watch
    for target in subject.targets:
        is_eager = watch.eager[target.id] and not watch.reached[target.id]
        if is_eager and not subject.is_judged(target):
            subject.observe(target, "eager", evaluations=watch.eager[target.id])


def _explain(subject: Subject, explain: Callable[[Target, str], None]) -> None:
    trace = subject.native
    for target in subject.targets:
        reason = subject.reasons.get(target.id, "")
        if not reason and trace.error is not None:
            line = f" in line {trace.places[-1].line}" if trace.places else ""
            reason = f"the trace ended with {type(trace.error).__name__}{line}"
            reason += f": {text}" if (text := first_line(trace.error)) else ""
        if reason and trace.watch.reached[target.id] and not subject.is_judged(target):
            explain(target, reason)


def _with_program(subject: Subject, observation: Observation) -> Observation:
    """The observation with the whole traced program, if that was asked for."""
    if not subject.config.program or subject.native.jaxpr is None:
        return observation
    if observation.outcome == "eager":
        return observation
    evidence: dict[str, Any] = {**observation.evidence, "program": _program(subject)}
    return replace(observation, evidence=evidence)


def _program(subject: Subject) -> str:
    if subject.config.program == "jaxpr":
        return str(subject.native.jaxpr)
    internals.clear_caches()
    new = fresh(subject.call)
    with quiet():
        return str(jax.jit(new.fn).lower(*new.args, **new.kwargs).as_text())
