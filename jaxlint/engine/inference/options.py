"""The options that transforms are applied with, as far as they can be read."""

from __future__ import annotations

from itertools import chain

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.layouts import DeviceMesh
from jaxlint.engine.domain.values import (
    NONE,
    Sequence,
    Static,
    Transformed,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.peek import is_annotated_static
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.inference.signatures import positions
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.knowledge.arrays.buffers import DONATE_FROM
from jaxlint.knowledge.shardings import MOST_UNCHECKED, SHARD_CHECKS
from jaxlint.knowledge.transforms import AXIS_NAMES
from jaxlint.syntax import ir

# It takes a compiled function, with the parameters that are static there.
EXPORT = "jax.export.export"


def read_options(machine: Machine, record: TransformUse, args: Args) -> None:
    """Static parameters, differentiated ones and mapped axes, where they can be read."""
    numbers, names = record.wrapper.statics
    if args.more is not None:
        record.numbers = record.names = record.argnums = record.donated = None
        record.has_aux = record.holomorphic = record.binds = None
        record.axes = record.out_axes = machine.unknown("options of a transform")
        return
    if record.dotted == EXPORT and isinstance(record.func, Transformed):
        record.numbers, record.names = record.func.record.numbers, record.func.record.names
        return
    record.numbers = ints(args.keywords.get(numbers)) if numbers else frozenset()
    record.names = strings(args.keywords.get(names)) if names else frozenset()
    if record.wrapper.annotated:
        record.names = _annotated(machine, record.func)
    if numbers and numbers == names:
        record.numbers, record.names = _either(args.keywords.get(numbers))
    if record.names and record.numbers is not None:
        found = positions(record.func, record.names)
        record.numbers = None if found is None else record.numbers | found
    if record.wrapper.compiles:
        record.donated = ints(args.keywords.get("donate_argnums"))
        given = args.keywords.get("donate_argnames")
        record.donated_names = None if given is None or is_none(given) else strings(given)
        mode = args.keywords.get("donate")
        if mode is not None and record.wrapper.lenient:
            record.gives = DONATE_FROM.get(mode.const) if isinstance(mode, Static) else None
    if record.wrapper.kind == "ad":
        argnums = args.get(1, "argnums")
        record.argnums = frozenset({0}) if argnums is None else ints(argnums)
        record.allows_int = "allow_int" in args.keywords or len(args.positional) > 4
        record.has_aux = _is_said(args.get(2, "has_aux"))
        record.holomorphic = _is_said(args.get(3, "holomorphic"))
    record.mesh = args.get(1, "mesh") if record.wrapper.kind == "shard" else None
    record.binds = _bound_axes(record, args)
    if record.wrapper.kind == "vmap":
        record.axes, record.out_axes = args.get(1, "in_axes"), args.get(2, "out_axes")
        record.axis_size = args.get(4, "axis_size") or NONE
    if record.dotted == "jax.pmap":
        record.axes = args.get(2, "in_axes")
    if record.wrapper.kind == "shard":
        record.axes, record.out_axes = args.get(2, "in_specs"), args.get(3, "out_specs")
        record.checks = _is_checked(args)
    elif record.wrapper.compiles:
        record.layouts = args.keywords.get("in_shardings")


def _is_said(value: Value | None) -> bool | None:
    """What a flag is that is False unless it is given, None where that is not known."""
    if value is None:
        return False
    return value.const if isinstance(value, Static) and isinstance(value.const, bool) else None


def _is_checked(args: Args) -> bool:
    """Whether `shard_map` certainly examines over which axes the results vary."""
    given = [args.keywords[name] for name in SHARD_CHECKS if name in args.keywords]
    is_on = all(isinstance(one, Static) and one.const is True for one in given)
    return is_on and len(args.positional) <= MOST_UNCHECKED


def _bound_axes(record: TransformUse, args: Args) -> frozenset[str] | None:
    """The names of axes that a transform binds, None where they are not known: in a loop, each
    iteration may bind another one around the same function."""
    if "axis_env" in args.keywords or record.loop is not None:
        return None
    if record.wrapper.kind == "shard":
        is_whole = not args.keywords.keys() & {"axis_names", "auto"}
        mesh = record.mesh if is_whole else None
        return frozenset(mesh.names) if isinstance(mesh, DeviceMesh) else None
    at = AXIS_NAMES.get(record.dotted)
    return strings(args.keywords.get("axis_name") if at is None else args.get(at, "axis_name"))


def _annotated(machine: Machine, func: Value) -> frozenset[str]:
    """The names of the parameters whose annotation says that they are static."""
    plain = plain_function(func)
    return frozenset(
        param.name
        for param in signature(func)
        if plain is not None and is_annotated_static(machine, plain.frame, param.annotation)
    )


def _either(value: Value | None) -> tuple[frozenset[int] | None, frozenset[str] | None]:
    """The numbers and the names that one option gives, None where they are not known."""
    items = value.items if isinstance(value, Sequence) else [] if value is None else None
    consts = [one.const if isinstance(one, Static) else None for one in items or ()]
    if items is None or not all(isinstance(one, (int, str)) for one in consts):
        return None, None
    numbers = frozenset(one for one in consts if isinstance(one, int))
    return numbers, frozenset(one for one in consts if isinstance(one, str))


def ints(value: Value | None) -> frozenset[int] | None:
    """The numbers that an option gives, None where they are not known."""
    if value is None or is_none(value):
        return frozenset()
    if isinstance(value, Static):
        return frozenset({int(value.const)}) if isinstance(value.const, int) else None
    if isinstance(value, Sequence) and value.items is not None:
        parts = [ints(i) for i in value.items]
        if all(p is not None for p in parts):
            return frozenset().union(*(p for p in parts if p is not None))
    return None


def strings(value: Value | None) -> frozenset[str] | None:
    """The names that an option gives, None where they are not known."""
    if value is None or is_none(value):
        return frozenset()
    if isinstance(value, Static):
        return frozenset({value.const}) if isinstance(value.const, str) else None
    if isinstance(value, Sequence) and value.items is not None:
        parts = [strings(i) for i in value.items]
        if all(p is not None for p in parts):
            return frozenset().union(*(p for p in parts if p is not None))
    return None


def static_names(record: TransformUse) -> frozenset[str] | None:
    """Names of static parameters; None where the options are not known."""
    if record.numbers is None or record.names is None:
        return None
    return named_statics(record, signature(record.func))


def named_statics(record: TransformUse, params: list[ir.Param]) -> frozenset[str]:
    """The names of static parameters, of which some are given by their numbers."""
    plain = [p for p in params if p.kind in ("plain", "positional")]
    numbers = record.numbers or ()
    named = (plain[at].name for at in numbers if -len(plain) <= at < len(plain))
    return frozenset(chain(record.names or (), named))
