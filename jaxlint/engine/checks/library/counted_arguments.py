"""Arguments that a call has to pass by position, since a transform counts them, and does not."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.knowledge.declarations import COUNTED
from jaxlint.syntax import ir


def check(machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args) -> None:
    """A function is called of which a transform has arguments by their numbers alone: those that
    go by name, or are left to their defaults, have none."""
    option = COUNTED.get(record.dotted)
    if option is None or args.rest is not None or record.refused or machine.dynamic.idle:
        return
    count = len(args.positional)
    numbers = record.argnums if record.wrapper.kind == "ad" else record.numbers
    missing = [one for one in numbers or () if not -count <= one < count]
    if not missing:
        return
    at = (machine.module, node, frame.name, frame.trace.entry)
    fact = facts.InvalidOption(*at, kind="call", callee=record.dotted, option=option)
    fact.target, fact.detail = function_name(record.func), str(count)
    fact.given = ", ".join(map(str, sorted(missing)))
    machine.emit(fact)
