"""Attributes of objects of the program's own classes, of the classes, and of what stands behind
`super()`."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_child
from jaxlint.engine.domain.special_values import Super
from jaxlint.engine.domain.values import (
    STATIC,
    Bound,
    Class,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Method,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
)
from jaxlint.engine.evaluation.classes import field_of_any, is_made_here
from jaxlint.engine.evaluation.container_classes import method_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import dunder
from jaxlint.engine.summaries.effects import known_field
from jaxlint.knowledge.transforms import MODULE_BASES
from jaxlint.syntax import ir

# What every object has, so that no `__getattr__` is asked for it.
_OF_EVERY_OBJECT = frozenset(dir(object))


def of_instance(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    value: Instance,
    attr: str,
    dynamic: bool = True,
) -> Value:
    """An attribute of an object of a class of this file; `dynamic` where `__getattr__` tells of
    those that it does not have."""
    field = known_field(value, attr)
    if value.generic:
        machine.dynamic.effects.read(value, attr, field)
    compiled = None if frame.trace.is_host else frame.trace.compiled
    is_known = field is not None or not value.cls.opaque
    if compiled is not None and is_known and (value.generic or is_made_here(value)):
        compiled.captured(value, attr, field, node)
        machine.dynamic.effects.capture(compiled, value, attr, field, node)
    if field is None and value.generic:
        field = field_of_any(machine, value, attr)
    if field is not None:
        return field
    found = value.cls.find(attr)
    # What an object sets hides what its class has, also where it is not believed.
    hidden = attr in value.fields and not isinstance(found, Descriptor)
    if found is not None and not hidden:
        return bind_method(machine, frame, node, found, value)
    if (held := method_of(value, attr)) is not None:
        return Method(held, attr, node)
    answer = machine.frameworks.ask("attribute", value, machine, frame, node, value, attr)
    if answer is not None:
        return answer
    for base in value.cls.externals():
        if attr in MODULE_BASES.get(base, ()):
            return Bound(LibraryName(f"{base}.{attr}"), value, frame.loop)
    cls = value.cls
    declared = attr in cls.fields or attr in cls.child_fields
    if value.tree is not None and declared and is_child(cls, attr):
        made = traced_field(value, attr, node)
        machine.borrow(value)
        value.fields[attr] = made
        return made
    if attr == "__class__":
        return value.cls
    if attr in ("_replace", "_asdict", "replace") and cls.fields and not cls.opaque:
        return Method(value, attr, node)
    told: Value | None = None
    if dynamic and attr not in _OF_EVERY_OBJECT:
        told = dunder.method(machine, frame, node, value, "__getattr__", Static(attr))
    return machine.unknown("attribute of an object") if told is None else told


def traced_field(value: Instance, attr: str, node: ir.Node) -> Value:
    """A field of an object rebuilt from traced leaves."""
    tree = value.tree
    assert tree is not None
    trail = tree.trail.part(node)
    return Traced(trail, tree.kind, leaf=False)


def bind_method(
    machine: Machine, frame: Frame, node: ir.Expr, found: Value, owner: Instance
) -> Value:
    """What a class attribute is when it is read through an object."""
    if isinstance(found, Function):
        return Bound(found, owner, frame.loop)
    if isinstance(found, Transformed):
        return Bound(found, owner, frame.loop)
    if isinstance(found, Partial) and isinstance(found.func, LibraryName):
        decorated = found.func.dotted == "contextlib.contextmanager(...)"
        return Bound(found, owner, frame.loop) if decorated else found
    if isinstance(found, Descriptor):
        if found.kind == "static":
            return found.func
        if found.kind == "class":
            return Bound(found.func, owner.cls, frame.loop)
        return _property(machine, frame, node, found, owner)
    return found


def _property(
    machine: Machine, frame: Frame, node: ir.Expr, found: Descriptor, owner: Instance
) -> Value:
    result = machine.call(frame, node, found.func, Args([owner], nodes=[node]))
    if found.kind == "cached" and frame.trace.is_host and isinstance(found.func, Function):
        machine.borrow(owner)
        owner.fields[found.func.node.name] = result
    elif found.kind == "cached":
        for heard in machine.checks.cached_property:
            heard(machine, frame, node, owner, result)
    return result


def of_class(machine: Machine, frame: Frame, node: ir.Expr, value: Class, attr: str) -> Value:
    found = value.find(attr)
    if found is None:
        if attr == "_fields" and value.fields:
            return Sequence("tuple", [Static(n) for n in value.fields], None)
        if attr == "__name__":
            return Static(value.name)
        answer = machine.frameworks.ask("attribute", value, machine, frame, value.node, value, attr)
        if answer is not None:
            return answer
        return (
            Method(value, attr)
            if attr in ("_make", "_fields")
            else machine.unknown("class attribute")
        )
    if isinstance(found, Descriptor):
        if found.kind == "static":
            return found.func
        if found.kind == "class":
            return Bound(found.func, value, frame.loop)
        return machine.unknown("property of a class")
    if value.opaque and isinstance(found, Static):
        # A metaclass makes members of its constants, as that of enumerations does.
        return machine.unknown("constant in a class with an unknown base")
    return found


def of_super(machine: Machine, frame: Frame, node: ir.Expr, value: Super, attr: str) -> Value:
    """What the classes behind `value.cls` say, in the order of the object's own class."""
    owner = value.owner
    cls = owner.cls if isinstance(owner, Instance) else owner
    lineage = cls.lineage if isinstance(cls, Class) and cls.derives(value.cls) else None
    lineage = lineage or value.cls.lineage
    for base in lineage[lineage.index(value.cls) + 1 :]:
        found = base.namespace.get(attr)
        if isinstance(found, (Function, Transformed)):
            return Bound(found, owner, frame.loop)
        if isinstance(found, Descriptor) and found.kind == "class":
            return Bound(found.func, owner, frame.loop)
        if found is not None:
            return found.func if isinstance(found, Descriptor) else found
    held = method_of(owner, attr) if isinstance(owner, Instance) and attr != "__init__" else None
    if held is not None:
        return Method(held, attr, node)
    return (
        LibraryName("builtins.object.__init__") if attr == "__init__" else machine.unknown("super")
    )


def of_member(
    machine: Machine, frame: Frame, node: ir.Expr, value: Static, member: Member, attr: str
) -> Value:
    """An attribute of a member of an enumeration."""
    if attr in ("name", "_name_"):
        return Static(member.name)
    if attr in ("value", "_value_"):
        return member.value
    found = member.cls.find(attr)
    if isinstance(found, Function):
        return Bound(found, value, frame.loop)
    if isinstance(found, Descriptor) and found.kind == "property":
        return machine.call(frame, node, found.func, Args([value], nodes=[node]))
    return STATIC if found is None else found
