"""Tracers where a concrete value is needed: truth, numbers, bounds, shapes."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Traced, Value, as_traced
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# What a tracer of `grad` answers, since it carries a value (JAX documentation, "Automatic
# differentiation": Python control flow works under `grad`).
AD_ANSWERS = frozenset(
    {
        "if",
        "ifexp",
        "while",
        "assert",
        "and",
        "or",
        "not",
        "chain",
        "filter",
        "in",
        "order",
        "count",
    }
)
# Uses that fail for every container too, so a parameter that may be a pytree fails anyway.
FAILS_FOR_TREES = frozenset({"cast", "count", "format", "in", "math", "subscript"})
# A tracer with a value has an `int`, which `%` formats.
INTEGER_FORMATS = frozenset({"%d", "%i", "%o", "%u", "%x", "%X", "%c"})


def _fails_for_trees(sink: str, dotted: str) -> bool:
    if sink == "numpy":
        return dotted.rpartition(".")[2] not in lookup.CONVERTERS
    return sink in FAILS_FOR_TREES


def demand(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    value: Value,
    sink: facts.Sink,
    callee: str = "",
    dotted: str = "",
    container: str = "",
    numbers: bool = False,
) -> bool:
    """Reports a traced value where Python needs a concrete one; whether it did."""
    traced = as_traced(value)
    if traced is None or frame.trace.is_host:
        return machine.tally.asked(frame, node, value, sink)
    if not (traced.leaf or machine.guesses or _fails_for_trees(sink, dotted)):
        return False
    if (traced.kind == "ad" or _is_shared(traced)) and ad_answers(sink, dotted):
        return False
    machine.counters.demands += 1
    machine.counters.demanded = frame
    machine.emit(
        facts.Concretized(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            traced.trail,
            sink=sink,
            callee=callee,
            dotted=dotted,
            container=container,
            scalar=None if traced.rank is None else traced.rank == 0,
            dtype=traced.dtype,
            numbers=numbers,
        )
    )
    return True


def _is_shared(traced: Traced) -> bool:
    """Whether this is a tracer of eager `shard_map` with one value for all devices, which it gives
    away."""
    spread = traced.trail.spread
    return traced.kind == "batch" and spread is not None and spread.is_even


def ad_answers(sink: str, dotted: str) -> bool:
    """Whether a tracer of eager differentiation has an answer: it has a value to give."""
    if sink in AD_ANSWERS:
        return True
    if sink == "format":
        return dotted in INTEGER_FORMATS
    if sink == "cast":
        return dotted not in ("builtins.float", "builtins.complex")
    return (sink == "method" and dotted == "item") or sink == "subscript"


def needs_shape(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    value: Value,
    need: facts.Need,
    callee: str = "",
    dotted: str = "",
    parameter: str = "",
    unsure: bool = False,
) -> bool:
    """Reports a traced value that decides a shape, or may (`unsure`); whether it did."""
    traced = as_traced(value)
    if traced is None or traced.kind == "ad" or frame.trace.is_host or _is_shared(traced):
        return False
    machine.counters.demands += 1
    machine.emit(
        facts.ShapeNeeded(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            traced.trail,
            need=need,
            callee=callee,
            dotted=dotted,
            parameter=parameter,
        ),
        unsure,
    )
    return True
