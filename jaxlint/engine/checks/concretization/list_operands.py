"""Lists where JAX takes an array: it converts none by itself.

Source: JAX documentation, "The Sharp Bits", on inputs that are no arrays.
"""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Sequence, Value
from jaxlint.engine.evaluation.peek import peek
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
    if _is_of(index, ("list", "range")) or _is_made(machine, frame, node.index, ("list",)):
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
        if is_list(machine, frame, value, place):
            refuse(machine, frame, place, "list-operand", name, callee=callee)
            return


def is_list(
    machine: Machine,
    frame: Frame,
    value: Value,
    place: ir.Expr,
    kinds: tuple[str, ...] = ("list", "tuple"),
) -> bool:
    """Whether a value is certainly a list, or a tuple where that is asked for. One that comes from
    elsewhere may stand for an array that a library makes of it."""
    if _is_made(machine, frame, place, kinds) or _is_of(value, ("list",)):
        return True
    return isinstance(place, ir.Sequence) and "tuple" in kinds and _is_of(value, ("tuple",))


def _is_made(machine: Machine, frame: Frame, place: ir.Expr, kinds: tuple[str, ...]) -> bool:
    """Whether a list is made right here, whatever of: `list(xs)`."""
    if not isinstance(place, ir.Call) or not isinstance(place.func, ir.Name):
        return False
    if place.func.id not in kinds:
        return False
    func = peek(machine, frame, place.func)
    return isinstance(func, LibraryName) and func.dotted == f"builtins.{place.func.id}"


def _is_of(value: Value, kinds: tuple[str, ...]) -> bool:
    return type(value) is Sequence and value.kind in kinds


CHECK = Check(
    "list-operands",
    on_index=check_list_index,
    on_array_call=check_operands,
)
