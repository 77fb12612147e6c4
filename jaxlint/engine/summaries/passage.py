"""From the values of one call to those of another one."""

from __future__ import annotations

from copy import copy
from typing import Any, Self, cast

from jaxlint.base.dataclass import replace
from jaxlint.engine.domain.possibilities import Possible
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Concrete,
    Sequence,
    Traced,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.summaries.effects import Effects
from jaxlint.facts.provenance import Provenance

# What a call makes anew each time, but for what it was given or found.
MADE = (Concrete, Traced, Unknown)
# How deep arguments are compared one by one.
MOST_NESTED = 3


class Passage:
    """From the values of one call to those of another: arrays that it makes are made anew, what
    it is given is what the other one is given, and so are the reasons why they are traced."""

    __slots__ = ("arrays", "before", "effects", "trace", "trails", "values")

    def __init__(
        self, before: Trace, effects: Effects, trace: Trace, arrays: dict[int, Any]
    ) -> None:
        self.before, self.effects = before, effects
        self.trace, self.arrays = trace, arrays
        self.values: dict[int, Any] = {}
        # By identity: the old steps, kept alive by the remembered call, and the new ones.
        self.trails: dict[int, Provenance] = {}

    def between(self, old: dict[str, Value], new: dict[str, Value]) -> Self:
        """Matches arguments by their names, and what they hold."""
        for name, given in old.items():
            self._match(given, new.get(name, given), MOST_NESTED)
        return self

    def _match(self, old: Any, new: Any, depth: int) -> None:
        self.values.setdefault(id(old), new)
        if old is new:
            return
        if isinstance(old, Traced) and isinstance(new, Traced):
            if old.trail is not new.trail:
                self.trails.setdefault(id(old.trail), new.trail)
        elif depth and isinstance(old, Union) and isinstance(new, Union):
            for one, other in zip(old.options, new.options, strict=False):
                self._match(one, other, depth - 1)
        elif depth and isinstance(old, Sequence) and isinstance(new, Sequence):
            for one, other in zip(old.items or (), new.items or (), strict=False):
                self._match(one, other, depth - 1)

    def value(self, value: Value) -> Value:
        """A value that is no container."""
        if id(value) in self.values:
            return cast("Value", self.values[id(value)])
        if isinstance(value, (Union, Possible)):
            return value.rebuild(list(map(self.value, value.options)))
        if not isinstance(value, MADE) or self.effects.reads_value(value):
            return value
        made = copy(value)
        if isinstance(made, Traced):
            made.trail = self._trail(made.trail)
        extent = self.arrays.get(id(value))
        if extent is not None:
            self.arrays[id(made)] = replace(extent, array=made)
        return made

    def _trail(self, trail: Provenance) -> Provenance:
        steps: list[Provenance] = []
        base: Provenance | None = None
        step: Provenance | None = trail
        while step is not None and base is None:
            base = self.trails.get(id(step))
            if base is None:
                steps.append(step)
            step = step.parent
        if base is None and self.trace is self.before:
            return copy(trail)
        entry, here = self.before.entry, self.trace.entry
        if base is not None:
            inside = steps[-1].parent if steps else None
            entry, here = None if inside is None else inside.entry, base.entry
        for old in reversed(steps):
            made = copy(old)
            made.parent = base
            if here is not None and old.entry is entry:
                made.entry = here
            if old.unlike:
                made.unlike = tuple(self.trails.get(id(one), one) for one in old.unlike)
            base = made
        return base or trail
