"""Updates in place of what NumPy makes of a JAX array without a copy: a view that is read-only."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.host_conversions import refuse
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Concrete, LibraryName, NumPy, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import bindings, held_by
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# Functions that copy nothing where they are given an array alone.
_VIEWING = frozenset({"numpy.asanyarray", "numpy.asarray", "jax.device_get"})


def stored(
    machine: Machine,
    frame: Frame,
    target: ir.Subscript,
    owner: NumPy,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """`a[i] = v`, where `a` is bound once."""
    _written(machine, frame, target, target.value, 0)


def augmented(machine: Machine, frame: Frame, node: ir.AugAssign, old: Value, right: Value) -> None:
    """`a += v`, which is the one other binding of `a`."""
    if isinstance(old, NumPy):
        _written(machine, frame, node, node.target, 1)


def _written(machine: Machine, frame: Frame, node: ir.Node, name: ir.Expr, updates: int) -> None:
    func = frame.func if frame.kind == "function" else None
    body = machine.module.body if func is None else func.body
    if not isinstance(name, ir.Name) or (func is None and frame.kind != "module"):
        return
    bound = bindings(body).get(name.id, [])
    call = bound[0] if bound and bound[1:] == [None] * updates else None
    if not isinstance(call, ir.Call) or len(call.args) != 1:
        return
    given = call.args[0]
    array = None if given.star or given.keyword else held_by(frame, given.value)
    named = peek(machine, frame, call.func)
    if not isinstance(array, Concrete) or not isinstance(named, LibraryName):
        return
    if named.dotted in _VIEWING:
        detail = dotted_text(call.func)
        refuse(machine, frame, node, array, "readonly", name.id, detail, ("ValueError",))


CHECK = Check(
    "readonly-views",
    on_item_store=(Typed(stored, (NumPy,)),),
    on_augmented=augmented,
)
