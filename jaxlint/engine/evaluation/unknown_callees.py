"""Containers and objects that code is given which is not known: it may store something else in
them."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.values import (
    Instance,
    Mapping,
    Perhaps,
    Sequence,
    Static,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.machine.machine import Machine


def handed(machine: Machine, args: Args) -> None:
    """The constants in the containers of a call are placeholders for all that is known, and so is
    None in the fields of objects."""
    for value in args.values():
        if isinstance(value, Mapping) and any(map(_is_constant, value.items.values())):
            machine.alters(value)
            value.items = {name: _opened(one) for name, one in value.items.items()}
        elif isinstance(value, Sequence) and any(map(_is_constant, _elements(value))):
            machine.alters(value)
            value.items = [_opened(one) for one in _elements(value)]
        elif isinstance(value, Instance) and not (value.generic or value.cls.tree):
            _open_fields(machine, value)


def _open_fields(machine: Machine, owner: Instance) -> None:
    """Fields that hold nothing yet may hold something behind the call."""
    empty = [name for name, value in owner.fields.items() if is_none(value)]
    if empty:
        machine.alters(owner)
    for name in empty:
        owner.fields[name] = Perhaps("field that unknown code may set")


def _elements(value: Sequence) -> list[Value]:
    """The elements that may be replaced and are known one by one."""
    return value.items or [] if value.kind == "list" else []


def _is_constant(value: Value) -> bool:
    return isinstance(value, Static) and value.known


def _opened(value: Value) -> Value:
    return Unknown("element that unknown code may replace") if _is_constant(value) else value
