"""Which of several traces a tracer belongs to, where code hands it to an object of code around.

`grad` and `vmap` make tracers of the arguments that they are given, and of what is computed from
those; another operation in their bodies gives a tracer of the trace around (`JVPTrace` and
`BatchTrace` in `jax/_src/interpreters` hand it to their `parent_trace`).
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Traced

_OWN_ALONE = frozenset({"ad", "batch", "vmap"})


def outlives(frames: Sequence[Frame], trace: Trace, home: Trace, value: Traced) -> bool:
    """Whether a tracer that code in `trace` keeps in an object of `home` is good there.

    It is where nothing says that it comes from what the traces between were given.
    """
    between: list[Trace] = []
    current: Trace | None = trace
    while current is not None and current is not home:
        if current.kind not in _OWN_ALONE:
            return False
        between.append(current)
        current = current.parent
    if current is None or home.is_host or not home.staged:
        return False
    own = {id(p) for f in frames if f.trace in between and f.func for p in f.func.params}
    step = value.trail
    while True:
        if id(step.node) in own:
            return False
        if step.parent is None:
            return not (step.name and any(step.entry is one.entry for one in between))
        step = step.parent


def always_runs(frames: Sequence[Frame], trace: Trace) -> bool:
    """Whether what runs does so in each run of the code of a trace."""
    inside = [frame for frame in frames if frame.trace is trace]
    return all(one.path is one.start and not one.parted for one in inside)


def runs_once_in(frames: Sequence[Frame], owner: Frame) -> bool:
    """Whether the running code runs exactly once where `owner` stands now."""
    for frame in reversed(frames):
        if frame is owner:
            return not owner.trace.is_host
        if frame.path is not frame.start or frame.loop is not None or frame.parted:
            return False
    return False
