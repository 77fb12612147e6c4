"""Effects of calls in traced code, as facts."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.dead_stores import is_never_read
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir


def effect(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, kind: str
) -> None:
    """Reports an effect in traced code."""
    if frame.trace.is_host or (kind == "clock" and is_never_read(frame.home().func, node)):
        return
    if not frame.trace.once:
        shows = frame.trace.kind == "shard"  # Each call shows what every device holds.
        if shows or not any(finds_traced(v) for v in args.values()):
            return
    trail = None
    operands: list[ir.Expr] = []
    for value, place in args.pairs():
        found = finds_traced(value)
        if found is not None:
            operands += value.places if isinstance(value, TracedString) else (place,)
            trail = trail or found.trail
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted.rpartition(".")[2]
    machine.emit(
        facts.Effect(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            trail,
            kind=kind,  # type: ignore[arg-type]
            callee=callee,
            dotted=dotted,
            conditional=machine.asks(CONDITIONS).conditions > 0,
            traced=operands[0] if operands else None,
            operands=tuple(operands),
        )
    )
