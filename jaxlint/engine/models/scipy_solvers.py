"""Solvers of SciPy in traced code: what they are given, and what the function returns that they
call, they convert to arrays of NumPy."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Bound, Function, NumPy, Partial, Sequence, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.host.solvers import SOLVERS, Solver
from jaxlint.syntax import ir

_CALLED = (Bound, Function, Partial)


def converted(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Reports what a solver cannot convert: its data, or else what its function returns."""
    solver = SOLVERS[dotted]
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
    for name, at in solver.data:
        value, place = args.get(at, name), args.node(at, name, node)
        if value is not None and demand(machine, frame, place, value, "numpy", callee, dotted):
            return
    name, at = solver.function
    func = args.get(at, name)
    if isinstance(func, _CALLED):
        value = machine.call(frame, node, func, _arguments(solver, args, node))
        place = args.node(at, name, node)
        demand(machine, frame, place, value, "numpy", callee, dotted, "function")


def _arguments(solver: Solver, args: Args, node: ir.Expr) -> Args:
    """What a solver calls its function with: numbers of NumPy, and what its caller adds."""
    given: list[Value] = [NumPy("float") for _ in range(solver.calls_with)]
    more = args.keywords.get("args")
    if isinstance(more, Sequence):
        given += more.items or []
    elif more is not None:
        given.append(more)
    return Args(given, nodes=[node] * len(given))
