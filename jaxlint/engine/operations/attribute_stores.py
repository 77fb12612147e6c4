"""Assignment to attributes of objects, classes and modules, and their deletion."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import (
    MOST_NESTED,
    Class,
    Descriptor,
    Function,
    Instance,
    Value,
    join,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.changes import changed
from jaxlint.engine.operations.modules import module_frame
from jaxlint.engine.operations.remade import may_hold
from jaxlint.engine.relations.repetition import repeats
from jaxlint.engine.summaries.transformed import innermost
from jaxlint.syntax import ir


def store_attribute(
    machine: Machine, frame: Frame, target: ir.Attribute, value: Value, how: str
) -> None:
    """`owner.attr = value`."""
    owner = machine.eval(frame, target.value)
    store_field(machine, frame, target, owner, target.attr, value, how)


def store_field(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Value,
    attr: str,
    value: Value,
    how: str,
    plainly: bool = False,
) -> None:
    """Sets an attribute of an object, `plainly` where its class is not asked."""
    keep_function(frame, value, node)
    machine.hand_out(value, MOST_NESTED)
    prop = owner.cls.find(attr) if isinstance(owner, Instance) else None
    answer = None
    if isinstance(owner, (Instance, FrameworkObject)) and not plainly:
        given = (machine, frame, node, owner, attr, value)
        if how == "augment":
            answer = machine.frameworks.ask("augment", owner, *given)
        answer = answer or machine.frameworks.ask("store", owner, *given)
    if answer is not None:
        return
    for heard in machine.checks.attribute_store[type(owner)]:
        heard(machine, frame, node, owner, attr)
    if isinstance(prop, Descriptor) and prop.setter is not None:
        machine.call(frame, node, prop.setter, Args([owner, value], nodes=[node, node]))
    elif isinstance(owner, Instance):
        _store_in_instance(machine, frame, node, owner, attr, value, how)
    elif isinstance(owner, Module):
        scope = module_frame(machine, owner.place)
        if scope is not None:
            machine.bind_outer(frame, scope, "global", attr, value, node, how)
    elif isinstance(owner, Class):
        _store_in_class(machine, frame, node, owner, attr, value, how)
    elif isinstance(inner := innermost(owner), Function) and not frame.trace.is_host:
        function = Instance(Class("function", None, ()), inner.frame.trace)
        text = dotted_text(node)
        changed(machine, frame, node, function, "attribute", text, how, [value], owner_text(node))


def _store_in_instance(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Instance,
    attr: str,
    value: Value,
    how: str,
) -> None:
    if owner.cls.opaque:
        machine.borrow(owner)
        owner.fields.setdefault(attr, value)
        return
    old = owner.fields.get(attr)
    text, holder = dotted_text(node), owner_text(node)
    again: bool | None = repeats(old, value)
    if not again and how == "assign" and not frame.trace.is_host:
        again = None if may_hold(machine, frame, node, old, value) else False
    changed(machine, frame, node, owner, "attribute", text, how, [value], holder, again)
    if frame.trace.is_host:
        writes = owner.writes.setdefault(attr, [])
        machine.happened(
            writes,
            owner.age,
            node,
            lambda tick: (tick, node, (tuple(machine.dynamic.stack), value)),
        )
    if old is None or (frame.is_straight(owner) and not owner.generic):
        owner.fields[attr] = value
    else:
        owner.fields[attr] = join(old, widened(value))


def _store_in_class(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Class,
    attr: str,
    value: Value,
    how: str,
) -> None:
    machine.borrow(owner)
    old = owner.namespace.get(attr)
    if not frame.trace.is_host:
        made = Instance(owner, owner.born or machine.host)
        again = repeats(old, value)
        text, holder = dotted_text(node), owner_text(node)
        changed(machine, frame, node, made, "attribute", text, how, [value], holder, again)
    else:
        machine.happened(owner.changes, 0, node, lambda tick: (tick, node))
        if frame.func is not None and frame.func.name == "__enter__":
            value = machine.unknown("object of a context")  # `__exit__` takes it away.
    # Calls that ran may have read it.
    machine.dynamic.effects.oldest = 0
    machine.summaries.memo.clear()
    owner.namespace[attr] = value if old is None else join(old, widened(value))


def owner_text(node: ir.Expr) -> str:
    return dotted_text(node).rpartition(".")[0]


def keep_function(frame: Frame, value: Value, node: ir.Node) -> None:
    """Notes that a transformed function outlives the iteration that made it."""
    record = getattr(value, "record", None)
    if record is not None and frame.trace.is_host:
        record.stored(frame, node)


def remove_field(machine: Machine, frame: Frame, target: ir.Attribute, owner: Instance) -> None:
    """`del owner.attr`."""
    text = dotted_text(target)
    changed(machine, frame, target, owner, "attribute", text, "delete", [], owner_text(target))
    if frame.is_straight(owner) and not owner.generic:
        owner.fields.pop(target.attr, None)
