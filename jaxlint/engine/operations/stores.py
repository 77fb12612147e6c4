"""Assignment to names, attributes, subscripts and unpacked targets; deletion."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.enums import KEYS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    UNSET,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    join_all,
)
from jaxlint.engine.evaluation.container_classes import elements
from jaxlint.engine.inference.aliasing import another
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import dunder
from jaxlint.engine.operations.attribute_stores import (
    keep_function,
    owner_text,
    remove_field,
    store_attribute,
)
from jaxlint.engine.operations.changes import changed, growing, put
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.relations.repetition import repeats
from jaxlint.syntax import ir


def assign(
    machine: Machine,
    frame: Frame,
    target: ir.Expr,
    value: Value,
    node: ir.Node,
    how: str = "assign",
) -> None:
    """Binds a target of any form; `node` is the statement, the place of a stored fact."""
    if isinstance(target, ir.Name):
        for heard in machine.checks.name_store:
            heard(machine, frame, target.id, value, target)
        machine.bind(frame, target.id, value, target, how)
    elif isinstance(target, ir.Attribute):
        store_attribute(machine, frame, target, value, how)
    elif isinstance(target, ir.Subscript):
        _store_item(machine, frame, target, value, how)
    elif isinstance(target, ir.Sequence):
        unpack(machine, frame, target, value, node, how)
    elif isinstance(target, ir.Starred):
        assign(machine, frame, target.value, value, node, how)


def unpack(
    machine: Machine,
    frame: Frame,
    target: ir.Sequence,
    value: Value,
    node: ir.Node,
    how: str = "assign",
) -> None:
    """`a, *b, c = value`."""
    for heard in machine.checks.unpacking:
        heard(machine, frame, target, value, node)
    element, items, _ = iterate(machine, frame, target, value, "unpacking")
    if isinstance(value, Traced) and not value.leaf:
        # A dict would give its keys here: strings, for which every reported use fails as well.
        element = Traced(value.trail.part(target), value.kind, leaf=False)
    star = next((i for i, t in enumerate(target.items) if isinstance(t, ir.Starred)), None)
    count = len(target.items)
    if items is not None and star is None and len(items) != count:
        items = None
    if items is not None and star is not None and len(items) < count - 1:
        items = None
    for at, part in enumerate(target.items):
        if items is None:
            taken = another(_taken(value, at, star, element))
            if isinstance(part, ir.Starred):
                rest: Value = Sequence("list", None, frame.trace, taken, frame.path)
                assign(machine, frame, part.value, rest, node, how)
            else:
                assign(machine, frame, part, taken, node, how)
        elif isinstance(part, ir.Starred):
            end = len(items) - (count - at - 1)
            rest = Sequence("list", items[at:end], frame.trace, None, frame.path)
            assign(machine, frame, part.value, rest, node, how)
        else:
            from_end = star is not None and at > star
            assign(machine, frame, part, items[at - count if from_end else at], node, how)


def _taken(value: Value, at: int, star: int | None, element: Value) -> Value:
    """What a target takes of elements that are not all known; `star` is the starred one's place."""
    if not isinstance(value, Sequence) or value.head is None:
        return element
    first, rest = value.head
    if star is None or at < star:
        return first[at] if at < len(first) else rest
    return join_all([*first[star:], rest])


def only_written(frame: Frame, node: ir.Expr) -> None:
    """`count += 1` and `seen[key] = 1` name an outer variable for the change alone: nothing is
    computed from what it holds."""
    record = frame.trace.compiled
    if record is not None and isinstance(node, ir.Name):
        for place in [p for p, (read, _) in record.captures.items() if read is node]:
            del record.captures[place]


def _store_item(
    machine: Machine, frame: Frame, target: ir.Subscript, value: Value, how: str
) -> None:
    owner = machine.eval(frame, target.value)
    only_written(frame, target.value)
    index = machine.eval(frame, target.index)
    keep_function(frame, value, target)
    how = "subscript" if how == "assign" else how
    if dunder.method(machine, frame, target, owner, "__setitem__", index, value) is not None:
        return
    owner = elements(owner) or owner
    for heard in machine.checks.item_store[type(owner)]:
        heard(machine, frame, target, owner, index, value, how)
    if isinstance(owner, (Sequence, Mapping)):
        place = "attribute" if isinstance(target.value, ir.Attribute) else "container"
        with growing(machine, owner) if isinstance(owner, Mapping) else nullcontext():
            changed(
                machine,
                frame,
                target,
                owner,
                place,
                dotted_text(target.value),
                how,
                [value],
                owner_text(target.value),
                repeats(_held(owner, index), value),
            )
            if not owner.local:
                machine.hand_out(value)
            if isinstance(owner, Mapping):
                for heard in machine.checks.hash:
                    heard(machine, frame, target.index, index, "key")
            _put(machine, frame, target, owner, index, value)
    elif isinstance(owner, NumPy):
        if frame.trace.is_host or _is_captured(frame, target.value):
            changed(
                machine, frame, target, owner, "container", dotted_text(target.value), how, [value]
            )
        if not frame.trace.is_host:
            demand(machine, frame, target, value, "numpy")
    elif isinstance(owner, FrameworkObject):
        machine.frameworks.ask("put", owner, machine, frame, target, owner, index, value)
    elif isinstance(owner, Traced) and isinstance(target.value, ir.Name):
        _store_in_parameter(frame, target.value.id, owner, index, value)


def _held(owner: Sequence | Mapping, index: Value) -> Value | None:
    """What a container may hold where something is stored, None for nothing."""
    const = index.const if isinstance(index, Static) else UNSET
    if isinstance(owner, Mapping) and isinstance(const, KEYS):
        missing = Unknown("entry") if owner.open or owner.element is not None else None
        return owner.items.get(const, missing)
    return Unknown("entry")


def _put(
    machine: Machine,
    frame: Frame,
    target: ir.Subscript,
    owner: Sequence | Mapping,
    index: Value,
    value: Value,
) -> None:
    if not (isinstance(owner, Sequence) and isinstance(index, Sequence) and index.kind == "slice"):
        put(machine, frame, owner, index, value)
        return
    element, items, _ = iterate(machine, frame, target, value, "unpacking")
    bounds: list[Any] = [b.const if isinstance(b, Static) else UNSET for b in index.items or []]
    plain = all(b is None or isinstance(b, int) for b in bounds)
    if plain and items is not None and owner.items is not None and frame.is_straight(owner):
        held = list(owner.items)
        held[slice(*bounds)] = items
        owner.items = held
        return
    owner.element = join_all([*(owner.items or []), *_rest(owner), *(items or [element])])
    owner.items = None


def _rest(owner: Sequence) -> list[Value]:
    return [] if owner.element is None else [owner.element]


def _is_captured(frame: Frame, owner: ir.Expr) -> bool:
    """Whether a name of traced code belongs to the host around it."""
    scope: Frame | None = frame
    while isinstance(owner, ir.Name) and scope is not None and owner.id not in scope.env:
        scope = scope.enclosing()
    return isinstance(owner, ir.Name) and scope is not None and scope.trace.is_host


def _store_in_parameter(frame: Frame, name: str, owner: Traced, index: Value, value: Value) -> None:
    """A parameter that is stored into is a container: a dict when the key is a string."""
    if not owner.leaf and isinstance(index, Static) and isinstance(index.const, str):
        child = Traced(owner.trail, owner.kind, leaf=False)
        frame.env[name] = Mapping({index.const: value}, frame.trace, child, True, frame.path)


def delete(machine: Machine, frame: Frame, target: ir.Expr, node: ir.Node) -> None:
    """`del target`."""
    if isinstance(target, ir.Name):
        frame.env.pop(target.id, None)
    elif isinstance(target, ir.Sequence):
        for part in target.items:
            delete(machine, frame, part, node)
    elif isinstance(target, ir.Attribute):
        owner = machine.eval(frame, target.value)
        if isinstance(owner, Instance):
            remove_field(machine, frame, target, owner)
    elif isinstance(target, ir.Subscript):
        owner = machine.eval(frame, target.value)
        index = machine.eval(frame, target.index)
        owner = elements(owner) or owner
        for heard in machine.checks.item_delete[type(owner)]:
            heard(machine, frame, target, owner, index)
        if isinstance(owner, (Sequence, Mapping)):
            changed(
                machine, frame, target, owner, "container", dotted_text(target.value), "delete", []
            )
            _remove(frame, owner, index)


def _remove(frame: Frame, owner: Sequence | Mapping, index: Value) -> None:
    """What `del owner[index]` leaves."""
    const = index.const if isinstance(index, Static) else UNSET
    straight = frame.is_straight(owner)
    if isinstance(owner, Mapping):
        if straight and isinstance(const, KEYS):
            owner.items.pop(const, None)
        elif not straight or const is UNSET:
            owner.open = True
        return
    if owner.items is None:
        return
    inside = isinstance(const, int) and -len(owner.items) <= const < len(owner.items)
    if straight and inside:
        assert isinstance(const, int)
        owner.items = [*owner.items]
        del owner.items[const]
    else:
        owner.element = join_all(owner.items) if owner.items else None
        owner.items = None
