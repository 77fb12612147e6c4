"""Subscripts: what `value[index]` is for every kind of value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.dataflow.names import mappings
from jaxlint.engine.checks.concretization.demands import demand, needs_shape
from jaxlint.engine.checks.concretization.shapes import check_mask
from jaxlint.engine.checks.concretization.static_arguments import from_python
from jaxlint.engine.checks.numerics import lost_gradient
from jaxlint.engine.domain import key_identity
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import combined
from jaxlint.engine.domain.enums import KEYS, is_enumeration
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Key
from jaxlint.engine.domain.pytrees import is_number
from jaxlint.engine.domain.ranks import indexed_rank
from jaxlint.engine.domain.shapes import indexed_dims, with_dims
from jaxlint.engine.domain.special_values import At, OpaqueArray
from jaxlint.engine.domain.unlike import indexed
from jaxlint.engine.domain.values import (
    STATIC,
    STR,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    NonNone,
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
    join_all,
)
from jaxlint.engine.evaluation.container_classes import elements
from jaxlint.engine.inference.lengths import of_shape
from jaxlint.engine.machine.by_type import ByType
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.narrowing import leaf_of
from jaxlint.engine.operations.evidence import is_view, refine
from jaxlint.engine.operations.registries import chosen, one_of
from jaxlint.engine.relations.type_tests import united
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir


def subscript(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Value, index: Value
) -> Value:
    """The value of `base[index]`."""
    return _OF[type(base)](machine, frame, node, base, index)


def _of_array(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Traced | Concrete, index: Value
) -> Value:
    if frame.trace.is_host:
        for heard in machine.checks.element:
            heard(machine, frame, node, base, "read")
    made = key_identity.item(_array(machine, frame, node, base, index), base, index)
    return lost_gradient.carried(made, [base]) if frame.trace.loses else made


def _of_mapping(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Mapping, index: Value
) -> Value:
    for heard in machine.checks.hash:
        heard(machine, frame, node.index, index, "key", base)
    return chosen(machine, node.index, base, _mapping(machine, base, index))


def _of_numpy(
    machine: Machine, frame: Frame, node: ir.Subscript, base: NumPy, index: Value
) -> Value:
    _traced_index(machine, frame, node, index, "ndarray")
    return NumPy(base.dtype)


def _of_at(machine: Machine, frame: Frame, node: ir.Subscript, base: At, index: Value) -> Value:
    if isinstance(base.array, Traced) and not base.array.leaf:
        if isinstance(index, Static) and isinstance(index.const, str):
            return machine.unknown("update of a pytree parameter")
        array = leaf_of(base.array)
        refine(frame, node.value, array)
        base = At(array)
    if frame.trace.is_host:
        for heard in machine.checks.element:
            heard(machine, frame, node, base.array, "update")
    for heard in machine.checks.index:
        heard(machine, frame, node, base.array, index, True)
    _check_index(machine, frame, node.index, index, base.array, update=True)
    return At(base.array, indexed=True, place=node)


def _of_ref(machine: Machine, frame: Frame, node: ir.Subscript, base: Ref, index: Value) -> Value:
    trail = base.trail.part(node)
    return Traced(trail) if not frame.trace.is_host else machine.unknown("reference")


def _of_union(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Union, index: Value
) -> Value:
    read = [option for option in base.options if not is_none(option)]
    with machine.quiet(len(read) > 1 and not machine.guesses):
        return join_all([subscript(machine, frame, node, o, index) for o in read])


def _of_framework(
    machine: Machine, frame: Frame, node: ir.Subscript, base: FrameworkObject, index: Value
) -> Value:
    answer = machine.frameworks.ask("item", base, machine, frame, node, base, index)
    return answer or machine.unknown("element of a library object")


def _of_library(
    machine: Machine, frame: Frame, node: ir.Subscript, base: LibraryName, index: Value
) -> Value:
    if base.dotted == "typing.Union":
        types = united(index.items or [] if isinstance(index, Sequence) else [index])
        return types or machine.unknown("union of types")
    for heard in machine.checks.library_item:
        heard(machine, frame, node, base.dotted)
    if base.dotted in _INDEXED:
        return machine.operation(frame, node, _index_parts(index))
    return STR if base.dotted in ("os.environ", "sys.argv") else base


def _of_class(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Class, index: Value
) -> Value:
    if is_enumeration(base):
        return base.namespace.get(str(index.const), STATIC) if isinstance(index, Static) else STATIC
    return base


def _of_instance(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Instance, index: Value
) -> Value:
    found = base.cls.find("__getitem__")
    if isinstance(found, Function):
        return machine.call(frame, node, found, Args([base, index], nodes=[node, node.index]))
    if (held := elements(base)) is not None:
        return subscript(machine, frame, node, held, index)
    answer = machine.frameworks.ask("item", base, machine, frame, node, base, index)
    if answer is not None:
        return answer
    if "typing.NamedTuple" in base.cls.externals():
        return _sequence(machine, frame, node, as_tuple(machine, frame, base), index)
    return machine.unknown("subscript")


def _of_unknown(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Unknown, index: Value
) -> Value:
    if type(base) is Key:
        return key_identity.item(base, base, index)
    if base.reason == "host parameter":
        # An array of some sort, or a sequence: all of them refuse traced masks and bounds.
        _check_index(machine, frame, node.index, index, base, update=False)
    tracers = [one for one in _index_parts(index) if isinstance(one, Traced)]
    if tracers and base.reason == "host parameter":
        for heard in machine.checks.index:
            heard(machine, frame, node, base, index, False)
    if tracers and not frame.trace.is_host:
        return _at_tracer(machine, frame, node, base, index, tracers)
    if isinstance(base, OpaqueArray):
        return with_dims(base.along(indexed_rank(base, index)), indexed_dims(base, index))
    return Unknown(base.reason) if isinstance(base, NonNone) else base


def _at_tracer(
    machine: Machine,
    frame: Frame,
    node: ir.Subscript,
    base: Unknown,
    index: Value,
    tracers: list[Traced],
) -> Value:
    """What is not known, at a traced index: an array gives a tracer, and what has a `__getitem__`
    of its own something that is made of one. Sequences, dictionaries and arrays of NumPy raise."""
    if isinstance(base, OpaqueArray):
        rank = indexed_rank(base, index)
        return machine.operation(frame, node, list[Value](tracers), base.dtype, rank)
    if is_view(machine, node):
        return Unknown(base.reason)
    trail = tracers[0].trail
    return Traced(Provenance(node, trail, trail.entry), tracers[0].kind, leaf=False)


def _of_other(
    machine: Machine, frame: Frame, node: ir.Subscript, base: Value, index: Value
) -> Value:
    return machine.unknown("subscript")


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
            trail = base.trail.part(node)
            plain = isinstance(index, Static)
            return Traced(trail, base.kind, leaf=False) if plain else machine.unknown("element")
        base = leaf_of(base)
        refine(frame, node, base)
    if isinstance(const, str):
        return machine.unknown("field of a structured array")
    for heard in machine.checks.index:
        heard(machine, frame, node, base, index, False)
    _check_index(machine, frame, node.index, index, base, update=False)
    refused = isinstance(index, Traced) and index.dtype == "bool" and not frame.trace.staged
    # Where nothing is staged, what comes of a mask that JAX refused is as concrete as the array.
    operands: list[Value] = [base] if refused else [base, *_index_parts(index)]
    result = machine.operation(frame, node, operands, base.dtype, indexed_rank(base, index))
    if isinstance(base, Concrete) and frame.trace.is_host and _is_everything(node.index):
        return base
    result = with_dims(combined("", base, base, result), indexed_dims(base, index))
    return from_python(indexed(base, index, result), operands)


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
    check_mask(machine, frame, node, index, update)


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
    joined = Unknown("unknown key") if base.open else join_all(parts)
    if isinstance(joined, Unknown) or not parts:
        return one_of(machine.unknown("unknown key"), base, parts)
    return joined


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


_Subscript = Callable[[Machine, Frame, ir.Subscript, Any, Value], Value]
_OF: ByType[_Subscript] = ByType(
    (
        (Traced, _of_array),
        (Concrete, _of_array),
        (Sequence, _sequence),
        (Mapping, _of_mapping),
        (NumPy, _of_numpy),
        (Static, _static),
        (At, _of_at),
        (Ref, _of_ref),
        (Union, _of_union),
        (FrameworkObject, _of_framework),
        (LibraryName, _of_library),
        (Class, _of_class),
        (Instance, _of_instance),
        (Unknown, _of_unknown),
    ),
    _of_other,
)
