"""What makes meshes, specifications of their axes, and shardings; what collective operations make
of values that vary over the axes of a mesh.

Source: JAX documentation, `jax.sharding`, `jax.make_mesh` and `jax.shard_map`.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.layouts import AxisSpec, DeviceMesh, Entry, Placement
from jaxlint.engine.domain.special_values import OPERATION, OpaqueArray
from jaxlint.engine.domain.spreads import spread_of, spread_over
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import paired, rebuilt
from jaxlint.engine.domain.values import (
    STATIC,
    Concrete,
    Mapping,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.engine.inference.options import strings
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.device_meshes import lengths
from jaxlint.facts.provenance import Provenance
from jaxlint.facts.spread import EVEN, UNTOLD, Spread
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.shardings import (
    MESHES,
    REDUCING,
    SHARDINGS,
    SIZED_MESHES,
    SPECS,
    SPREADING,
)
from jaxlint.syntax import ir


def made(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """What a call of one of these classes and functions gives, None for a call of another."""
    if dotted in SPECS:
        return _spec(args)
    if dotted in MESHES:
        return _mesh(machine, frame, node, dotted, args)
    if dotted in SHARDINGS:
        mesh, spec = args.get(0, "mesh"), args.get(1, "spec")
        return Placement(
            mesh if isinstance(mesh, DeviceMesh) else None,
            spec if isinstance(spec, AxisSpec) else None,
        )
    return None


def _spec(args: Args) -> Value:
    if args.rest is not None or args.more is not None or args.keywords:
        return STATIC
    return AxisSpec(tuple([_entry(one) for one in args.positional]))


def _entry(value: Value) -> Entry:
    """The axes that one dimension is split over."""
    if is_none(value):
        return ()
    return _names(value)


def _names(value: Value | None) -> tuple[str, ...] | None:
    """One name, or several in order; None where they are not known."""
    if isinstance(value, Static):
        return (value.const,) if isinstance(value.const, str) else None
    if not isinstance(value, Sequence) or value.kind not in ("list", "tuple"):
        return None
    found = [one.const if isinstance(one, Static) else None for one in value.items or [STATIC]]
    names = tuple([one for one in found if isinstance(one, str)])
    return names if len(names) == len(found) else None


def _mesh(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    names = _names(args.get(1, "axis_names"))
    if names is None:
        return STATIC
    unknown: tuple[int | None, ...] = (None,) * len(names)
    if dotted not in SIZED_MESHES:
        found = lengths(machine, frame, args.node(0, "devices", node))
        is_told = found is not None and len(found) == len(names)
        return DeviceMesh(names, found if found is not None and is_told else unknown)
    shape = args.get(0, "axis_shapes")
    if not isinstance(shape, Sequence) or shape.items is None or len(shape.items) != len(names):
        return DeviceMesh(names, unknown)
    sizes = [one.const if isinstance(one, Static) else None for one in shape.items]
    return DeviceMesh(names, tuple([one if type(one) is int else None for one in sizes]))


# -- collective operations -------------------------------------------------------------------------


def over_axes(
    frame: Frame, node: ir.Expr, spec: FunctionSpec, dotted: str, args: Args, made: Value
) -> Value:
    """What a collective operation gives in `shard_map`, with the axes that it varies over."""
    if dotted not in REDUCING and dotted not in SPREADING:
        return made
    at = spec.params.index("axis_name")
    names = strings(args.get(at, "axis_name"))
    is_plain = args.more is None and args.rest is None
    is_plain = is_plain and all(_is_plain(*one) for one in args.keywords.items())
    known = names if names and is_plain else None
    if known is not None and not _is_of_mesh(frame.trace, known):
        known = None
    operand = args.get(0, "x") if at else None
    if isinstance(made, Concrete) and dotted in SPREADING and frame.trace.entry is not None:
        # Each device has one of its own, whatever it is computed from.
        root = Provenance(node, None, frame.trace.entry, function=frame.name)
        made = Traced(root, "batch", made.dtype, made.rank)
    return _over(dotted, made, operand, known)


def untold(made: Value) -> Value:
    """An array of which it is not known over which axes it varies."""
    if isinstance(made, Concrete):
        return OpaqueArray(OPERATION, made.dtype, made.rank)
    return spread_over(made, UNTOLD) if isinstance(made, Traced) else made


# Options that change nothing of which axes the result varies over.
_PLAIN = frozenset(
    {"axis", "axis_name", "concat_axis", "perm", "scatter_dimension", "split_axis", "tiled", "x"}
)


def _is_plain(name: str, value: Value) -> bool:
    is_varying = name == "to" and isinstance(value, Static) and value.const == "varying"
    return is_varying or name in _PLAIN


def _over(dotted: str, made: Value, operand: Value | None, names: frozenset[str] | None) -> Value:
    if isinstance(made, (Sequence, Mapping)):
        pairs = [] if operand is None else paired(made, operand)
        each = iter([one for _, one in pairs])
        is_alike = len(pairs) == len(made.children())
        if not is_alike:
            return made
        return rebuilt(made, lambda one: _over(dotted, one, next(each, None), names), None)
    if not isinstance(made, Traced):
        return made
    before = EVEN if dotted.endswith("axis_index") else UNTOLD
    before = before if operand is None else spread_of(operand)
    if names is None:
        return spread_over(made, UNTOLD)
    if dotted in REDUCING:
        return spread_over(made, before.without(names))
    return spread_over(made, Spread(before.over | names, before.exact))


def _is_of_mesh(trace: Trace, names: frozenset[str]) -> bool:
    """Whether axes are those of a mesh, and not of something that maps inside `shard_map`."""
    for around in trace.around():
        if around.kind == "shard":
            return around.binds is None or names <= around.binds
        if around.binds is None or names & around.binds:
            return False
    return False
