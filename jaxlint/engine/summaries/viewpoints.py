"""What a call is given, seen apart from the analysis that it is made in.

Objects, reasons and frames count by the order in which they are met, so that two descriptions are
equal where the same objects are met in the same places. What they were is listed in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Concrete, Traced, Value
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

# A call that is given more than so many things is not described.
MOST_PARTS: Final = 400


class UndescribedError(Exception):
    """Something cannot be told apart from the analysis that it belongs to."""


class Description:
    """Describes values from the point of view of one trace.

    `objects`, `trails`, `entries`, `traces` and `frames` are what was met, in that order. `callee`
    is the function that is called and `owner` its first argument; `prior` tells how often that was
    changed, and its attributes bound, before the call. `is_local` tells that something was met that
    belongs to this analysis alone, `is_argument` that what is described is an argument, and not in
    one.
    """

    # How values are described, by their types, and any others.
    kinds: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {}
    special: ClassVar[Callable[[Any, Any], Any]]

    __slots__ = (
        "_entries",
        "_frames",
        "_keys",
        "_loans",
        "_numbers",
        "_straight",
        "_trails",
        "arrays",
        "callee",
        "entries",
        "frames",
        "is_argument",
        "is_local",
        "objects",
        "owner",
        "prior",
        "trace",
        "traces",
        "trails",
    )

    def __init__(self, machine: Any, trace: Trace, outer: tuple[object, ...]) -> None:
        self.trace = trace
        self.arrays: dict[int, Any] = machine.arrays
        self._loans = machine.loans
        self.objects: list[Value] = []
        self.trails: list[Provenance] = []
        # Outside staged code, each trace around has tracers of its own.
        eager = trace.is_staged_by_eager or not (trace.staged or trace.is_host)
        self.traces: list[Trace] = [*trace.chain()] if eager else [trace]
        self.entries: list[TraceEntry] = [one.entry for one in self.traces if one.entry is not None]
        self.frames: list[Frame] = []
        self.callee: ir.FunctionDef | None = None
        self.owner: Value | None = None
        self.prior: tuple[int, dict[str, int]] = 0, {}
        self.is_local = False
        self.is_argument = False
        self._keys: dict[str, int] = {}
        self._numbers: dict[int, int] = {}
        self._trails: dict[int, int] = {}
        self._entries = {id(one): at for at, one in enumerate(self.entries)}
        self._frames: dict[int, int] = {}
        self._straight = frozenset(map(id, outer))

    def value(self, value: Value) -> Any:
        """The description of a value. Raises UndescribedError."""
        return self.kinds.get(type(value), Description.special)(self, value)

    def values(self, values: Iterable[Value]) -> tuple[Any, ...]:
        """The descriptions of several values."""
        kinds, special = self.kinds, Description.special
        return tuple([kinds.get(type(one), special)(self, one) for one in values])

    def optional(self, value: Value | None) -> Any:
        """The description of a value that may be missing."""
        return None if value is None else self.value(value)

    def met(self, value: Value) -> int | None:
        """The number of a value that was met before; any other one is numbered."""
        known = self._numbers.get(id(value))
        if known is None:
            if len(self.objects) >= MOST_PARTS:
                raise UndescribedError("parts")
            self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return known

    def born(self, trace: Trace | None) -> int:
        """The trace in which something was made, seen from this one. One that is not open any more
        is told apart."""
        if trace is None or trace.is_host:
            return -1
        at = next((at for at, one in enumerate(self.traces) if one is trace), len(self.traces))
        if at == len(self.traces):
            self.traces.append(trace)
        is_open = at == 0 or any(one is trace for one in self.trace.chain())
        return at if is_open else -2 - at

    def path(self, path: object) -> bool:
        """Whether something was made on a straight path that leads to the call: which one says
        nothing more."""
        return id(path) in self._straight

    def entry(self, entry: TraceEntry | None) -> int:
        """A place where tracing starts, by its order."""
        if entry is None:
            return -1
        known = self._entries.get(id(entry))
        if known is None:
            known = self._entries[id(entry)] = len(self.entries)
            self.entries.append(entry)
        return known

    def trail(self, trail: Provenance) -> Any:
        """What reasons say of a value beside why it is traced."""
        known = self._trails.get(id(trail))
        if known is not None:
            return known
        self._trails[id(trail)] = len(self.trails)
        self.trails.append(trail)
        loop = None if trail.loop is None else trail.loop.origin
        varies, own = self.entry(trail.varies), self.entry(trail.entry)
        told = trail.flag, trail.optional, trail.spread
        return (trail.python, varies, loop, trail.length, own, *told)

    def dtype(self, dtype: str) -> Any:
        """A dtype; which key it names decides nothing where it names the argument itself."""
        if type(dtype) is not Origin:
            return dtype
        if self.is_argument:
            return ("key", dtype.many)
        known = self._keys.setdefault(dtype, len(self._keys))
        return ("keys", known, dtype.many)

    def arguments(self, env: dict[str, Value]) -> tuple[Any, ...]:
        """The descriptions of arguments by their names."""
        found = []
        for name, value in env.items():
            self.is_argument = isinstance(value, (Traced, Concrete))
            found.append((name, self.value(value)))
        self.is_argument = False
        return tuple(found)

    def frame(self, frame: Frame) -> Any:
        """A frame of a function that is shared, or else by its order."""
        if frame.parent is None or frame.age < SHARED:
            return ("f", id(frame))
        known = self._frames.get(id(frame))
        if known is None:
            known = self._frames[id(frame)] = len(self.frames)
            self.frames.append(frame)
        return known

    def is_lent(self, owner: Any) -> bool:
        """Whether this analysis has changed something that others share."""
        return bool(self._loans.holds(owner))

    def extent(self, value: Value) -> Any:
        """What is known of the length of an array."""
        found = self.arrays.get(id(value)) if self.arrays else None
        return None if found is None else found.told()
