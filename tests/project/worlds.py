"""What the modules that analyses share hold, all of it, for a comparison of before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.special_values import Deferred
from jaxlint.engine.domain.values import Class, Instance, Value
from jaxlint.engine.machine.world import World
from jaxlint.engine.summaries.transformed import TransformUse

# What is only a memory of something that other attributes say.
_CACHES = frozenset({"keyed", "decided", "is_data", "asked", "reach"})
_OF_FRAMES = ("env", "stars")
_OBJECTS = (Value, TransformUse, Args, Frame)

State = dict[int, tuple[Any, dict[str, Any]]]


def state(world: World) -> State:
    """All objects that the modules lead to, by their identities, and what each attribute holds."""
    found: State = {}
    waiting: list[Any] = list(world.frames())
    while waiting:
        one = waiting.pop()
        if id(one) in found:
            continue
        parts = {name: getattr(one, name) for name in _attributes(one)}
        found[id(one)] = one, {name: _content(held) for name, held in parts.items()}
        waiting += [inner for held in parts.values() for inner in _objects(held)]
    return found


def changes(before: State) -> Iterator[str]:
    """What is not as it was. Names that were not asked for may be known by now, and the object that
    shared code has of a class of its own may have been made."""
    for one, parts in before.values():
        for name, held in parts.items():
            if isinstance(one, Class) and name in ("generic", "made") and _is_shared(one.generic):
                continue
            now = _content(getattr(one, name))
            if isinstance(one, Frame) and name == "env":
                now = {key: told for key, told in now.items() if key in held}
            if now != held:
                yield f"{type(one).__name__}.{name} of {one!r}"


def _is_shared(made: Instance | None) -> bool:
    return made is not None and made.age < SHARED


def _attributes(one: Any) -> list[str]:
    if isinstance(one, Frame):
        return [*_OF_FRAMES]
    slots = (name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ()))
    return [name for name in slots if name not in _CACHES]


def _content(held: Any) -> Any:
    if isinstance(held, dict):
        known = {key: one for key, one in held.items() if not isinstance(one, Deferred)}
        return {
            key: _content(one) if isinstance(one, list) else id(one) for key, one in known.items()
        }
    if isinstance(held, (list, tuple)):
        return tuple(map(id, held))
    if isinstance(held, (set, frozenset)):
        return set(map(id, held))
    return held if isinstance(held, (int, str, bool)) else id(held)


def _objects(held: Any) -> Iterator[Any]:
    parts = held.values() if isinstance(held, dict) else held
    for one in (
        parts if isinstance(parts, (list, tuple, set, frozenset)) or parts is not held else [held]
    ):
        inside = one if isinstance(one, tuple) else (one,)
        yield from (inner for inner in inside if isinstance(inner, _OBJECTS))
