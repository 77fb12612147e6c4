"""How long the axes of a mesh are, as the array of devices tells that it is made of.

Source: JAX documentation of `jax.sharding.Mesh` and `jax.experimental.mesh_utils`.
"""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Static
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import Term, term
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.shardings import DEVICE_ARRAYS
from jaxlint.syntax import ir

Lengths = tuple[int | None, ...]


def lengths(machine: Machine, frame: Frame, devices: ir.Expr) -> Lengths | None:
    """The shape of an array of devices, where it is written what shape that is given."""
    found = term(frame, devices, machine).resolved()
    asked = _shape_of(machine, found)
    if asked is None:
        return None
    return tuple(_length(machine, found.scope.frame, one) for one in asked)


def _shape_of(machine: Machine, found: Term) -> tuple[ir.Expr, ...] | None:
    """The expressions of a shape that a call asks for."""
    call = found.node
    if not isinstance(call, ir.Call) or any(one.star for one in call.args):
        return None
    made = peek(machine, found.scope.frame, call.func)
    if isinstance(made, LibraryName):
        at, name = DEVICE_ARRAYS.get(made.dotted, (-1, ""))
        given = [one.value for place, one in enumerate(call.args) if _is_for(one, place, at, name)]
    elif isinstance(call.func, ir.Attribute) and call.func.attr == "reshape":
        given = [one.value for one in call.args if one.keyword is None]
    else:
        return None
    if len(given) == 1 and isinstance(given[0], ir.Sequence):
        return tuple(given[0].items)
    return None if isinstance(made, LibraryName) or len(given) < 2 else tuple(given)


def _is_for(argument: ir.Argument, place: int, at: int, name: str) -> bool:
    return argument.keyword == name if argument.keyword is not None else place == at


def _length(machine: Machine, frame: Frame, node: ir.Expr) -> int | None:
    """A length that is written as a number or a name: -1 asks for the rest of the devices."""
    value = node.value if isinstance(node, ir.Const) else None
    if value is None:
        known = peek(machine, frame, node)
        value = known.const if isinstance(known, Static) else None
    return value if type(value) is int and value > 0 else None
