"""Arguments that code differentiates by, and uses as whole numbers: as an index or as labels.

Whole numbers have no derivative, and nothing else is an index, so each call raises.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Field
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import Concrete, NumPy, Sequence, Traced, Value, as_traced
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.facts.provenance import Provenance, TraceEntry, excerpt
from jaxlint.knowledge.arrays.whole_numbers import WHOLE
from jaxlint.knowledge.derivatives import DERIVATIVES
from jaxlint.syntax import ir

_ARRAYS = (Concrete, NumPy, OpaqueArray, Sequence)
# Methods that give the elements of an array as they are.
_VIEWS = frozenset({"copy", "flatten", "ravel", "reshape", "squeeze", "transpose"})


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A function gets an argument for which it takes whole numbers alone."""
    at, name = WHOLE[dotted]
    value = args.get(at, name)
    if value is not None:
        _used(machine, frame, node, value)


def indexed(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Value, index: Value, update: bool
) -> None:
    """An array is indexed, or what may be one: an attribute of which nothing is known may be an
    object with a `__getitem__` of its own."""
    if isinstance(node.value, ir.Attribute) and not _is_array(base):
        return
    if isinstance(index, Sequence) and index.kind == "tuple":
        for one in index.items or ():
            _used(machine, frame, node, one)
    else:
        _used(machine, frame, node, index)


def _is_array(base: Value) -> bool:
    return base.leaf if isinstance(base, Traced) else isinstance(base, _ARRAYS)


def _used(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> None:
    traced = value.leaf if isinstance(value, Field) else as_traced(value)
    if traced is None or traced.dtype or "differentiated" not in frame.trace.ways:
        return
    for trace in frame.trace.around():
        entry = trace.entry
        if trace.kind != "ad" or entry is None or entry.application.transform not in DERIVATIVES:
            continue
        if _is_argument(traced.trail, entry) and not _takes_whole(entry) and is_uncaught(machine):
            module = machine.sources.owner(node, machine.module)
            used = f"{excerpt(module, node)}|{machine.sources.line(node, machine.module)}"
            around = entry.function, entry
            # A field may be static data of its class.
            unsure = value is not traced
            subject, trail = entry.application.transform, traced.trail
            misused(machine, around, entry.node, "grad-index", subject, used, trail, node, unsure)
            return


def _takes_whole(entry: TraceEntry) -> bool:
    """Whether a transform is told to take whole numbers, as far as that is written there."""
    call = entry.node
    given = call.args if isinstance(call, ir.Call) else ()
    return any(one.keyword == "allow_int" or one.star for one in given)


def _is_argument(trail: Provenance, entry: TraceEntry) -> bool:
    """Whether a value is what the transform differentiates by, or elements of it as they are."""
    step: Provenance | None = trail
    while step is not None:
        above = step.parent
        if above is None:
            # What JAX makes of constants in traced code has no name.
            return bool(step.name) and step.entry is entry
        if not _keeps(step.node):
            return False
        if step.varies is entry and above.varies is not entry:
            return True
        step = above
    return False


def _keeps(node: object) -> bool:
    if isinstance(node, ir.Call):
        return isinstance(node.func, ir.Attribute) and node.func.attr in _VIEWS
    return isinstance(node, (ir.Attribute, ir.Name, ir.Param, ir.Subscript))


CHECK = Check(
    "whole-arguments",
    on_library_call=(Named(called, WHOLE),),
    on_index=indexed,
)
