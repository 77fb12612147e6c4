"""Dispatch: the transfer functions of syntax, and the result of a JAX operation."""

from __future__ import annotations

from jaxlint.dataflow.budget import EVALUATION, METER, STATEMENT, OverBudgetError
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import (
    WHOLE,
    beneath,
    is_plain,
    is_surely_traced,
    source,
    strongest,
)
from jaxlint.engine.domain.special_values import OPERATION
from jaxlint.engine.domain.spreads import computed
from jaxlint.engine.domain.values import Concrete, Traced, Union, Unknown, Value
from jaxlint.engine.machine.state import State
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir


class Dispatch(State):
    """Runs expressions, statements, calls and operations."""

    def eval(self, frame: Frame, node: ir.Expr) -> Value:
        """The abstract value of an expression."""
        METER.left -= EVALUATION
        if METER.left < 0:
            raise OverBudgetError
        return self.semantics.evaluators[type(node)](self, frame, node)

    def block(self, frame: Frame, body: tuple[ir.Stmt, ...]) -> bool:
        """Runs statements; False when control does not fall out at the end."""
        executors = self.semantics.executors
        METER.spend(STATEMENT * len(body))
        # A loop, not `all`: that would take native stack for each level of nesting.
        for statement in body:  # noqa: SIM110
            if not executors[type(statement)](self, frame, statement):
                return False
        return True

    def call(self, frame: Frame, node: ir.Expr, func: Value, args: Args) -> Value:
        """The result of calling a value."""
        return self.semantics.call(self, frame, node, func, args)

    def unknown(self, reason: str) -> Unknown:
        """An unknown value, counted by its reason."""
        self.collected.unknowns[reason] = self.collected.unknowns.get(reason, 0) + 1
        return Unknown(reason)

    def arrived(self, frame: Frame, node: ir.If) -> None:
        """Code comes to an `elif`, which no executor is asked for."""

    # -- operations ---------------------------------------------------------------------------

    def is_staged(self, frame: Frame) -> bool:
        """Whether a JAX operation on concrete values gives a tracer here."""
        return frame.trace.staged and not self.dynamic.compile_time

    def operation(
        self,
        frame: Frame,
        node: ir.Node,
        operands: list[Value],
        dtype: str = "",
        rank: int | None = None,
    ) -> Value:
        """The result of a JAX operation: a tracer in staged code or from one, else concrete."""
        self.tally.operated(frame, node)
        if self.dynamic.watch is not None:
            self.dynamic.watch(frame, node, operands)
        for heard in self.checks.computation:
            heard(self, frame, node, operands)
        operands = operands if frame.trace.staged else beneath(operands)
        from_traced = strongest(operands)
        if from_traced is not None:
            return _of_tracers(frame, node, operands, from_traced, dtype, rank)
        if frame.trace.staged and not self.dynamic.compile_time and frame.trace.entry is not None:
            made = Provenance(node, None, frame.trace.entry, function=frame.name)
            if frame.trace.shards is not None:
                made.spread = computed(operands)
            return Traced(made, "abstract", dtype, rank)
        if any(not is_plain(v) for v in operands):
            return self.unknown(OPERATION)
        return Concrete(dtype, rank)


def _of_tracers(
    frame: Frame,
    node: ir.Node,
    operands: list[Value],
    strong: Traced,
    dtype: str,
    rank: int | None,
) -> Value:
    """The result of an operation on tracers, of which `strong` decides."""
    kind = "abstract" if frame.trace.staged else strong.kind
    if kind != "abstract" and not any(map(is_surely_traced, operands)):
        return Union((Traced(strong.trail, kind, dtype, rank), Concrete(dtype, rank)))
    if kind == "ad" and dtype in WHOLE:
        return Concrete(dtype, rank)  # Without a derivative: only the value goes on.
    origin = source(operands, strong, frame.trace.entry).trail
    made = Provenance(node, origin, origin.entry)
    if frame.trace.shards is not None:
        made.spread = computed(operands)
    return Traced(made, kind, dtype, rank)
