"""Traces of JAX inside code that a library runs, which keeps what is made in them."""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused

# Kinds of traces in which what JAX computes is a tracer, whatever it is computed from.
_STAGING = frozenset({"jit", "remat", "staged"})


def staged_inside(frame: Frame, run: Trace, lifted: str) -> Trace | None:
    """The innermost trace of JAX's own inside a run of the library; those of transforms that the
    library lifts, whose names begin with `lifted`, are none."""
    trace: Trace | None = frame.trace
    while trace is not None and trace is not run:
        entry = trace.entry
        if trace.kind in _STAGING and entry is not None:
            how = entry.application
            if not (how.transform.startswith(lifted) or how.is_abstract_evaluation):
                return trace
        trace = trace.parent
    return None


def outlives(machine: Machine, trace: Trace, kind: str, subject: str, detail: str = "") -> None:
    """Reports, at the transform, that the library keeps what is made in its trace."""
    entry = trace.entry
    if entry is not None and is_uncaught(machine):
        misused(machine, (entry.function, entry), entry.node, kind, subject, detail)
