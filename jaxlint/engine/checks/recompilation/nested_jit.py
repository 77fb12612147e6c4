"""Compiled functions that only compiled functions call."""

from __future__ import annotations

from collections import Counter

from jaxlint.engine.domain.values import Function
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.transformed import TransformUse, function_name


def after(machine: Machine) -> None:
    """Reports what is jitted though another function that is jitted calls it, once, and nothing
    else does."""
    for record in machine.uses():
        if not isinstance(record.func, Function) or record.func.node.is_lambda:
            continue
        if record.dotted != "jax.jit" or not record.trace.is_host:
            continue
        if record.imported or record.frame.root is not machine.globals:
            continue
        around = _caller(record)
        if around is None or "inline" in machine.module.text_of(record.node):
            continue
        name, caller = record.func.node.name, function_name(around.func)
        misused(machine, record.frame, record.node, "redundant-jit", name, caller)


def _caller(record: TransformUse) -> TransformUse | None:
    """The one compiled function that calls another one, and calls it once."""
    if not record.calls or record.escaped or record.wrapped or record.expected:
        return None
    traces = [frame.trace for _, _, frame in record.calls]
    if any(trace.is_host for trace in traces) or any(loop for _, loop, _ in record.calls):
        return None
    if max(Counter(map(id, traces)).values()) > 1:
        return None
    callers = {id(trace.compiled): trace.compiled for trace in traces}
    found = callers.popitem()[1] if len(callers) == 1 else None
    return found if isinstance(found, TransformUse) and found is not record else None


CHECK = Check(
    "nested-jit",
    on_finish=after,
)
