"""What one analysis changes of the objects that it shares with others, which it puts back."""

from __future__ import annotations

from typing import Any, Final

from jaxlint.engine.domain.kinds.containers import SHARED

_CONTAINERS: Final = (list, dict, set)
_SLOTS: Final[dict[type[Any], tuple[str, ...]]] = {}


class Loans:
    """Things of shared modules as they were before this analysis first changed them.

    Objects are named by their identities; they are kept alive here.
    """

    __slots__ = ("_lists", "_names", "_objects")

    def __init__(self) -> None:
        self._objects: dict[int, tuple[Any, list[tuple[str, Any, Any]]]] = {}
        self._names: dict[tuple[int, str], tuple[Any, Any]] = {}
        self._lists: dict[int, tuple[list[Any], int]] = {}

    def take(self, owner: Any) -> None:
        """An object is about to change. One that has an age is shared if that is old enough."""
        if getattr(owner, "age", 0) < SHARED and id(owner) not in self._objects:
            self._objects[id(owner)] = owner, _parts(owner)

    def holds(self, owner: Any) -> bool:
        """Whether an object was taken."""
        return id(owner) in self._objects

    def take_name(self, frame: Any, name: str) -> None:
        """A name of a frame is about to be bound to something else."""
        if frame.age < SHARED and (id(frame), name) not in self._names:
            self._names[id(frame), name] = frame, frame.env.get(name)

    def take_log(self, log: list[Any], age: int) -> None:
        """Something is about to be added to a list of an owner of this age."""
        if age < SHARED and id(log) not in self._lists:
            self._lists[id(log)] = log, len(log)

    def taken(self, kind: type[Any]) -> list[Any]:
        """The objects of a kind that were taken, in that order."""
        return [owner for owner, _ in self._objects.values() if isinstance(owner, kind)]

    def before(self, owner: Any, name: str) -> Any:
        """A copy of a container of an object as it was before this analysis, empty where the object
        is of this analysis alone."""
        _, parts = self._objects.get(id(owner), (None, ()))
        return next((content for part, _, content in parts if part == name), ())

    def give_back(self) -> None:
        """Puts everything back as it was."""
        for log, length in self._lists.values():
            del log[length:]
        for owner, parts in self._objects.values():
            for name, held, content in parts:
                if content is not None:
                    _refill(held, content)
                if getattr(owner, name) is not held:
                    setattr(owner, name, held)
        for (_, name), (frame, value) in self._names.items():
            if value is not None:
                frame.env[name] = value
            elif name in frame.env:
                del frame.env[name]
        for taken in (self._lists, self._objects, self._names):
            taken.clear()


def _parts(owner: Any) -> list[tuple[str, Any, Any]]:
    """The attributes of an object: for each the value, and a copy of what a container holds."""
    kind = type(owner)
    if kind not in _SLOTS:
        _SLOTS[kind] = tuple(name for one in kind.__mro__ for name in getattr(one, "__slots__", ()))
    found = []
    for name in _SLOTS[kind]:
        held = getattr(owner, name)
        found.append((name, held, held.copy() if type(held) in _CONTAINERS else None))
    return found


def _refill(held: Any, content: Any) -> None:
    if held == content:
        return
    held.clear()
    if isinstance(held, list):
        held.extend(content)
    else:
        held.update(content)
