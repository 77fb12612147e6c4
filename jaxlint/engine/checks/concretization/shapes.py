"""What decides the shape of a result: shape arguments, and data that JAX counts."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.truth_names import last_name, truth_names
from jaxlint.engine.checks.concretization.demands import needs_shape
from jaxlint.engine.checks.concretization.static_arguments import check_options
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.values import Concrete, NumPy, Sequence, Value, as_traced, is_none
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.arrays.operands import shape_parameter
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir


def _parts(value: Value, place: ir.Expr) -> list[tuple[Value, ir.Expr]]:
    """A shape argument's dimensions: those of a tuple, or the value itself."""
    if isinstance(value, Sequence) and value.items is not None:
        nodes = place.items if isinstance(place, ir.Sequence) else ()
        return [(v, nodes[i] if i < len(nodes) else place) for i, v in enumerate(value.items)]
    if isinstance(value, Sequence) and value.element is not None:
        return [(value.element, place)]
    return [(value, place)]


def check_shapes(
    machine: Machine,
    frame: Frame,
    spec: FunctionSpec,
    dotted: str,
    callee: str,
    bound: dict[str, tuple[Value, ir.Expr]],
) -> None:
    """Reports a traced value that a shape is made of, or that has to be static otherwise."""
    if frame.trace.is_host:
        return
    need: facts.Need = "length" if spec.family == "length" else "shape"
    for name in spec.shape:
        for value, place in _parts(*bound[name]) if name in bound else ():
            shown = shape_parameter(dotted, name, bound)
            if needs_shape(machine, frame, place, value, need, callee, dotted, shown):
                return
    for name in spec.counts:
        count = as_traced(bound[name][0]) if name in bound else None
        if count is not None and count.leaf and count.rank == 0:
            need = "length" if name == "bins" else "shape"
            needs_shape(machine, frame, bound[name][1], count, need, callee, dotted, name)
    check_options(machine, frame, spec, dotted, callee, bound)


_DATA_NEEDS: dict[str, facts.Need] = {
    "nonzero": "nonzero",
    "filter": "filter",
    "repeat": "repeat",
    "set": "set",
    "length": "length",
}


def check_data(
    machine: Machine,
    frame: Frame,
    spec: FunctionSpec,
    dotted: str,
    callee: str,
    bound: dict[str, tuple[Value, ir.Expr]],
    args: Args,
) -> Value | None:
    """Reports functions whose result's shape depends on values, unless a bound is given.

    Gives the traced value that is reported, None if there is none.
    """
    need = _DATA_NEEDS.get(spec.family)
    if need is None or args.more is not None or args.rest is not None or frame.trace.is_host:
        return None
    if any(name in bound and not is_none(bound[name][0]) for name in spec.bound):
        return None
    if spec.unless and all(n in bound and not is_none(bound[n][0]) for n in spec.unless):
        return None
    missing = spec.bound[0] if spec.bound else ""
    for name in spec.data:
        if name not in bound:
            continue
        value, place = bound[name]
        traced = finds_traced(value) if isinstance(value, Sequence) else as_traced(value)
        if traced is not None:
            reported = needs_shape(machine, frame, place, traced, need, callee, dotted, missing)
            return value if reported else None
        staged = name not in spec.concrete and machine.is_staged(frame)
        if staged and isinstance(value, (Concrete, NumPy)):
            # Staged code asks a traced copy, whatever the values outside.
            machine.emit(
                facts.ShapeNeeded(
                    machine.module,
                    place,
                    frame.name,
                    frame.trace.entry,
                    need=need,
                    callee=callee,
                    dotted=dotted,
                    parameter=missing,
                )
            )
            return None
    return None


CHECK = Check(
    "shapes",
    on_array_call=check_shapes,
)


def check_mask(machine: Machine, frame: Frame, node: ir.Expr, index: Value, update: bool) -> None:
    """A traced index that selects as many elements as it has true ones, or may: it goes by a name
    that the module has for truth values."""
    traced = as_traced(index)
    if traced is None:
        return
    unsure = traced.dtype != "bool"
    if not unsure or (not traced.dtype and traced.rank != 0 and _is_named_as_truth(frame, node)):
        need: facts.Need = "mask-update" if update else "mask"
        needs_shape(machine, frame, node, index, need, unsure=unsure)


def _is_named_as_truth(frame: Frame, node: ir.Expr) -> bool:
    module = frame.root.module
    return module is not None and last_name(node) in truth_names(module)
