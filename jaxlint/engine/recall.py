"""What is remembered of a call, and what it is to another one."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.engine.state import Trace
from jaxlint.engine.trail import Trail
from jaxlint.engine.trees import strongest
from jaxlint.engine.values import Traced, Value
from jaxlint.syntax import ir


@dataclass(slots=True)
class Known:
    """The result of a call, when it ran, and the arguments that it ran with."""

    trace: Trace
    result: Value
    age: int
    given: dict[str, Value]


def retrailed(value: Value, node: ir.Expr, env: dict[str, Value], trace: Trace) -> Value:
    """A memoised result seen from another call: its trail is that of this call's arguments."""
    if not isinstance(value, Traced) or value.trail.entry is trace.entry:
        return value
    source = strongest(list(env.values()))
    if source is not None:
        trail = Trail(node, source.trail, source.trail.entry, call=True)
    elif trace.entry is not None:
        trail = Trail(node, None, trace.entry, function=trace.entry.function)
    else:
        return value
    return Traced(trail, value.kind, value.dtype, value.rank, value.leaf)
