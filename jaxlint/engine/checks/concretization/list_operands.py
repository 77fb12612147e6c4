"""Lists where JAX takes an array: it converts none by itself.

Source: JAX documentation, "The Sharp Bits", on inputs that are no arrays.
"""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Sequence, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import refuse
from jaxlint.knowledge.arrays.operands import REFUSES_LISTS
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir


def check_list_index(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Value, index: Value, update: bool
) -> None:
    """A list is no index; within a tuple of indices it is."""
    if _is_list(index, ("list", "range")):
        refuse(machine, frame, node.index, "list-index")


def check_operands(
    machine: Machine,
    frame: Frame,
    spec: FunctionSpec,
    dotted: str,
    callee: str,
    bound: dict[str, tuple[Value, ir.Expr]],
) -> None:
    """A list or tuple where a function of `jax.numpy` takes an array."""
    for name in REFUSES_LISTS.get(dotted, ()):
        value, place = bound.get(name, (None, None))
        if value is None or place is None:
            continue
        # A tuple that comes from elsewhere may stand for an array that a library makes of it.
        display = isinstance(place, ir.Sequence) and _is_list(value, ("tuple",))
        if display or _is_list(value, ("list",)):
            refuse(machine, frame, place, "list-operand", name, callee=callee)
            return


def _is_list(value: Value, kinds: tuple[str, ...]) -> bool:
    return type(value) is Sequence and value.kind in kinds


CHECK = Check(
    "list-operands",
    on_index=check_list_index,
    on_array_call=check_operands,
)
