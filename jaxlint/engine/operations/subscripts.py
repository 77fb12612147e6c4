"""Containers: iteration, subscripts, and changes made in place."""

from __future__ import annotations

from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import mappings
from jaxlint.engine.checks.concretization import hashing
from jaxlint.engine.checks.concretization.demands import demand, needs_shape
from jaxlint.engine.checks.concretization.list_operands import check_list_index
from jaxlint.engine.checks.concretization.static_arguments import from_python
from jaxlint.engine.checks.eager.loops import touched
from jaxlint.engine.checks.eager.unrolling import sliced
from jaxlint.engine.checks.effects import ambient, lost_updates
from jaxlint.engine.checks.numerics import lost_gradient, out_of_bounds
from jaxlint.engine.domain import key_identity
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import KEYS, is_enumeration, members
from jaxlint.engine.domain.environment import Frame, Trace
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Key
from jaxlint.engine.domain.pytrees import dtype_of, is_number, leaks, surely_held
from jaxlint.engine.domain.ranks import combined
from jaxlint.engine.domain.special_values import At
from jaxlint.engine.domain.values import (
    INT,
    MOST_ELEMENTS,
    NONE,
    STATIC,
    STR,
    Class,
    Concrete,
    Function,
    Heap,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    NumPy,
    Ref,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    as_traced,
    is_none,
    join,
    join_all,
)
from jaxlint.engine.inference.lengths import of_shape
from jaxlint.engine.machine import alternatives
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import context_managers
from jaxlint.engine.operations.attributes import refine
from jaxlint.engine.operations.narrowing import leaf_of
from jaxlint.engine.relations.trace_levels import outlives
from jaxlint.engine.relations.type_tests import united
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

Iterated = tuple[Value, list[Value] | None, bool]


def iterate(machine: Machine, frame: Frame, node: ir.Expr, value: Value, how: str) -> Iterated:
    """The element, the known items and whether iteration certainly runs at least once."""
    if isinstance(value, Sequence):
        if value.items is None and value.element is None:
            return machine.unknown("element of an empty sequence"), None, True
        element = join_all([*(value.items or []), *([value.element] if value.element else [])])
        return element, value.items, bool(value.items) or value.items is None
    if isinstance(value, Mapping):
        keys: list[Value] = [Static(k) for k in value.items]
        if value.open or value.element is not None:
            return STATIC, None, True
        return (join_all(keys) if keys else STATIC), keys, bool(keys)
    if isinstance(value, Static):
        return _iterate_static(value)
    if isinstance(value, (Traced, Concrete)):
        if isinstance(value, Traced) and not value.leaf:
            return machine.unknown("element of a pytree parameter"), None, True
        sliced(machine, frame, node, value, how)
        one = machine.operation(frame, node, [value], dtype_of(value))
        return lost_gradient.carried(one, [value]), key_identity.each(value), True
    if isinstance(value, NumPy):
        return NumPy(value.dtype), None, True
    if isinstance(value, Iterator):
        advance(machine, frame, node, value, how)
        return value.element, value.items, True
    if isinstance(value, Union):
        given = [option for option in value.options if not is_none(option)]
        parts = alternatives.each(
            machine, given, lambda option: iterate(machine, frame, node, option, how)
        )
        if parts:
            return join_all([p[0] for p in parts]), None, all(p[2] for p in parts)
    if isinstance(value, Class) and is_enumeration(value):
        known = members(value)
        return join_all(known) if known else STATIC, known, bool(known)
    if isinstance(value, Instance):
        found = value.cls.find("__iter__")
        if found is not None:
            inner = machine.call(frame, node, found, Args([value], nodes=[node]))
            if isinstance(inner, Iterator):
                return inner.element, None, True
        made = machine.frameworks.ask(
            "method", value, machine, frame, node, value, "__iter__", Args()
        )
        if made is not None:
            return iterate(machine, frame, node, made, how)
        if value.cls.fields and value.cls.tree == "leaves":
            items = [value.fields.get(n, machine.unknown("field")) for n in value.cls.fields]
            return join_all(items), items, True
    known_keys = key_identity.each(value) if isinstance(value, Unknown) else None
    return machine.unknown("iteration over an unknown value"), known_keys, True


def _iterate_static(value: Static) -> Iterated:
    if value.kind in ("shape", "range"):
        return (of_shape(value) if value.kind == "shape" else INT), None, True
    if value.kind == "str":
        return STR, None, True
    return STATIC, None, True


def advance(machine: Machine, frame: Frame, node: ir.Expr, value: Iterator, how: str) -> None:
    """Reports an iterator from outside that traced code advances."""
    machine.dynamic.effects.oldest = min(machine.dynamic.effects.oldest, value.age)
    if value.born is frame.trace or not frame.trace.once or value.source == "view":
        return
    machine.emit(
        facts.Advanced(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            name=node.id if isinstance(node, ir.Name) else "",
            how=how,
            created=value.made,
        )
    )


def subscript(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Value, index: Value
) -> Value:
    """The value of `base[index]`."""
    if isinstance(base, (Traced, Concrete)):
        if frame.trace.is_host:
            touched(machine, frame, node, base, "read")
        made = key_identity.item(_array(machine, frame, node, base, index), base, index)
        return lost_gradient.carried(made, [base]) if frame.trace.loses else made
    if isinstance(base, Sequence):
        return _sequence(machine, frame, node, base, index)
    if isinstance(base, Mapping):
        hashing.hashed(machine, frame, node.index, index, "key", base)
        return _mapping(machine, base, index)
    if isinstance(base, NumPy):
        _traced_index(machine, frame, node, index, "ndarray")
        return NumPy(base.dtype)
    if isinstance(base, Static):
        return _static(machine, frame, node, base, index)
    if isinstance(base, At):
        if isinstance(base.array, Traced) and not base.array.leaf:
            if isinstance(index, Static) and isinstance(index.const, str):
                return machine.unknown("update of a pytree parameter")
            array = leaf_of(base.array)
            refine(frame, node.value, array)
            base = At(array)
        if frame.trace.is_host:
            touched(machine, frame, node, base.array, "update")
        check_list_index(machine, frame, node, index)
        _check_index(machine, frame, node.index, index, base.array, update=True)
        return At(base.array, indexed=True, place=node)
    if isinstance(base, Ref):
        trail = Provenance(node, base.trail, base.trail.entry)
        return Traced(trail) if not frame.trace.is_host else machine.unknown("reference")
    if isinstance(base, Union):
        read = [option for option in base.options if not is_none(option)]
        with machine.quiet(len(read) > 1 and not machine.guesses):
            return join_all([subscript(machine, frame, node, o, index) for o in read])
    if isinstance(base, FrameworkObject):
        answer = machine.frameworks.ask("item", base, machine, frame, node, base, index)
        return answer or machine.unknown("element of a library object")
    if isinstance(base, LibraryName) and base.dotted == "typing.Union":
        types = united(index.items or [] if isinstance(index, Sequence) else [index])
        return types or machine.unknown("union of types")
    if isinstance(base, LibraryName):
        ambient.item(machine, frame, node, base.dotted)
        if base.dotted in _INDEXED:
            return machine.operation(frame, node, _index_parts(index))
        return STR if base.dotted in ("os.environ", "sys.argv") else base
    if isinstance(base, Class):
        if is_enumeration(base) and isinstance(index, Static):
            return base.namespace.get(str(index.const), STATIC)
        return base
    if isinstance(base, Instance):
        found = base.cls.find("__getitem__")
        if isinstance(found, Function):
            return machine.call(frame, node, found, Args([base, index], nodes=[node, node.index]))
        answer = machine.frameworks.ask("item", base, machine, frame, node, base, index)
        if answer is not None:
            return answer
        if "typing.NamedTuple" in base.cls.externals():
            return _sequence(machine, frame, node, as_tuple(machine, frame, base), index)
    if type(base) is Key:
        return key_identity.item(base, base, index)
    if isinstance(base, Unknown) and base.reason == "host parameter":
        # An array of some sort, or a sequence: all of them refuse traced masks and bounds.
        _check_index(machine, frame, node.index, index, base, update=False)
    return base if isinstance(base, Unknown) else machine.unknown("subscript")


# Objects whose subscript makes an array of the index.
_INDEXED = frozenset({"jax.numpy.c_", "jax.numpy.mgrid", "jax.numpy.r_"})


def as_tuple(machine: Machine, frame: Frame, value: Instance) -> Sequence:
    """The fields of a record in order."""
    items = [value.fields.get(n, machine.unknown("field")) for n in value.cls.fields]
    return Sequence("tuple", items, frame.trace, None, frame.path)


def _array(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Traced | Concrete, index: Value
) -> Value:
    const = index.const if isinstance(index, Static) else None
    if isinstance(base, Traced) and not base.leaf:
        telling = isinstance(index, Sequence) or as_traced(index) is not None
        if not telling or _is_mapping(frame, node.value):
            trail = Provenance(node, base.trail, base.trail.entry)
            plain = isinstance(index, Static)
            return Traced(trail, base.kind, leaf=False) if plain else machine.unknown("element")
        base = leaf_of(base)
        refine(frame, node, base)
    if isinstance(const, str):
        return machine.unknown("field of a structured array")
    check_list_index(machine, frame, node, index)
    out_of_bounds.indexed(machine, frame, node, base, index)
    _check_index(machine, frame, node.index, index, base, update=False)
    refused = isinstance(index, Traced) and index.dtype == "bool" and not frame.trace.staged
    # Where nothing is staged, what comes of a mask that JAX refused is as concrete as the array.
    operands: list[Value] = [base] if refused else [base, *_index_parts(index)]
    rank = base.rank - 1 if base.rank and type(const) is int else None
    result = machine.operation(frame, node, operands, base.dtype, rank)
    if isinstance(base, Concrete) and frame.trace.is_host and _is_everything(node.index):
        return base
    return from_python(combined(base, base, result), operands)


def _is_mapping(frame: Frame, base: ir.Expr) -> bool:
    """Whether the function asks what is indexed for its keys."""
    func = frame.home().func
    return isinstance(base, ir.Name) and func is not None and base.id in mappings(func)


def _is_everything(index: ir.Expr) -> bool:
    """Whether `x[index]` shares the buffer of `x`: `x[:]`, `x[...]`."""
    if isinstance(index, ir.Slice):
        return index.lower is None and index.upper is None and index.step is None
    return isinstance(index, ir.Const) and index.value is ...


def _index_parts(index: Value) -> list[Value]:
    if isinstance(index, Sequence) and index.items is not None:
        return [p for i in index.items for p in _index_parts(i)]
    return [index] if isinstance(index, (Traced, Concrete)) else []


def _check_index(
    machine: Machine, frame: Frame, node: ir.Expr, index: Value, base: Value, update: bool
) -> None:
    """Reports traced masks and slice bounds among the indices."""
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        nodes = node.items if isinstance(node, ir.Sequence) else ()
        for at, item in enumerate(index.items):
            _check_index(machine, frame, nodes[at] if at < len(nodes) else node, item, base, update)
        return
    if isinstance(index, Sequence) and index.kind == "slice" and index.items is not None:
        parts = (node.lower, node.upper, node.step) if isinstance(node, ir.Slice) else ()
        for at, bound in enumerate(index.items):
            part = parts[at] if at < len(parts) else None
            if isinstance(bound, Traced) and bound.leaf is False:
                bound = leaf_of(bound)
            if needs_shape(machine, frame, part or node, bound, "slice"):
                return
        return
    traced = as_traced(index)
    if traced is not None and traced.dtype == "bool":
        needs_shape(machine, frame, node, index, "mask-update" if update else "mask")


def _traced_index(
    machine: Machine,
    frame: Frame,
    node: ir.Subscript,
    index: Value,
    container: str,
    numbers: bool = False,
) -> bool:
    parts: list[tuple[Value, ir.Expr]] = [(index, node.index)]
    if isinstance(index, Sequence) and index.items is not None:
        inner: Any = node.index
        nodes: tuple[ir.Expr | None, ...] = ()
        if isinstance(inner, ir.Sequence):
            nodes = inner.items
        elif isinstance(inner, ir.Slice):
            nodes = (inner.lower, inner.upper, inner.step)
        parts = [
            (item, (nodes[at] if at < len(nodes) else None) or node.index)
            for at, item in enumerate(index.items)
        ]
    for value, place in parts:
        if isinstance(value, Sequence) and value.kind == "slice":
            continue
        if demand(machine, frame, place, value, "subscript", "", "", container, numbers):
            return True
    return False


def _sequence(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Sequence, index: Value
) -> Value:
    element = join_all([*(base.items or []), *([base.element] if base.element else [])])
    numbers = bool(base.items) and all(map(is_number, base.items or ()))
    if base.kind in ("list", "tuple", "range") and _traced_index(
        machine, frame, node, index, base.kind, numbers
    ):
        return machine.unknown("sequence at a traced index")
    if isinstance(index, Sequence) and index.kind == "slice":
        return _slice(base, index, frame, element)
    if isinstance(index, Static) and isinstance(index.const, int) and base.items is not None:
        try:
            return base.items[index.const]
        except IndexError:
            return machine.unknown("index out of range")
    if base.head is not None and isinstance(index, Static) and isinstance(index.const, int):
        first, rest = base.head
        if index.const >= 0:
            return first[index.const] if index.const < len(first) else rest
    if base.last is not None and isinstance(index, Static) and index.const == -1:
        return base.last
    if base.items is None and base.element is None:
        return machine.unknown("element of an empty sequence")
    return element


def _slice(base: Sequence, index: Sequence, frame: Frame, element: Value) -> Value:
    bounds: list[Any] = []
    for part in index.items or []:
        if not isinstance(part, Static) or not (part.const is None or isinstance(part.const, int)):
            return Sequence(base.kind, None, frame.trace, element, frame.path)
        bounds.append(part.const)
    if base.items is None:
        return Sequence(base.kind, None, frame.trace, element, frame.path)
    try:
        return Sequence(base.kind, base.items[slice(*bounds)], frame.trace, None, frame.path)
    except ValueError:
        return Sequence(base.kind, None, frame.trace, element, frame.path)


def _mapping(machine: Machine, base: Mapping, index: Value) -> Value:
    const = index.const if isinstance(index, Static) and index.known else None
    if isinstance(const, KEYS):
        if const in base.items:
            return base.items[const]
        return base.element or machine.unknown("key that is not known")
    parts = [*base.items.values(), *([base.element] if base.element else [])]
    return join_all(parts) if parts and not base.open else machine.unknown("unknown key")


def _static(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Static, index: Value
) -> Value:
    if base.kind in ("str", "shape", "range", "bytes"):
        container = "tuple" if base.kind == "shape" else base.kind
        if _traced_index(machine, frame, node, index, container):
            return machine.unknown("sequence at a traced index")
        is_slice = isinstance(index, Sequence)
        if base.kind == "str":
            return STR
        return Static(kind=base.kind) if is_slice else of_shape(base)
    return STATIC


def outside(frame: Frame, owner: Heap) -> bool:
    """Whether traced code is changing an object that was made outside its trace."""
    return not frame.trace.is_host and owner.born is not frame.trace and _is_around(frame, owner)


def _is_around(frame: Frame, owner: Heap) -> bool:
    """Whether the trace in which an object was made is one that is still open. What an inner
    trace gives is made of its leaves once more."""
    trace: Trace | None = frame.trace
    while trace is not None:
        if trace is owner.born:
            return True
        trace = trace.parent
    return not isinstance(owner.born, Trace) or owner.born.is_host


def changed(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    owner: Heap | NumPy,
    place: Any,
    target: str,
    how: str,
    stored: list[Value],
    owner_text: str = "",
    again: bool = False,
) -> None:
    """Notes a change in place: an effect or a leak in traced code, a rebinding on the host.

    What is stored `again` in traced code is there already.
    """
    heap = owner if isinstance(owner, Heap) else None
    change = None
    if heap is not None:
        machine.dynamic.effects.oldest = min(machine.dynamic.effects.oldest, heap.age)
        change = context_managers.note(machine, heap, target, how, stored)
        if isinstance(heap, Sequence):
            heap.last = None
    if again and not frame.trace.is_host:
        return
    if outside(frame, heap) if heap is not None else not frame.trace.is_host:
        found = [t for t in map(leaks, stored) if t is not None]
        if heap is not None and found:
            held = [outlives(machine.dynamic.frames, frame.trace, heap.born, t) for t in found]
            if all(held):
                return
        local = heap is not None and (not heap.born.is_host or heap.local)
        if heap is None and found:
            return  # NumPy refuses a tracer, so that nothing leaks.
        if not any(machine.matters(frame, v, how, target, local) for v in stored or [NONE]):
            return
        fact = facts.Stored(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            found[0].trail if found else None,
            place=place,
            target=target,
            how=how,
            owner=owner_text,
            body=local,
        )
        if change is not None:
            change.fact = fact
        if heap is not None and local and found:
            heap.leaks.append(fact)
        else:
            machine.emit(fact)
    elif frame.trace.is_host:
        age = 0 if heap is None else heap.age
        machine.dynamic.effects.oldest = min(machine.dynamic.effects.oldest, age)
        machine.happened(owner.changes, age, node, lambda tick: (tick, node))
    elif heap is not None:
        lost_updates.note(frame, node, heap, how)


def put(
    machine: Machine,
    frame: Frame,
    base: Sequence | Mapping,
    index: Value,
    value: Value,
) -> None:
    """Stores an element: replaced on a straight path from where the container was made."""
    const = index.const if isinstance(index, Static) and index.known else None
    strong = frame.is_straight(base)
    if isinstance(base, Mapping):
        if isinstance(const, KEYS):
            old = base.items.get(const)
            base.open |= old is None and not strong
            base.items[const] = value if old is None or strong else join(old, value)
        else:
            base.element = value if base.element is None else join(base.element, value)
        return
    if (
        isinstance(const, int)
        and base.items is not None
        and -len(base.items) <= const < len(base.items)
    ):
        base.items[const] = value if strong else join(base.items[const], value)
        return
    base.holds = None
    if base.items is not None:
        base.items = [join(i, value) for i in base.items]
    elif base.element is None:
        base.element = value
    else:
        base.element = join(base.element, value)


def grow(frame: Frame, base: Sequence, values: list[Value]) -> None:
    """Appends elements; in a loop or branch the length is no longer known."""
    known = 0 if base.items is None else len(base.items) + len(values)
    if base.items is not None and frame.is_straight(base) and known <= MOST_ELEMENTS:
        base.items = [*base.items, *values]
        return
    parts = [*(base.items or []), *([base.element] if base.element else []), *values]
    added = [t for t in map(as_traced, values) if t is not None]
    base.holds = surely_held([base]) or (added[0] if added and frame.is_straight(base) else None)
    base.items = None
    base.element = join_all(parts) if parts else None
