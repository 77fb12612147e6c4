"""What an expression stands for, asked without evaluating it once more."""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Deferred, EffectfulObject, Module
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Method,
    NumPy,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.names import BUILTINS
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_WITH_METHODS = (Traced, Concrete, NumPy, Sequence, Mapping, EffectfulObject)


def is_chain(node: ir.Expr) -> bool:
    """Whether this is a name, or attributes of one."""
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)


def peek(machine: Machine, frame: Frame, node: ir.Expr) -> Value | None:
    """The value of a name or of attributes of one, None where more would have to be run."""
    if isinstance(node, ir.Name):
        return _named(machine, frame, node.id)
    if not isinstance(node, ir.Attribute):
        return None
    owner = peek(machine, frame, node.value)
    if owner is None or isinstance(owner, Unknown):
        return owner
    return _attribute(machine, node, owner, node.attr)


def is_annotated_static(machine: Machine, frame: Frame, annotation: ir.Expr | None) -> bool:
    """Whether an annotation says of a field or a parameter that it is static."""
    if not isinstance(annotation, ir.Subscript):
        return False
    base = peek(machine, frame, annotation.value)
    return isinstance(base, LibraryName) and lookup.is_static_annotation(base.dotted)


def _named(machine: Machine, frame: Frame, name: str) -> Value | None:
    scope: Frame | None = frame.root if name in frame.globals else frame
    while scope is not None:
        value = scope.env.get(name)
        if value is not None:
            return (
                machine.semantics.resolve(machine, value) if isinstance(value, Deferred) else value
            )
        if name in scope.bound and scope.kind == "function":
            return None
        scope = scope.enclosing()
    for star in frame.root.stars:
        if lookup.function(f"{star}.{name}") is not None:
            return LibraryName(lookup.canonical(f"{star}.{name}"))
    return LibraryName(f"builtins.{name}") if name in BUILTINS else None


def _attribute(machine: Machine, node: ir.Attribute, owner: Value, attr: str) -> Value | None:
    if isinstance(owner, LibraryName):
        return machine.semantics.external(machine, f"{owner.dotted}.{attr}")
    if isinstance(owner, Module):
        return machine.semantics.member(machine, owner, attr)
    if isinstance(owner, (Traced, Concrete)) and attr in lookup.ARRAY_ATTRIBUTES:
        return owner
    if isinstance(owner, _WITH_METHODS):
        return None if attr in lookup.STATIC_ATTRIBUTES else Method(owner, attr, node)
    if isinstance(owner, Instance):
        found = owner.fields.get(attr)
        found = owner.cls.find(attr) if found is None else found
        return Bound(found, owner) if isinstance(found, (Function, Transformed)) else _plain(found)
    return _plain(owner.find(attr)) if isinstance(owner, Class) else None


def _plain(value: Value | None) -> Value | None:
    return None if isinstance(value, (Descriptor, Static)) else value
