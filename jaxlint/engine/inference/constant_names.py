"""What a name of host code holds, asked without running anything."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import Class, LibraryName, Mapping, Sequence, Static, Value
from jaxlint.engine.machine.names import BUILTINS
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Classes from which others inherit no behaviour that decides how their objects compare or convert.
PLAIN_BASES = frozenset({"abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol"})


def held(frame: Frame, name: str) -> Value | None:
    """What a name is bound to in a frame, or in those around it."""
    scope: Frame | None = frame
    while scope is not None:
        value = scope.env.get(name)
        if value is not None:
            return value
        scope = scope.parent if scope.kind == "comprehension" else scope.enclosing()
    return LibraryName(f"builtins.{name}") if name in BUILTINS else None


def dotted(frame: Frame, node: Any) -> str:
    """The full name of what an expression names, "" where that is nothing of a library."""
    if isinstance(node, ir.Name):
        value = held(frame, node.id)
        return lookup.canonical(value.dotted) if isinstance(value, (LibraryName, Module)) else ""
    if isinstance(node, ir.Attribute):
        owner = dotted(frame, node.value)
        return lookup.canonical(f"{owner}.{node.attr}") if owner else ""
    return ""


def number(frame: Frame, node: Any) -> int | None:
    """The integer that a name holds, or the number of elements of the container."""
    value = held(frame, node.id) if isinstance(node, ir.Name) else None
    if isinstance(value, Static):
        known = isinstance(value.const, int) and not isinstance(value.const, bool)
        return value.const if known else None
    if isinstance(value, Sequence) and value.items is not None:
        return len(value.items)
    if isinstance(value, Mapping) and not value.open and value.element is None:
        return len(value.items)
    return None


def decorators(cls: Class) -> list[tuple[str, dict[str, Any]]] | None:
    """The decorators of a class by name, with the literals among their keywords; None where one
    is not known."""
    found: list[tuple[str, dict[str, Any]]] = []
    if cls.node is None or cls.home is None:
        return []
    for node in cls.node.decorators:
        call = node if isinstance(node, ir.Call) else None
        name = dotted(cls.home, node if call is None else call.func)
        given: dict[str, Any] = {}
        if name == "functools.partial" and call is not None and call.args:
            name = dotted(cls.home, call.args[0].value)
        for argument in () if call is None else call.args:
            if argument.keyword is not None and isinstance(argument.value, ir.Const):
                given[argument.keyword] = argument.value.value
        if not name:
            return None
        found.append((name, given))
    return found
