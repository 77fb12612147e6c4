"""What a call may have changed whose function was not run: the containers that it fills, and the
attributes that it sets, by itself and in the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from jaxlint.engine.domain.changes_by_name import NamedCall, Path, changes_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.value import options
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Instance,
    Mapping,
    Sequence,
    Unknown,
    Value,
)
from jaxlint.syntax import ir

# So many functions are looked into for one call.
MOST_LOOKED_INTO: Final = 24


def forget(machine: Any, func: Function, env: dict[str, Value], unknown: Unknown) -> None:
    """Forgets what the containers hold whose elements a call changes, and the attributes that it
    sets of objects: of its arguments, and of what names around the function lead to."""
    seen: set[tuple[int, ...]] = set()
    waiting: list[tuple[ir.FunctionDef, Frame, dict[str, Value]]] = [(func.node, func.frame, env)]
    while waiting and len(seen) < MOST_LOOKED_INTO:
        node, frame, given = waiting.pop(0)
        identity = (id(node), *(id(given.get(param.name)) for param in node.params))
        if identity in seen:
            continue
        seen.add(identity)
        changes = changes_of(node)
        for path in changes.filled:
            for value in _found(path, given, frame):
                _forget_elements(machine, value, unknown)
        for path in changes.stored:
            for value in _found(path[:-1], given, frame):
                if isinstance(value, Instance):
                    machine.alters(value)
                    value.fields[path[-1]] = unknown
        for call in changes.calls:
            waiting += _called(call, given, frame)


def _forget_elements(machine: Any, value: Value, unknown: Unknown) -> None:
    if isinstance(value, Mapping):
        machine.alters(value)
        value.items = dict.fromkeys(value.items, unknown)
        value.element, value.open = unknown, True
    elif isinstance(value, Sequence) and value.kind != "tuple":
        machine.alters(value)
        value.items, value.element, value.holds = None, unknown, None


def _found(path: Path, given: dict[str, Value], frame: Frame) -> Iterator[Value]:
    """What is found at a path: the alternatives of its value."""
    name, *attributes = path
    values = options(given[name]) if name in given else _outer(name, frame)
    for attribute in attributes:
        values = tuple(one for value in values for one in _attribute(value, attribute))
    yield from values


def _outer(name: str, frame: Frame) -> tuple[Value, ...]:
    """What a name is in the code around a function: not what a class binds around a method."""
    scope = frame if frame.kind != "class" else frame.enclosing()
    while scope is not None and name not in scope.env:
        scope = scope.enclosing()
    return () if scope is None else options(scope.env[name])


def _attribute(value: Value, name: str) -> tuple[Value, ...]:
    if isinstance(value, Instance) and name in value.fields:
        return options(value.fields[name])
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, Class):
        return ()
    found = (one.namespace.get(name) for one in cls.lineage)
    return tuple(one for held in found if held is not None for one in options(held))


def _called(
    call: NamedCall, given: dict[str, Value], frame: Frame
) -> Iterator[tuple[ir.FunctionDef, Frame, dict[str, Value]]]:
    """The functions that a call leads to, with what is known of their arguments. A method may be
    that of any class that the class of its object inherits from."""
    arguments = [_argument(path, given, frame) for path in call.given]
    named = {name: _argument(path, given, frame) for name, path in call.named}
    owners = [*_found(call.callee[:-1], given, frame)] if len(call.callee) > 1 else [None]
    for owner in owners:
        path = call.callee
        found = _attribute(owner, path[-1]) if owner is not None else _found(path, given, frame)
        for one in found:
            first: tuple[Value | None, ...] = (owner,) if isinstance(owner, Instance) else ()
            if isinstance(one, Bound):
                first, one = (one.owner,), one.func
            if isinstance(one, Function):
                names = [param.name for param in one.node.params]
                env = {**dict(zip(names, (*first, *arguments), strict=False)), **named}
                known = {name: value for name, value in env.items() if value is not None}
                yield one.node, one.frame, known


def _argument(path: Path | None, given: dict[str, Value], frame: Frame) -> Value | None:
    found = () if path is None else tuple(_found(path, given, frame))
    return found[0] if len(found) == 1 else None
