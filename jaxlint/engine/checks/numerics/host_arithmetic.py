"""Arithmetic of plain numbers that is left to JAX."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_number
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.host.costs import NAMESAKES
from jaxlint.syntax import ir


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """One of `NAMESAKES` is called."""
    if args.keywords or not args.positional or not isinstance(node, ir.Call):
        return
    if args.rest is not None or args.more is not None:
        return
    if not all(map(is_number, args.positional)):
        return
    misused(machine, frame, node, "number-operand", dotted_text(node.func), NAMESAKES[dotted])


CHECK = Check(
    "host-arithmetic",
    on_library_call=(Named(called, NAMESAKES),),
)
