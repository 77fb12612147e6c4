"""Arithmetic of plain numbers that is left to JAX."""

from __future__ import annotations

from jaxlint.engine.arguments import Args
from jaxlint.engine.bindings import dotted_text
from jaxlint.engine.machine import Machine
from jaxlint.engine.misuse import misused
from jaxlint.engine.state import Frame
from jaxlint.engine.trees import is_number
from jaxlint.knowledge.dispatch import NAMESAKES
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
