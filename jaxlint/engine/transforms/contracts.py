"""What transformed functions are called with and give back: the contracts of the transforms."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.checks.library import counted_arguments
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import UNSURE
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Iterator,
    LibraryName,
    Mapping,
    Sequence,
    Static,
    Transformed,
    Union,
    Value,
)
from jaxlint.engine.inference.definitions import returned
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import (
    refuse,
)
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.engine.transforms import (
    differentiated,
    mapped,
    mapped_names,
    mapped_structures,
    sharded,
)
from jaxlint.engine.transforms.filtered import own_arrays
from jaxlint.engine.transforms.reverse_mode import loop_in
from jaxlint.engine.transforms.trace_boundary import ranked, run_in
from jaxlint.knowledge import lookup
from jaxlint.knowledge.derivatives import DERIVATIVES, REVERSE, SINGLE
from jaxlint.syntax import ir

# Transforms whose function gives arrays, whatever else it does.
_TRACED = frozenset(
    ["jax.jit", "jax.pmap", "jax.vmap", "jax.checkpoint", "jax.make_jaxpr", "jax.export.export"]
)
_NO_ARRAYS = {"str": "a string", "bytes": "bytes", "range": "a range", "dtype": "a dtype"}


def run_transformed(
    machine: Machine, record: TransformUse, trace: Trace, node: ir.Expr, args: Args
) -> Value:
    """Runs a transformed function, and examines what it gives back."""
    func = own_arrays(machine, record, trace)
    dotted = record.dotted
    is_shard = record.wrapper.kind == "shard"
    gained = 0 if is_shard or dotted == mapped.VMAP else None
    result = run_in(machine, trace, node, func, args, gained)
    if is_shard:
        return sharded.check_result(machine, trace, record, result)
    if dotted in _TRACED:
        check_arrays(machine, trace, record.func, result)
    if dotted == mapped.VMAP:
        mapped.check_result(machine, trace, record, result)
        return ranked(result, trace, mapped.gained(record))
    if dotted in DERIVATIVES | SINGLE:
        frame = Frame("function", machine.globals, trace)
        place = record.definition or record.node
        of = differentiated.check_result(machine, frame, place, record, result)
        loop = loop_in(of) if dotted in REVERSE | SINGLE and of is not None else None
        if loop is not None:
            refuse(machine, frame, loop, "reverse-loop", callee=differentiated.short(dotted))
    return result


# -- calls ---------------------------------------------------------------------------------------


def _hands_on(record: TransformUse) -> bool:
    """Whether a transform gives another one right inside it the arguments as they are. Further ones
    are looked at when that runs."""
    inner = record.func.record if isinstance(record.func, Transformed) else None
    return (
        record.wrapper.kind in ("jit", "remat")
        and inner is not None
        and inner.wrapper.kind in ("ad", "vmap")
    )


def examine_call(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """The arguments of a call have what the transform takes of them."""
    counted_arguments.check(machine, frame, node, record, args)
    if record.dotted == mapped.VMAP:
        mapped.check_arguments(machine, frame, node, record, args)
        mapped_names.check_names(machine, frame, node, record, args)
        mapped_structures.check_structures(machine, frame, node, record, args)
    elif record.dotted in DERIVATIVES:
        differentiated.check_arguments(machine, frame, node, record, args)
    elif frame.trace.is_host and _hands_on(record) and isinstance(record.func, Transformed):
        examine_call(machine, frame, node, record.func.record, args)


# -- results -------------------------------------------------------------------------------------


def check_arrays(machine: Machine, trace: Trace, func: Value, result: Value) -> None:
    """What traced functions return is made of arrays and numbers. Of several functions, one that
    gives a function is a decorator, which nobody wraps."""
    found = _no_array(result)
    plain = plain_function(func)
    if found is None or plain is None:
        return
    if isinstance(result, Function) and machine.asks(UNSURE).unsure:
        return
    what, sure = found
    frame = Frame("function", machine.globals, trace, plain.node)
    machine.emit(
        facts.Refused(
            machine.module,
            returned(plain.node),
            plain.node.name,
            trace.entry,
            kind="no-array",
            subject=what,
            detail=frame.name,
        ),
        unsure=not sure,
    )


def _no_array(value: Value, depth: int = 4) -> tuple[str, bool] | None:
    """What in a pytree is certainly no array, and whether it is so on every path."""
    if isinstance(value, Union):
        found = [_no_array(option, depth) for option in value.options]
        first = next((one for one in found if one is not None), None)
        return first and (first[0], first[1] and None not in found)
    if isinstance(value, Static) and value.kind in _NO_ARRAYS:
        return _NO_ARRAYS[value.kind], True
    if isinstance(value, LibraryName):
        return ("a dtype", True) if lookup.is_dtype(value.dotted) else None
    if isinstance(value, (Function, Bound, Class)):
        return ("a class" if isinstance(value, Class) else "a function"), True
    if isinstance(value, Iterator):
        return ("a generator", True) if value.source == "generator" else None
    inner: list[Value] = []
    if isinstance(value, Sequence):
        if value.kind in ("set", "range"):
            return f"a {value.kind}", True
        inner = value.items or [] if value.kind in ("tuple", "list") else []
    elif isinstance(value, Mapping):
        inner = list(value.items.values())
    for one in inner if depth else ():
        found_inside = _no_array(one, depth - 1)
        if found_inside is not None:
            return found_inside
    return None
