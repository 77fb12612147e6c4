"""The names of a module, which tell whether any that counts was bound to something else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.engine.domain.values import Value


class Namespace(dict[str, "Value"]):
    """The environment of a module. `version` changes where a name of `read` is bound to another
    value or to none."""

    __slots__ = ("read", "version")

    def __init__(self, names: Mapping[str, Value]) -> None:
        super().__init__(names)
        self.read: set[str] = set()
        self.version = 0

    def __setitem__(self, name: str, value: Value) -> None:
        if name in self.read and self.get(name) is not value:
            self.version += 1
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.version += 1
        super().__delitem__(name)

    def update(self, names: Mapping[str, Value]) -> None:  # type: ignore[override]
        for name, value in names.items():
            self[name] = value

    def setdefault(self, name: str, value: Value) -> Value:
        if name not in self:
            self[name] = value
        return self[name]

    def pop(self, *arguments: Any) -> Value:
        self.version += 1
        return super().pop(*arguments)

    def popitem(self) -> tuple[str, Value]:
        self.version += 1
        return super().popitem()

    def clear(self) -> None:
        self.version += 1
        super().clear()
