"""What makes meshes, specifications of their axes, and shardings.

Source: JAX documentation, `jax.sharding` and `jax.make_mesh`.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.layouts import AxisSpec, DeviceMesh, Entry, Placement
from jaxlint.engine.domain.values import STATIC, Sequence, Static, Value, is_none
from jaxlint.knowledge.shardings import MESHES, SHARDINGS, SIZED_MESHES, SPECS


def made(dotted: str, args: Args) -> Value | None:
    """What a call of one of these classes and functions gives, None for a call of another."""
    if dotted in SPECS:
        return _spec(args)
    if dotted in MESHES:
        return _mesh(dotted, args)
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


def _mesh(dotted: str, args: Args) -> Value:
    names = _names(args.get(1, "axis_names"))
    if names is None:
        return STATIC
    unknown: tuple[int | None, ...] = (None,) * len(names)
    shape = args.get(0, "axis_shapes") if dotted in SIZED_MESHES else None
    if not isinstance(shape, Sequence) or shape.items is None or len(shape.items) != len(names):
        return DeviceMesh(names, unknown)
    sizes = [one.const if isinstance(one, Static) else None for one in shape.items]
    return DeviceMesh(names, tuple([one if type(one) is int else None for one in sizes]))
