"""The passage into a trace and out of it: what arguments and results become."""

from __future__ import annotations

from jaxlint.engine.checks.concretization.static_arguments import inherit
from jaxlint.engine.checks.immutability.references import REFERENCE
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import is_strong
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import is_made
from jaxlint.engine.domain.kinds.array_values import TracerKind
from jaxlint.engine.domain.pytrees import WHOLE, dtype_of, map_leaves, strongest
from jaxlint.engine.domain.shapes import with_dims
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.spreads import spread_of
from jaxlint.engine.domain.traces import LOOKS, Trace
from jaxlint.engine.domain.traversal import known, walk_values
from jaxlint.engine.domain.values import (
    COMPILED,
    NONE,
    NUMBERS,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Partial,
    Perhaps,
    Ref,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
    join,
    join_all,
)
from jaxlint.engine.inference.extents import entered
from jaxlint.engine.inference.lengths import leading
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import paired_leaves
from jaxlint.facts.provenance import Provenance
from jaxlint.facts.spread import EVEN
from jaxlint.knowledge.applications import EntryKind
from jaxlint.syntax import ir

_RANK = {"ad": 0, "batch": 1, "abstract": 2}
_CALLABLE = (Function, Transformed, Partial, Bound, Class, LibraryName)


def root_of(
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    length: int | None = None,
    even: bool = False,
) -> Provenance:
    """The step at which a value becomes traced by being passed to the function of a trace: an
    `even` one is the same on all devices of a mesh, since Python knows it."""
    assert trace.entry is not None
    varies = trace.entry if trace.kind == "ad" else None
    made = Provenance(place, None, trace.entry, name, function, varies=varies, length=length)
    made.spread = EVEN if even and trace.shards is not None else None
    return made


def enter(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    value: Value,
    kind: TracerKind = "abstract",
    drop_axis: bool = False,
    along: int | None = None,
) -> Value:
    """An argument as the traced body sees it: containers rebuilt, leaves traced. The axis that is
    dropped is the one `along` which it is mapped, where that is known."""
    entry = trace.entry
    assert entry is not None

    def root(length: int | None = None, even: bool = False) -> Provenance:
        return root_of(trace, place, name, function, length, even)

    if isinstance(value, Instance):
        given = (machine, trace, place, name, function, value)
        answer = machine.frameworks.ask("enter", value, *given)
        if answer is not None:
            return answer

    def leaf(one: Value) -> Value:
        if isinstance(one, Unknown) and one.reason == REFERENCE:
            return one
        if isinstance(one, Union) and any(map(is_none, one.options)):
            rest = [given for given in one.options if not is_none(given)]
            return join(NONE, leaf(rest[0] if len(rest) == 1 else Union(tuple(rest))))
        if isinstance(one, (Unknown, Union)):
            trail = root()
            made = Traced(trail, _kind(trace, kind, None), leaf=is_made(one))
            if isinstance(one, OpaqueArray):
                made.dtype, made.rank, made.strong = dtype_of(one), one.rank, one.strong
                entered(machine, one, made)
                return _slice(made, one, along) if drop_axis else _shaped(trace, made, one)
            return join(NONE, made) if isinstance(one, Perhaps) else made
        if isinstance(one, Traced):
            trail = Provenance(place, one.trail, one.trail.entry, call=True)
            trail.spread = one.trail.spread
            made = Traced(
                trail, _kind(trace, kind, one), dtype_of(one), one.rank, one.leaf, one.weak
            )
            made.strong = one.strong
            if one.dtype not in WHOLE:
                inherit(trail, one)
            if trace.kind == "ad":
                trail.varies = entry
            entered(machine, one, made)
            return _slice(made, one, along) if drop_axis else _shaped(trace, made, one)
        if isinstance(one, (NumPy, Concrete)):
            rank = one.rank if isinstance(one, Concrete) else None
            length = None if drop_axis else leading(one)
            trail = root(length, even=True)
            made = Traced(
                trail, _kind(trace, kind, None), dtype_of(one), rank, strong=is_strong(one)
            )
            entered(machine, one, made)
            return _slice(made, one, along) if drop_axis else _shaped(trace, made, one)
        if isinstance(one, Static) and (one.kind in NUMBERS or one.kind in ("shape", "range")):
            dtype = one.kind if one.kind in NUMBERS else "int"
            trail = root(even=True)
            return Traced(trail, _kind(trace, kind, None), dtype, 0, True, weak=True)
        if isinstance(one, (*_CALLABLE, Ref)):
            return one
        if isinstance(one, FrameworkObject):
            inside = (machine, trace, place, name, function, one)
            found = machine.frameworks.ask("enter", one, *inside)
            return machine.unknown("argument that is no array") if found is None else found
        if isinstance(one, Static) and one.kind != "str":
            trail = root()
            return Traced(trail, _kind(trace, kind, None), leaf=False)
        return machine.unknown("argument that is no array")

    return map_leaves(value, leaf, trace)


def _shaped(trace: Trace, made: Traced, given: Value) -> Traced:
    """An argument that is as long inside a trace as outside."""
    if isinstance(given, _ARRAYS) and made.rank == given.rank and trace.kind in _WHOLE:
        made.dims = None if _maps(trace) else given.dims
    return made


_ARRAYS = (Traced, Concrete, OpaqueArray)
# Traces whose arrays are those outside.
_WHOLE = frozenset({"ad", "custom", "jit", "remat", "staged"})


def _slice(array: Traced, given: Value, along: int | None) -> Traced:
    """An array without its mapped axis."""
    array.rank = array.rank - 1 if array.rank else None
    dims = given.dims if isinstance(given, _ARRAYS) else None
    if dims is not None and along is not None and -len(dims) <= along < len(dims):
        at = along % len(dims)
        with_dims(array, (*dims[:at], *dims[at + 1 :]))
    return array


def kept(
    machine: Machine,
    trace: Trace,
    dotted: str,
    param: ir.Param | None,
    value: Value,
    depth: int = 2,
) -> Value:
    """An argument that a transform does not trace: objects of frameworks may be rebuilt all the
    same."""
    for one in walk_values(value, known, depth):
        if isinstance(one, (Instance, FrameworkObject)):
            found = machine.frameworks.ask("kept", one, machine, trace, dotted, param, one)
            if found is not None and found is not one:
                return found
    return value


def announce(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, value: Value, depth: int = 3
) -> None:
    """Tells frameworks which of their objects a transform is given, those in containers too."""
    for one in walk_values(value, known, depth):
        if isinstance(one, (Instance, FrameworkObject)):
            machine.frameworks.ask("passed", one, machine, frame, node, dotted, one)


def _kind(trace: Trace, kind: TracerKind, inner: Traced | None) -> TracerKind:
    if trace.staged:
        return "abstract"
    if inner is not None and _RANK[inner.kind] > _RANK[kind]:
        return inner.kind
    return kind


def leave(
    machine: Machine, frame: Frame, node: ir.Node, value: Value, operands: list[Value]
) -> Value:
    """A result of a traced body as the code around sees it."""
    outer, is_sharded = strongest(operands), frame.trace.shards is not None

    def leaf(one: Value) -> Value:
        if isinstance(one, Traced) and not one.leaf:
            if frame.trace.is_host:
                return machine.unknown(COMPILED)
            trail = Provenance(node, one.trail, one.trail.entry)
            trail.spread = one.trail.spread if is_sharded else None
            if frame.trace.staged:
                return Traced(trail, "abstract", leaf=False)
            # It is of the sort of what it is computed from: nothing of the body is left.
            around = _entered(frame.trace, one, outer)
            if not around:
                return machine.unknown(COMPILED)
            return Traced(trail, around[0].kind, leaf=False)
        if isinstance(one, (Traced, Concrete, NumPy)) or (
            isinstance(one, Static) and one.kind in NUMBERS
        ):
            dtype = one.kind if isinstance(one, Static) else dtype_of(one)
            rank = one.rank if isinstance(one, Traced) else None
            dims = one.dims if isinstance(one, (Traced, Concrete)) else None
            if frame.trace.is_host:
                return with_dims(Concrete(dtype, rank, is_strong(one)), dims)
            inner: list[Value] = [outer] if outer is not None else []
            if not frame.trace.staged:
                inner = [*_entered(frame.trace, one, outer)]
            if not inner and isinstance(one, Traced) and frame.trace.staged:
                inner = [one]
            made = machine.operation(frame, node, inner, dtype, rank)
            if isinstance(made, (Traced, Concrete)) and isinstance(one, (Traced, Concrete)):
                made.strong = one.strong
                made = with_dims(made, dims)
            if isinstance(made, Traced) and isinstance(one, Traced):
                inherit(made.trail, one)
            if isinstance(made, Traced) and is_sharded:
                made.trail.spread = spread_of(one)
            if isinstance(made, Traced) and not frame.trace.staged:
                # JAX may find that nothing of the tracer is left in the result.
                made.trail.optional = True
            return made
        if isinstance(one, FrameworkObject):
            found = machine.frameworks.ask("leave", one, machine, frame, node, one)
            return one if found is None else found
        if isinstance(one, Static) and not one.kind and frame.trace.staged:
            # Only numbers and arrays leave a body: the operation makes tracers of them.
            return machine.operation(frame, node, [])
        return one

    return map_leaves(value, leaf, frame.trace)


def leave_all(
    machine: Machine, frame: Frame, node: ir.Node, results: list[Value], operands: list[Value]
) -> Value:
    """The result of several bodies of which one runs: it is traced if that of any is."""
    if frame.trace.is_host:
        return leave(machine, frame, node, join_all(results), operands)
    if frame.trace.staged:
        out = leave(machine, frame, node, join_all(results), operands)
    else:
        each = [leave(machine, frame, node, result, operands) for result in results]
        out = _traced_if_any(join_all(each))
    for result in results:
        for one, made in paired_leaves(result, out):
            if isinstance(one, Traced) and isinstance(made, Traced):
                inherit(made.trail, one)
    return out


def _traced_if_any(value: Value) -> Value:
    if isinstance(value, Union):
        return strongest([value]) or value
    if isinstance(value, Sequence) and value.items is not None:
        value.items = [_traced_if_any(item) for item in value.items]
    elif isinstance(value, Mapping):
        value.items = {key: _traced_if_any(item) for key, item in value.items.items()}
    return value


def leave_loop(
    machine: Machine, frame: Frame, node: ir.Node, carry: Value, result: Value, every: list[Value]
) -> Value:
    """The last carry of a loop, which may have run no time at all."""
    if frame.trace.is_host or frame.trace.staged:
        return leave(machine, frame, node, result, every)
    return leave_all(machine, frame, node, [carry, result], every)


def _entered(trace: Trace, value: Value, outer: Traced | None) -> list[Traced]:
    """The tracer of the code around a body that a result of the body is computed from: an
    operand, or one that the body captures."""
    around: Trace | None = trace if isinstance(value, Traced) else None
    while around is not None and isinstance(value, Traced):
        if around.entry is value.trail.entry:
            kind: TracerKind = "batch" if around.kind == "vmap" else "ad"
            return [outer or Traced(value.trail, kind, value.dtype, value.rank)]
        around = around.parent
    return []


def run_in(
    machine: Machine,
    trace: Trace,
    node: ir.Expr,
    func: Value,
    args: Args,
    gained: int | None = None,
) -> Value:
    """Calls a function inside a trace of its own. Where that maps, its results are arrays with so
    many axes more outside, None where that is not known."""
    frame = Frame("function", machine.globals, trace)
    with machine.within(conditions=0):
        result = machine.call(frame, node, func, args)
        machine.frameworks.ran(machine, trace, node, func, args, result)
        for heard in machine.checks.trace_end:
            heard(machine, frame, trace, node, func, args, result)
        return ranked(result, trace, gained) if _maps(trace) else result


def _maps(trace: Trace) -> bool:
    """Whether the arrays that leave a trace have an axis more than inside it."""
    LOOKS.at(trace)
    how = None if trace.entry is None else trace.entry.application
    return trace.kind == "vmap" or (how is not None and how.kind is EntryKind.MAPPED)


def ranked(value: Value, trace: Trace, gained: int | None) -> Value:
    """A result whose arrays get more axes where they leave the trace."""

    def outside(rank: int | None) -> int | None:
        return None if rank is None or gained is None else rank + gained

    def leaf(one: Value) -> Value:
        if isinstance(one, Traced) and one.rank is not None:
            rank = None if one.weak else outside(one.rank)
            made = Traced(one.trail, one.kind, dtype_of(one), rank, one.leaf, one.weak)
            made.strong = one.strong
            return made
        if isinstance(one, OpaqueArray):
            return one.along(outside(one.rank))
        if isinstance(one, Concrete):
            return Concrete(dtype_of(one), outside(one.rank), one.strong)
        return one

    return map_leaves(value, leaf, trace)
