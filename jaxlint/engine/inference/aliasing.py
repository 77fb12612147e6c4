"""Which arrays values hold, and which objects of the analysis stand for more than one array."""

from __future__ import annotations

from collections.abc import Iterator as Iterates
from copy import copy

from jaxlint.dataflow.budget import METER
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traversal import parts, walk_values
from jaxlint.engine.domain.values import (
    Concrete,
    Instance,
    Iterator,
    Mapping,
    Sequence,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine

# How deep arrays are looked for in containers.
MOST_NESTED = 4


def arrays(value: Value, depth: int = MOST_NESTED) -> Iterates[Concrete]:
    """The arrays of JAX in a pytree, as far as they are known one by one."""
    return (one for one in walk_values(value, _parts_of_tree, depth) if isinstance(one, Concrete))


def _parts_of_tree(value: Value) -> list[Value]:
    if isinstance(value, Instance) and (not value.cls.tree or value.generic):
        return []
    return parts(value)


def another(value: Value, depth: int = MOST_NESTED) -> Value:
    """An element of the same container as `value`, and not the same one."""
    if isinstance(value, (Concrete, Unknown)):
        return copy(value)
    if not depth:
        return value
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        made = copy(value)
        made.items = [another(item, depth - 1) for item in value.items]
        return made
    if isinstance(value, Mapping):
        made_dict = copy(value)
        made_dict.items = {k: another(item, depth - 1) for k, item in value.items.items()}
        return made_dict
    return value


def several(machine: Machine, frame: Frame, alone: Value | None = None) -> set[int]:
    """Identities that stand for more than one array: elements of containers of unknown length,
    and fields of the one object that stands for all of its class, unless it is `alone`."""
    found: set[int] = set()
    frames: list[Frame] = [*machine.dynamic.frames, machine.dynamic.running]
    scope: Frame | None = frame
    while scope is not None:
        frames.append(scope)
        scope = scope.enclosing()
    for one in {id(each): each for each in frames}.values():
        METER.spend(len(one.env))
        for value in list(one.env.values()):
            if value is alone and isinstance(value, Instance):
                for item in value.fields.values():
                    _collect(item, found, False, MOST_NESTED - 1)
            else:
                _collect(value, found, False, MOST_NESTED)
    return found


def own_object(frame: Frame) -> Instance | None:
    """The object whose method runs: in one call of it, it is one object."""
    home = frame.home()
    if home.func is None or home.cls is None or not home.func.params:
        return None
    value = home.env.get(home.func.params[0].name)
    return value if isinstance(value, Instance) else None


def _collect(value: Value, found: set[int], shared: bool, depth: int) -> None:
    if isinstance(value, Concrete):
        if shared:
            found.add(id(value))
    elif depth and isinstance(value, (Sequence, Mapping, Iterator)):
        items = value.items or []
        for item in items.values() if isinstance(items, dict) else items:
            _collect(item, found, shared, depth - 1)
        if value.element is not None:
            _collect(value.element, found, True, depth - 1)
    elif depth and isinstance(value, Instance):
        for item in value.fields.values():
            _collect(item, found, shared or value.generic, depth - 1)
