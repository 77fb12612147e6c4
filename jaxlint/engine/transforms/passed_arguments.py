"""What the arguments of a transformed function are inside its trace."""

from __future__ import annotations

from jaxlint.engine.checks.immutability.references import REFERENCE
from jaxlint.engine.checks.recompilation.non_arrays import refused
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import is_made
from jaxlint.engine.domain.kinds.array_values import TRACER_KINDS
from jaxlint.engine.domain.pytrees import is_child, is_number
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import parts, walk_values
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
    join,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import returns_of
from jaxlint.engine.inference.options import static_names
from jaxlint.engine.inference.parameters import annotated_value, signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    entry_of,
    function_name,
    innermost,
    plain_function,
)
from jaxlint.engine.transforms import filtered
from jaxlint.engine.transforms.sharded import laid_out
from jaxlint.engine.transforms.trace_boundary import announce, enter, kept
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

# Arrays of the host, and how deep the containers around them are looked into.
ARRAYS = (Concrete, NumPy, OpaqueArray)
_DATA_DEPTH = 4
_OBJECTS = (Instance, FrameworkObject, Function, Bound, Partial, Transformed, Class)


def worth_running(machine: Machine, func: Value, args: Args) -> bool:
    """Whether a host call says more than the contract does: all of its arguments are known, there
    are objects and functions among them, or it makes an object."""
    if args.rest is not None:
        return False
    if all(is_made(v) or not isinstance(v, (Unknown, Union)) for v in args.values()):
        return True
    return any(isinstance(v, _OBJECTS) for v in args.values()) or _makes_object(machine, func)


def is_told(args: Args) -> bool:
    """Whether all that a call passes is known for data, and arrays or numbers are among it: what a
    transform does with them shows where they come from, and nowhere else."""
    if args.rest is not None or args.more is not None:
        return False
    inside = [part for one in args.values() for part in walk_values(one, parts, _DATA_DEPTH)]
    return any(isinstance(one, ARRAYS) or is_number(one) for one in inside) and not any(
        isinstance(one, (Unknown, Union)) and not is_made(one) for one in inside
    )


def _makes_object(machine: Machine, func: Value) -> bool:
    """Whether a function returns what a class of the project makes of its arguments, or is such a
    class."""
    func = innermost(func)
    if not isinstance(func, Function):
        return isinstance(func, Class)
    made = (one.value for one in returns_of(func.node))
    called = [one.func for one in made if isinstance(one, ir.Call)]
    return any(isinstance(peek(machine, func.frame, one), Class) for one in called)


def arguments(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> tuple[Trace, Args] | None:
    """The trace of this call and what the arguments become in it."""
    wrapper = record.wrapper
    statics = static_names(record)
    if statics is None:
        return None
    entry = entry_of(record.definition or record.node, wrapper.application, record.func)
    staged = wrapper.kind in ("jit", "remat")
    compiled = record if wrapper.compiles and not record.traced_only else None
    trace = Trace(
        wrapper.kind,
        frame.trace,
        entry,
        staged,
        compiled,
        binds=record.binds,
        is_outermost=frame.trace.is_host and (maps_devices(record) or _is_program(frame)),
        checks=record.checks,
    )
    every = signature(record.func)
    params = [p for p in every if p.kind in ("plain", "positional")]
    inside = Args(
        rest=args.rest, more=args.more, nodes=args.nodes, keyword_nodes=args.keyword_nodes
    )
    numbers = record.numbers or frozenset()
    for at, value in enumerate(args.positional):
        param = params[at] if at < len(params) else None
        fixed = (
            (param is not None and param.name in statics)
            or (param is None and not {at, at - len(args.positional)}.isdisjoint(numbers))
            or _is_self(machine, record, at, value)
        )
        inside.positional.append(
            value if fixed else _passed(machine, frame, node, record, trace, param, at, value)
        )
    for name, value in args.keywords.items():
        if name in wrapper.takes:
            continue
        param = next((p for p in every if p.name == name and p.kind != "kwarg"), None)
        fixed = name in statics
        at = -1 if wrapper.kind != "ad" else 99
        inside.keywords[name] = (
            value if fixed else _passed(machine, frame, node, record, trace, param, at, value)
        )
    return trace, inside


def maps_devices(record: TransformUse) -> bool:
    """Whether a transform is `pmap`, or `shard_map` over a mesh that is known: what is bound
    around them is not bound inside."""
    is_shard = record.wrapper.kind == "shard" and record.binds is not None
    return is_shard or record.wrapper.application.transform.endswith("pmap")


def _is_program(frame: Frame) -> bool:
    """Whether host code is called by nothing that JAX traces."""
    func = frame.func
    if func is None:
        return frame is frame.root
    is_main = not func.params and frame.parent is frame.root
    return is_main or func.name.startswith("test")


def _is_self(machine: Machine, record: TransformUse, at: int, value: Value) -> bool:
    return at == 0 and isinstance(value, Instance) and not value.cls.tree


_VECTORIZE = "jax.numpy.vectorize"
# Transforms that look at what is passed before they trace.
_CHECKING = ("jax.", "haiku.")


def _passed(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    trace: Trace,
    param: ir.Param | None,
    at: int,
    value: Value,
) -> Value:
    """What one argument is inside the trace."""
    wrapper = record.wrapper
    if wrapper.kind == "ad" and (record.argnums is None or at not in record.argnums):
        return kept(machine, trace, record.dotted, param, value)
    if wrapper.kind == "vmap" and at >= 0 and not mapped_axis(record, at):
        axis = record.axes
        if isinstance(axis, Sequence) and axis.items is not None and at < len(axis.items):
            axis = axis.items[at]
        name = function_name(record.func)
        along = _along(machine, trace, param or node, name, value, axis)
        return kept(machine, trace, record.dotted, param, value) if along is value else along
    if record.dotted == _VECTORIZE and isinstance(value, Static):
        return value  # What has no axis is not mapped, and keeps its value.
    if wrapper.kind == "shard" and at >= 0 and left_out(record, at):
        return kept(machine, trace, record.dotted, param, value)
    announce(machine, frame, node, record.dotted, value)
    if record.dotted.startswith(_CHECKING) and refused(machine, frame, value, None):
        return machine.unknown("argument that JAX rejects before it traces")
    if param is not None and isinstance(value, Unknown) and value.reason != REFERENCE:
        found = _any_given(machine, record, trace, param)
        if found is not None:
            return laid_out(record, trace, at, found)
    kind = TRACER_KINDS.get(wrapper.kind, "abstract")
    name = function_name(record.func)
    passage = filtered.enter_arrays if wrapper.lenient else enter
    made = passage(
        machine,
        trace,
        param or node,
        param.name if param else "",
        name,
        value,
        kind,
        drop_axis=wrapper.kind == "vmap" or _splits(record, at),
        along=_axis_of(record, at) if wrapper.kind == "vmap" else None,
    )
    if wrapper.kind == "shard":
        return laid_out(record, trace, at, made)
    if isinstance(made, Traced) and record.dotted == _VECTORIZE:
        made.rank = made.dims = None  # All axes but those of its signature are mapped.
    return made


def _splits(record: TransformUse, at: int) -> bool:
    """Whether `pmap` gives each device a part of an argument."""
    return record.dotted.endswith("pmap") and not (at >= 0 and left_out(record, at))


def _any_given(
    machine: Machine, record: TransformUse, trace: Trace, param: ir.Param
) -> Value | None:
    """What a parameter that is given a value of which nothing is known is inside, None where it is
    a tracer: JAX takes no objects of a host type, and None for a default None stays None."""
    plain = plain_function(record.func)
    if plain is None or record.wrapper.lenient or param not in plain.node.params:
        return None
    assert trace.entry is not None
    trail = Provenance(param, None, trace.entry, param.name, plain.node.name)
    made = Traced(trail, TRACER_KINDS.get(record.wrapper.kind, "abstract"), leaf=False)
    if isinstance(annotated_value(machine, plain, param, made, trace), Unknown):
        return machine.unknown("argument of a host type")
    default = plain.defaults.get(param.name)
    return join(NONE, made) if default is not None and is_none(default) else None


def _along(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    value: Value,
    axis: Value | None,
) -> Value:
    """An argument whose leaves are mapped along axes of their own, None for those that are not."""
    if axis is not None and is_none(axis):
        return value
    if isinstance(axis, Static) and isinstance(axis.const, int):
        at = axis.const
        return enter(machine, trace, place, "", name, value, "batch", drop_axis=True, along=at)
    if isinstance(axis, Mapping) and isinstance(value, Mapping) and not (axis.open or value.open):
        known = {
            k: _along(machine, trace, place, name, v, axis.items.get(k))
            for k, v in value.items.items()
        }
        return Mapping(known, trace)
    if isinstance(axis, Sequence) and isinstance(value, Sequence) and axis.kind == value.kind:
        axes, items = axis.items or [], value.items or []
        if items and len(axes) == len(items):
            pairs = zip(items, axes, strict=True)
            parts = [_along(machine, trace, place, name, v, a) for v, a in pairs]
            return Sequence(value.kind, parts, trace)
    if isinstance(axis, Instance) and isinstance(value, Instance) and axis.cls == value.cls:
        made = Instance(value.cls, trace)
        for field, held in value.fields.items():
            part = axis.fields.get(field)
            is_known = part is not None and is_child(value.cls, field)
            along = _along(machine, trace, place, name, held, part) if is_known else held
            made.fields[field] = along
        return made
    return machine.unknown("argument that may not be mapped")


def left_out(record: TransformUse, at: int) -> bool:
    """Whether an argument has None for its axis or sharding: it may be no array at all."""
    axes = record.axes
    if isinstance(axes, Sequence) and axes.items is not None and at < len(axes.items):
        return is_none(axes.items[at])
    return axes is not None and is_none(axes)


def _axis_of(record: TransformUse, at: int) -> int | None:
    """The axis along which all of an argument is mapped, where that is known."""
    axes = record.axes
    if isinstance(axes, Sequence):
        axes = axes.items[at] if axes.items is not None and 0 <= at < len(axes.items) else NONE
    if axes is None:
        return 0
    return axes.const if isinstance(axes, Static) and type(axes.const) is int else None


def mapped_axis(record: TransformUse, at: int) -> bool | None:
    """Whether `in_axes` names an axis for an argument, None where that is not known."""
    axes = record.axes
    if isinstance(axes, Sequence):
        items = axes.items or []
        if at >= len(items):
            return None
        axes = items[at]
    if axes is None or (isinstance(axes, Static) and isinstance(axes.const, int)):
        return True
    return False if is_none(axes) else None
