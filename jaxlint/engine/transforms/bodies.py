"""Bodies of control flow, which run at once in a trace of their own."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace, TraceKind
from jaxlint.engine.domain.values import Iterator, Unknown, Value
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import entry_of, function_name
from jaxlint.engine.transforms import carries, contracts
from jaxlint.engine.transforms.trace_boundary import announce, enter, run_in
from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.transforms import LOOPS, OPERATORS
from jaxlint.syntax import ir

_AS_CALLED = frozenset(name for name, one in OPERATORS.items() if not one.once)


def body_trace(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    func: Value,
    kind: TraceKind = "staged",
) -> Trace:
    """The trace in which a body runs."""
    how = EntryKind.DIFFERENTIATED if kind == "ad" else EntryKind.TRACED
    entry = entry_of(node, how.by(short(dotted)), func)
    once = dotted.startswith(("jax.lax.", "hk.", "eqxi.", "nn.")) and dotted not in _AS_CALLED
    return Trace(kind, frame.trace, entry, staged=kind == "staged", once=once)


def short(dotted: str) -> str:
    """A name as messages say it."""
    return dotted.replace("jax.lax.", "lax.")


def run_body(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, func: Value, values: list[Value]
) -> Value:
    """Runs one body on arguments that become traced; its result inside the trace."""
    if isinstance(func, Unknown):
        return func
    trace = body_trace(machine, frame, node, dotted, func)
    name = function_name(func)
    for value in values:
        announce(machine, frame, node, dotted, value)
    inside = [body_argument(machine, trace, node, func, at, name, v) for at, v in enumerate(values)]
    result = run_in(machine, trace, node, func, Args(inside, nodes=[node] * len(inside)))
    contracts.check_arrays(machine, trace, func, result)
    if dotted in LOOPS:
        carries.check_shape(machine, frame, node, dotted, inside, result)
    return result


def body_argument(
    machine: Machine, trace: Trace, node: ir.Expr, func: Value, at: int, name: str, value: Value
) -> Value:
    """An argument as a body sees it."""
    params = [p for p in signature(func) if p.kind in ("plain", "positional")]
    param = params[at] if at < len(params) else None
    known = value if not isinstance(value, Iterator) else machine.unknown("iterator")
    return enter(machine, trace, param or node, param.name if param else "", name, known)
