"""Iteration: what each kind of value gives to a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint import facts
from jaxlint.engine.checks.numerics import lost_gradient
from jaxlint.engine.domain import key_identity
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import is_enumeration, members
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Element, Field
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.values import (
    INT,
    REBUILT,
    STATIC,
    STR,
    Class,
    Concrete,
    Instance,
    Iterator,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
    join_all,
)
from jaxlint.engine.evaluation import alternatives
from jaxlint.engine.evaluation.container_classes import elements
from jaxlint.engine.inference.lengths import of_shape
from jaxlint.engine.machine.by_type import ByType
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.evidence import field_of
from jaxlint.syntax import ir

Iterated = tuple[Value, list[Value] | None, bool]


def iterate(machine: Machine, frame: Frame, node: ir.Expr, value: Value, how: str) -> Iterated:
    """The element, the known items and whether iteration certainly runs at least once."""
    return _OF[type(value)](machine, frame, node, value, how)


def _of_sequence(
    machine: Machine, frame: Frame, node: ir.Expr, value: Sequence, how: str
) -> Iterated:
    if value.items is None and value.element is None:
        return machine.unknown("element of an empty sequence"), None, True
    element = join_all([*(value.items or []), *([value.element] if value.element else [])])
    return element, value.items, bool(value.items) or value.items is None


def _of_mapping(
    machine: Machine, frame: Frame, node: ir.Expr, value: Mapping, how: str
) -> Iterated:
    keys: list[Value] = [Static(k) for k in value.items]
    if value.open or value.element is not None:
        return STATIC, None, True
    return (join_all(keys) if keys else STATIC), keys, bool(keys)


def _of_static(machine: Machine, frame: Frame, node: ir.Expr, value: Static, how: str) -> Iterated:
    if value.kind in ("shape", "range"):
        return (of_shape(value) if value.kind == "shape" else INT), None, True
    if value.kind == "str":
        return STR, None, True
    return STATIC, None, True


def _of_array(
    machine: Machine, frame: Frame, node: ir.Expr, value: Traced | Concrete, how: str
) -> Iterated:
    if isinstance(value, Traced) and not value.leaf:
        trail = value.trail.part(node, optional=True)
        reason = machine.unknown("element of a pytree parameter").reason
        return Element(reason, (Traced(trail, value.kind),)), None, True
    for heard in machine.checks.array_iteration:
        heard(machine, frame, node, value, how)
    one = machine.operation(frame, node, [value], dtype_of(value))
    return lost_gradient.carried(one, [value]), key_identity.each(value), True


def _of_numpy(machine: Machine, frame: Frame, node: ir.Expr, value: NumPy, how: str) -> Iterated:
    return NumPy(value.dtype), None, True


def _of_iterator(
    machine: Machine, frame: Frame, node: ir.Expr, value: Iterator, how: str
) -> Iterated:
    advance(machine, frame, node, value, how)
    return value.element, value.items, True


def _of_union(machine: Machine, frame: Frame, node: ir.Expr, value: Union, how: str) -> Iterated:
    given = [option for option in value.options if not is_none(option)]
    parts = alternatives.each(
        machine, given, lambda option: iterate(machine, frame, node, option, how)
    )
    if not parts:
        return _of_other(machine, frame, node, value, how)
    return join_all([p[0] for p in parts]), None, all(p[2] for p in parts)


def _of_class(machine: Machine, frame: Frame, node: ir.Expr, value: Class, how: str) -> Iterated:
    if not is_enumeration(value):
        return _of_other(machine, frame, node, value, how)
    known = members(value)
    return join_all(known) if known else STATIC, known, bool(known)


def _of_instance(
    machine: Machine, frame: Frame, node: ir.Expr, value: Instance, how: str
) -> Iterated:
    found = value.cls.find("__iter__")
    if found is not None:
        inner = machine.call(frame, node, found, Args([value], nodes=[node]))
        if isinstance(inner, Iterator):
            return inner.element, None, True
    elif (held := elements(value)) is not None:
        return iterate(machine, frame, node, held, how)
    made = machine.frameworks.ask("method", value, machine, frame, node, value, "__iter__", Args())
    if made is not None:
        return iterate(machine, frame, node, made, how)
    if value.cls.fields and value.cls.tree == "leaves":
        items = [value.fields.get(n, machine.unknown("field")) for n in value.cls.fields]
        return join_all(items), items, True
    return _of_other(machine, frame, node, value, how)


def _of_field(machine: Machine, frame: Frame, node: ir.Expr, value: Field, how: str) -> Iterated:
    """What holds objects may be an attribute of an object: its elements are as it is."""
    reason = machine.unknown("element of a pytree parameter").reason
    return field_of(node, value.leaf, reason), None, True


def _of_other(machine: Machine, frame: Frame, node: ir.Expr, value: Value, how: str) -> Iterated:
    known_keys = key_identity.each(value) if isinstance(value, Unknown) else None
    is_rebuilt = isinstance(value, Unknown) and value.reason == REBUILT
    reason = REBUILT if is_rebuilt else "iteration over an unknown value"
    return machine.unknown(reason), known_keys, True


def advance(machine: Machine, frame: Frame, node: ir.Expr, value: Iterator, how: str) -> None:
    """Reports an iterator from outside that traced code advances."""
    machine.alters(value)
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


_Iterate = Callable[[Machine, Frame, ir.Expr, Any, str], Iterated]
_OF: ByType[_Iterate] = ByType(
    (
        (Sequence, _of_sequence),
        (Mapping, _of_mapping),
        (Static, _of_static),
        (Traced, _of_array),
        (Concrete, _of_array),
        (NumPy, _of_numpy),
        (Iterator, _of_iterator),
        (Union, _of_union),
        (Class, _of_class),
        (Instance, _of_instance),
        (Field, _of_field),
    ),
    _of_other,
)
