"""What counts in the end, key by key, and where each part of it was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.settings.build import Layers, flat_or_same
from jaxlint.settings.keys import KEYS, Key
from jaxlint.settings.read import Layer

_RULES = ("extend-select", "ignore")


@slotted(frozen=True)
class Origin:
    """Where something was said: in a file, by an option, or, if both are empty, nowhere."""

    file: str = ""
    line: int = 0
    option: str = ""


@slotted(frozen=True)
class Part:
    """A value, or an item of a list, or a pair of a table with its key, and its origin."""

    value: Any
    origin: Origin
    key: str = ""


@slotted(frozen=True)
class Effective:
    """A key and the parts of its value; one part that is the default, if it was not given."""

    key: Key
    parts: tuple[Part, ...]

    @property
    def value(self) -> Any:
        """The value, None where the key counts for nothing."""
        if not isinstance(self.key.default, list | dict) and self.key.name != "select":
            return self.parts[0].value
        if isinstance(self.key.default, dict):
            return {part.key: part.value for part in self.parts if part.key}
        given = [part for part in self.parts if part.origin != Origin()]
        return [part.value for part in given] if given else self.key.default


def effective(layers: Sequence[Layer]) -> list[Effective]:
    """All keys but `extend`, with what counts of what these layers say."""
    keys = [key for key in KEYS if key.name != "extend"]
    return [Effective(key, tuple(_parts(key, layers)) or _default(key)) for key in keys]


def _default(key: Key) -> tuple[Part, ...]:
    return (Part(key.default, Origin()),)


def _parts(key: Key, layers: Sequence[Layer]) -> Iterator[Part]:
    if key.name in _RULES:
        layers = _since_selected(layers)
    pairs: dict[str, Part] = {}
    for layer, value in Layers(layers).said(key.name):
        if isinstance(value, list):
            origin = _origin(layer, *key.parts)
            yield from (Part(item, origin) for item in value)
        elif isinstance(value, dict):
            for name, item in flat_or_same(key.name, value).items():
                pairs[name] = Part(item, _origin(layer, *key.parts, name), name)
        else:
            yield Part(value, _origin(layer, *key.parts))
    yield from pairs.values()


def _since_selected(layers: Sequence[Layer]) -> Sequence[Layer]:
    """The layers from the last on that selects: what was turned on and off before is forgotten."""
    selecting = [number for number, layer in enumerate(layers) if "select" in layer.values]
    return layers[selecting[-1] :] if selecting else layers


def _origin(layer: Layer, *keys: str) -> Origin:
    if layer.path:
        return Origin(layer.path, layer.line(*keys))
    return Origin(option=layer.place(keys[0] if layer.options else ""))
