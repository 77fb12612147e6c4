"""Values taken from one call to another: other things stand in the places of what it is given."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, ClassVar, Final

from jaxlint.base.dataclass import declared, replace
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.kinds.containers import AGES, INSIDE, SHARED
from jaxlint.engine.domain.possibilities import Possible
from jaxlint.engine.domain.special_values import At, EffectfulObject, Module, Structure, Super
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Heap,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Method,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.fingerprints import outer_names
from jaxlint.engine.summaries.viewpoints import UndescribedError
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

# How deep values are taken apart.
MOST_NESTED: Final = 12


class Hole(Value):
    """A placeholder for something that a call is given."""

    __slots__ = ()


class Move:
    """Copies values of one call into another one. What is listed is replaced, and what the call
    made itself is made anew, if it is of one of the `kinds`."""

    kinds: ClassVar[set[type[Value]]] = {
        Traced,
        NumPy,
        Union,
        Class,
        Function,
        Sequence,
        Mapping,
        Instance,
        Iterator,
        Bound,
        Partial,
        Method,
        Descriptor,
        Transformed,
        FrameworkObject,
        EffectfulObject,
        Structure,
        Super,
        At,
    }

    __slots__ = (
        "arrays",
        "callee",
        "effects",
        "entries",
        "extents",
        "frames",
        "oldest",
        "path",
        "since",
        "tick",
        "traces",
        "trails",
        "used",
        "values",
    )

    def __init__(
        self,
        values: dict[int, Any],
        trails: dict[int, Any],
        entries: dict[int, Any],
        traces: dict[int, Any],
    ) -> None:
        self.values, self.trails = values, trails
        self.entries, self.traces = entries, traces
        # Of what is put in the places of other things, what was needed.
        self.used: set[int] = set()
        # The frames that functions are moved to that the call made.
        self.frames: dict[int, Frame] = {}
        self.path: object = None
        # When what the call did to its own objects is done again.
        self.tick: int | None = None
        # Where a result is taken apart: when the call began, what it did, and the arrays.
        self.since = 0
        # What is older is the same for all calls that this one stands for.
        self.oldest = SHARED
        self.effects: Effects | None = None
        self.callee: ir.FunctionDef | None = None
        self.arrays: dict[int, Any] = {}
        # What is known of arrays of the result, by what stands for them.
        self.extents: dict[int, Any] = {}

    def value(self, value: Value, depth: int = MOST_NESTED) -> Value:
        """What a value is in the other call. Raises UndescribedError for what belongs to one
        analysis."""
        found: Value | None = self.values.get(id(value))
        if found is not None:
            self.used.add(id(found))
            return found
        if isinstance(value, (Static, LibraryName, Module)):
            if isinstance(value, Question) or (isinstance(value, Static) and value.children()):
                raise UndescribedError("question")
            return value
        movable = type(value) in self.kinds or isinstance(value, (Concrete, Unknown))
        if depth == 0 or not movable:
            raise UndescribedError(type(value).__name__)
        made = self._made(value, depth)
        self.values[id(value)] = made
        return made

    def _made(self, value: Value, depth: int) -> Value:
        if isinstance(value, Class):
            if value.age >= self.oldest and self.effects is not None:
                raise UndescribedError("definition")
            return value
        if isinstance(value, Function):
            return self._function(value, depth)
        arrays = (Traced, Concrete, NumPy, Unknown)
        if isinstance(value, arrays) and not isinstance(value, Possible):
            return self._array(value)
        if isinstance(value, Heap):
            return self._heap(value, depth)
        if isinstance(value, EffectfulObject):
            made = copy(value)
            made.born = self.traces.get(id(value.born), value.born)
            return made
        if isinstance(value, Transformed) and value.record.age >= self.oldest and self.effects:
            raise UndescribedError("transformed")
        again = value.rebuild([self.value(one, depth - 1) for one in value.children()])
        if isinstance(again, FrameworkObject):
            again.born = self.traces.get(id(again.born), again.born)
            for name, held in again.state.items():
                if isinstance(held, Value):
                    again.state[name] = self.value(held, depth - 1)
                elif isinstance(held, dict):
                    inner = {part: self.value(one, depth - 1) for part, one in held.items()}
                    again.state[name] = inner
                elif self.effects is not None and not isinstance(held, _PLAIN):
                    raise UndescribedError("state")
        return again

    def _function(self, value: Function, depth: int) -> Function:
        if value.frame.age < self.oldest:
            return value
        if value.loop is not None:
            raise UndescribedError("loop")
        made = copy(value)
        self.values[id(value)] = made
        made.frame, below = self._frame(value.frame), depth - 1
        made.defaults = {name: self.value(one, below) for name, one in value.defaults.items()}
        made.wraps = None if value.wraps is None else self.value(value.wraps, below)
        made.shows = None if value.shows is None else self.value(value.shows, below)
        for name, scope in outer_names(value):
            moved = self.frames.get(id(scope))
            if moved is not None and name not in moved.env:
                moved.env[name] = self.value(scope.env[name], below)
        return made

    def _frame(self, frame: Frame) -> Frame:
        """A frame that the call left, of which nothing is known yet but what it is."""
        if frame.age < self.oldest or id(frame) in self.frames:
            return self.frames.get(id(frame), frame)
        own = frame.trace.is_host or id(frame.trace) in self.traces
        if frame.age < self.since or frame.kind != "function" or frame.parent is None or not own:
            raise UndescribedError("frame")
        made = copy(frame)
        self.frames[id(frame)] = made
        made.age, made.parent = next(AGES), self._frame(frame.parent)
        made.trace = self.traces.get(id(frame.trace), frame.trace)
        made.env, made.outer, made.loop = {}, (), None
        made.start = made.path = object()
        made.returns, made.yields, made.exits = [], [], []
        made.writes = {name: self._again(writes) for name, writes in frame.writes.items()}
        return made

    def _again(self, log: list[Any]) -> list[Any]:
        """What is noted of an object or a frame, with the moments at which it happens again."""
        tick = self.tick
        if tick is None:
            return [*log]
        return [one if one[0] == INSIDE else (tick, *one[1:]) for one in log]

    def _array(self, value: Value) -> Value:
        if self.effects is not None and self.effects.reads_value(value):
            return value
        dtype = getattr(value, "dtype", "")
        callee = self.callee
        if type(dtype) is Origin and callee is not None and dtype.root.holder.func is not callee:
            raise UndescribedError("key")
        made = copy(value)
        if isinstance(made, Traced):
            made.trail = self.trail(made.trail)
        elif isinstance(made, NumPy):
            made.changes = [*made.changes]
        known = self.arrays.get(id(value)) if self.arrays else None
        if known is not None:
            self.extents[id(made)] = replace(known, array=made)
        return made

    def _heap(self, value: Heap, depth: int) -> Value:
        if value.age < self.oldest:
            return value
        generic = isinstance(value, Instance) and value.generic
        if value.age < self.since or value.leaks or generic:
            raise UndescribedError("object")
        if isinstance(value, Instance):
            self.value(value.cls)
        made = copy(value)
        made.age = next(AGES)
        self.values[id(value)] = made
        below = depth - 1
        made.born = self.traces.get(id(value.born), value.born)
        made.changes, made.leaks = self._again(value.changes), []
        made.path = self.path
        if isinstance(made, (Sequence, Iterator)):
            if made.items is not None:
                made.items = [self.value(one, below) for one in made.items]
            made.holds = None if made.holds is None else self._traced(made.holds, below)
        if isinstance(made, (Sequence, Iterator, Mapping)) and made.element is not None:
            made.element = self.value(made.element, below)
        if isinstance(made, Sequence):
            made.last = None if made.last is None else self.value(made.last, below)
            if made.head is not None:
                first, rest = made.head
                made.head = [self.value(one, below) for one in first], self.value(rest, below)
        elif isinstance(made, Mapping):
            made.items = {name: self.value(one, below) for name, one in made.items.items()}
            made.keyed = None
        elif isinstance(made, Instance):
            made.fields = {name: self.value(one, below) for name, one in made.fields.items()}
            made.tree = None if made.tree is None else self._traced(made.tree, below)
            made.writes = {name: self._again(log) for name, log in made.writes.items()}
            made.keyed = None
        return made

    def emptied(self, value: Instance) -> Instance:
        """An object that the call was given, with what it holds once the call has ended."""
        made = copy(value)
        made.fields = {name: self.value(one) for name, one in value.fields.items()}
        made.tree = None if value.tree is None else self._traced(value.tree, MOST_NESTED)
        made.changes, made.leaks, made.path, made.writes = [], [], None, {}
        if value.leaks:
            raise UndescribedError("leaks")
        return made

    def fact(self, fact: Any) -> Any:
        """What was found, as it is found elsewhere."""
        made = copy(fact)
        for name in declared(type(fact)):
            held = getattr(fact, name)
            if isinstance(held, Provenance):
                setattr(made, name, self.trail(held))
            elif isinstance(held, TraceEntry):
                setattr(made, name, self.entries.get(id(held), held))
            elif self.effects is not None and name not in _AROUND and not _is_told(held):
                raise UndescribedError("fact")
        if self.effects is not None:
            made.sources, made.calls = None, ()
        return made

    def _traced(self, value: Traced, depth: int) -> Any:
        return self.value(value, depth)

    def trail(self, trail: Provenance) -> Provenance:
        """Why a value is traced elsewhere."""
        steps: list[Provenance] = []
        step: Provenance | None = trail
        base: Provenance | None = None
        while step is not None:
            base = self.trails.get(id(step))
            if base is not None:
                self.used.add(id(base))
                break
            steps.append(step)
            step = step.parent
        for old in reversed(steps):
            made = copy(old)
            made.parent = base
            made.entry = self.entries.get(id(old.entry), old.entry)
            if old.varies is not None:
                made.varies = self.entries.get(id(old.varies), old.varies)
            if old.unlike:
                made.unlike = tuple(self.trails.get(id(one), one) for one in old.unlike)
            self.trails[id(old)] = base = made
        assert base is not None
        return base


# What is told of a fact when it is found.
_AROUND: Final = frozenset({"sources", "calls", "module", "node"})


def _is_told(held: Any) -> bool:
    """Whether a part of a fact is the same wherever that is found."""
    if isinstance(held, (tuple, list, frozenset, set)):
        return all(map(_is_told, held))
    return isinstance(held, _PLAIN) or type(held).__module__ == ir.__name__


_PLAIN: Final = (str, int, float, bool, type(None), frozenset)


def by_identity(old: Iterable[Any], new: Iterable[Any]) -> dict[int, Any]:
    """What stands for each thing, by its identity."""
    return {id(one): other for one, other in zip(old, new, strict=True)}
