"""Shardings that do not fit their mesh, or the arrays that they are for.

Source: JAX documentation of `jax.sharding.NamedSharding`, `jax.shard_map`, `jax.jit`
(`in_shardings`) and `jax.device_put`; `tests/rules/sharding-mismatch.md` runs each of these
contracts.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.layouts import AxisSpec, DeviceMesh, Entry, Placement
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import dims_of
from jaxlint.engine.domain.traversal import alternatives, known, walk_values
from jaxlint.engine.domain.values import Sequence, Transformed, Value
from jaxlint.engine.inference.signatures import positional_count, shown
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import is_leaf
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.knowledge import lookup
from jaxlint.knowledge.shardings import PLACEMENTS, SHARDINGS
from jaxlint.syntax import ir

_DEPTH = 5
_SHARD = "shard"


# -- names of axes ---------------------------------------------------------------------------------


def _made(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """The specification of a sharding names axes of its mesh, each once."""
    mesh, spec = args.get(0, "mesh"), args.get(1, "spec")
    found = [] if spec is None else alternatives(spec)
    for one in found:
        if isinstance(one, AxisSpec):
            place = args.node(1, "spec", node)
            if not _check_names(machine, frame, place, mesh, one, unsure=len(found) > 1):
                return


def _check_names(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    mesh: Value | None,
    spec: AxisSpec,
    unsure: bool = False,
) -> bool:
    """Whether nothing is wrong with the axes that a specification names."""
    names = spec.names
    there = mesh.names if isinstance(mesh, DeviceMesh) else names
    missing = next((one for one in names if one not in there), None)
    if missing is not None:
        quoted = ", ".join(f'"{one}"' for one in there)
        _tell(machine, frame, place, "mesh-axis", f'"{missing}"', quoted, unsure)
        return False
    again = next((one for at, one in enumerate(names) if one in names[:at]), None)
    if again is not None:
        _tell(machine, frame, place, "mesh-repeat", f'"{again}"', unsure=unsure)
    return again is None


def _applied(machine: Machine, frame: Frame, record: TransformUse, args: Args) -> None:
    """The options of a transform name axes of its mesh, and have an entry for each argument."""
    if record.wrapper.kind == _SHARD:
        for at, option in ((2, "in_specs"), (3, "out_specs")):
            place = args.node(at, option, record.node)
            for spec in _specs(args.get(at, option)):
                if not _check_names(machine, frame, place, record.mesh, spec):
                    return
    each = _entries(record)
    count = None if each is None else _unlike(record, len(each))
    if each is not None and count is not None:
        place = args.keyword_nodes.get(_option(record), record.node)
        _tell(machine, frame, place, "layout-count", _shown(record, len(each)), str(count))


def _unlike(record: TransformUse, count: int) -> int | None:
    """How many arguments a function takes by position, where that is certainly not this many."""
    params = None if record.numbers or record.names else shown(record.func)
    if params is None or (params and params[0].name in ("self", "cls")):
        return None
    plain = [one for one in params if one.kind in ("plain", "positional")]
    least = sum(one.default is None for one in plain)
    most = positional_count(params)
    if count < least:
        return least
    return most if most is not None and count > most else None


def _specs(value: Value | None) -> list[AxisSpec]:
    inside = [] if value is None else walk_values(value, known, _DEPTH)
    return [one for one in inside if isinstance(one, AxisSpec)]


# -- arguments -------------------------------------------------------------------------------------


def _called(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    """What a transformed function is called with fits the layout of each argument."""
    if not isinstance(func, Transformed) or args.rest is not None or args.more is not None:
        return
    record: TransformUse = func.record
    each, count = _entries(record), len(args.positional)
    if each is None or record.numbers != frozenset() or record.names != frozenset():
        return
    if len(each) != count:
        if not args.keywords and _unlike(record, len(each)) is None:
            _tell(machine, frame, node, "layout-call", _shown(record, len(each)), str(count))
        return
    for at, (value, layout) in enumerate(zip(args.positional, each, strict=False)):
        mesh, spec = _parts(record, layout)
        if spec is not None and not _check_fit(
            machine, frame, args.node(at, "", node), value, mesh, spec
        ):
            return


def _placed(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """An array has the axes that a sharding splits, and each can be split."""
    spec = lookup.function(dotted)
    if spec is None:
        return
    name, is_even = PLACEMENTS[dotted]
    layout, array = args.get(spec.params.index(name), name), args.get(0, "x")
    if isinstance(layout, Placement) and layout.spec is not None and array is not None:
        mesh = layout.mesh if is_even else None
        _check_fit(machine, frame, args.node(0, "x", node), array, mesh, layout.spec)


def _check_fit(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    value: Value,
    mesh: DeviceMesh | None,
    spec: AxisSpec,
) -> bool:
    """Whether nothing is wrong with how one array is laid out."""
    rank = rank_of(value) if is_leaf(value) else None
    if rank is None:
        return True
    if len(spec.entries) > rank:
        entries = _number(len(spec.entries), "entry", "entries")
        dimensions = _number(rank, "dimension", "dimensions")
        _tell(machine, frame, place, "layout-rank", entries, dimensions)
        return False
    for length, entry in zip(dims_of(value) or (), spec.entries, strict=False):
        parts = _count(mesh, entry)
        if length is not None and parts is not None and length % parts:
            _tell(machine, frame, place, "layout-size", str(length), str(parts))
            return False
    return True


def _count(mesh: DeviceMesh | None, entry: Entry) -> int | None:
    return None if mesh is None or entry is None else mesh.parts(entry) or None


# -- the options of a transform --------------------------------------------------------------------


def _entries(record: TransformUse) -> list[Value] | None:
    """The layouts of the arguments one by one, None where one is for all or they are not known."""
    is_shard = record.wrapper.kind == _SHARD
    layouts = record.axes if is_shard else record.layouts
    kinds = ("tuple",) if is_shard else ("tuple", "list")
    return layouts.items if isinstance(layouts, Sequence) and layouts.kind in kinds else None


def _parts(record: TransformUse, layout: Value) -> tuple[DeviceMesh | None, AxisSpec | None]:
    if isinstance(layout, Placement):
        return layout.mesh, layout.spec
    mesh = record.mesh if isinstance(record.mesh, DeviceMesh) else None
    return mesh, layout if isinstance(layout, AxisSpec) else None


def _option(record: TransformUse) -> str:
    return "in_specs" if record.wrapper.kind == _SHARD else "in_shardings"


def _shown(record: TransformUse, count: int) -> str:
    entries = _number(count, "entry", "entries")
    return f"`{_option(record)}` of `{function_name(record.func)}` has {entries}"


def _number(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _tell(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    kind: str,
    subject: str,
    detail: str = "",
    unsure: bool = False,
) -> None:
    if not machine.dynamic.idle and is_uncaught(machine):
        misused(machine, frame, place, kind, subject, detail, unsure=unsure)


CHECK = Check(
    "shardings",
    on_library_call=(Named(_made, SHARDINGS), Named(_placed, PLACEMENTS)),
    on_transform=_applied,
    on_transformed_call=_called,
)
