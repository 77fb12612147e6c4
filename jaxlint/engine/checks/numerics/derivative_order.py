"""What `value_and_grad` gives, taken apart in the wrong order: the names tell what each part is
taken for."""

from __future__ import annotations

from jaxlint.dataflow.names import assigned, dotted_text
from jaxlint.dataflow.structure import layout
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Transformed
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir


def taken_apart(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> None:
    """A function that differentiates was called."""
    record = func.record
    gives = record.wrapper.result
    if gives not in ("grad", "value_and_grad") or record.has_aux is None:
        return
    if gives == "grad" and not record.has_aux:
        return
    module = machine.sources.owner(node, machine.module)
    statement = layout(module.body).statement_of(node)
    targets, value = assigned(statement)
    pair = targets[0] if len(targets) == 1 and value is node else None
    if not isinstance(pair, ir.Sequence) or len(pair.items) != 2:
        return
    first, second = (_is_gradient(one) for one in pair.items)
    if None in (first, second) or first is second or first is (gives == "grad"):
        return
    name = next(dotted_text(one) for one in pair.items if _is_gradient(one))
    misused(machine, frame, node, "grad-order", record.dotted, name, unsure=True)


def _is_gradient(target: ir.Expr) -> bool | None:
    """Whether a name says that it is for gradients; None for `_` and what has no name."""
    if isinstance(target, ir.Sequence):
        return False
    name = dotted_text(target).rpartition(".")[2]
    return "grad" in name.lower() if name.strip("_") else None


CHECK = Check("derivative-order", on_transformed_result=taken_apart)
