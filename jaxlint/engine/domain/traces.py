"""Traces: the activations of transforms, and the host."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final, Literal

from jaxlint.engine.domain.values import AGES
from jaxlint.facts.provenance import TraceEntry
from jaxlint.knowledge.transforms import WrapperKind

TraceKind = WrapperKind | Literal["host", "primal", "staged"]
"""The transform that a trace is of, the host, a function whose own rules give its derivatives, or
control flow, which is staged everywhere."""


Way = Literal["differentiated", "mapped"]

# What a transform binds that names no axis.
NO_AXES: Final[frozenset[str]] = frozenset()


class Looks:
    """What code asks of the traces around it: the age of the oldest one that it looked at."""

    __slots__ = ("oldest",)

    def __init__(self) -> None:
        self.oldest = sys.maxsize

    def at(self, trace: Trace) -> None:
        """Something depends on which trace this is, and not on staging alone."""
        self.oldest = min(self.oldest, trace.age)

    def through(self, trace: Trace) -> None:
        """Something depends on a trace and all that are around it."""
        for one in trace.chain():
            self.at(one)

    def since(self, before: int, age: int) -> bool:
        """Whether a trace older than `age` was looked at; goes on with what was so `before`."""
        looked = self.oldest < age
        self.oldest = min(self.oldest, before)
        return looked


LOOKS: Final = Looks()


class Trace:
    """One activation of a transform's body, or the host (`entry` is None).

    In a staged trace every JAX operation gives a tracer. `compiled` is the record of the
    jitted function whose trace this is, or the one around it. In a trace that is `once`, Python
    runs once for many executions, so that effects are lost; a body of eager `vmap` or `grad`
    runs as often as it is called. A trace `loses` once it, or one inside it, has made a number of
    a tracer without its derivative. `axes` are the names of axes that collectives may use, None
    where they are not known. Which transform it is of and what is around it are looked at
    (`LOOKS`): most code goes by staging alone.
    """

    __slots__ = (
        "_axes",
        "_kind",
        "_parent",
        "age",
        "binds",
        "compiled",
        "depth",
        "entry",
        "is_host",
        "loses",
        "once",
        "shape",
        "shards",
        "staged",
        "ways",
    )

    def __init__(
        self,
        kind: TraceKind,
        parent: Trace | None,
        entry: TraceEntry | None,
        staged: bool,
        compiled: Any = None,
        once: bool = False,
        binds: frozenset[str] | None = NO_AXES,
        is_outermost: bool = False,
        checks: bool | None = None,
    ) -> None:
        self.age = next(AGES)
        self._kind = kind
        self._parent = parent
        # What calls host code may bind axes.
        outer: frozenset[str] | None = None if parent is None else parent._axes
        around_axes = NO_AXES if is_outermost else outer
        self._axes: frozenset[str] | None = (
            None if binds is None or around_axes is None else binds | around_axes
        )
        # The names of axes that it binds itself, None where they are not known.
        self.binds = binds
        self.entry = entry
        self.is_host = entry is None
        self.loses = False
        self.staged: bool = staged or (parent is not None and parent.staged)
        self.once: bool = once or compiled is not None or (parent is not None and parent.once)
        # Whether JAX keeps account of the axes of a mesh that values vary over: in `shard_map`, as
        # long as its checks are not switched off; None outside.
        outside = None if parent is None else parent.shards
        self.shards: bool | None = checks if kind == "shard" else outside
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.compiled: Any = compiled if compiled is not None else parent and parent.compiled
        how = None if entry is None else entry.application
        ways = set[Way]() if parent is None else {*parent.ways}
        if kind in ("ad", "custom"):
            ways.add("differentiated")
        elif kind == "primal":
            ways.discard("differentiated")
        if kind in ("vmap", "shard") or (how is not None and how.transform.endswith("pmap")):
            ways.add("mapped")
        # What is so of this trace or of one around it.
        self.ways: frozenset[Way] = frozenset(ways)
        own = (kind, how, self.staged, self.once, compiled is not None)
        # The same for traces in which the same code does the same: how often one of a kind is
        # inside another does not matter.
        around: frozenset[Any] = frozenset() if parent is None else parent.shape[1]
        self.shape: tuple[Any, frozenset[Any]] = (own, around | {own})

    @property
    def kind(self) -> TraceKind:
        """What the trace is of."""
        LOOKS.at(self)
        return self._kind

    @property
    def parent(self) -> Trace | None:
        """The trace around it."""
        LOOKS.at(self)
        return self._parent

    @property
    def axes(self) -> frozenset[str] | None:
        """The names of axes that are bound in it."""
        LOOKS.through(self)
        return self._axes

    def staging(self) -> tuple[Any, ...]:
        """What decides what most code does in the trace."""
        ways = self.is_host, self.staged, self.once, self.compiled is None, self.loses
        return *ways, self.ways

    @property
    def is_ad(self) -> bool:
        """Whether it differentiates outside staged code."""
        return not self.staged and self._kind == "ad"

    def around(self) -> Iterator[Trace]:
        """This trace and those around it, innermost first."""
        LOOKS.at(self)
        trace: Trace | None = self
        while trace is not None:
            yield trace
            trace = trace.parent

    def chain(self) -> Iterator[Trace]:
        """The same, for what tells the traces apart anyway."""
        trace: Trace | None = self
        while trace is not None:
            yield trace
            trace = trace._parent

    @property
    def outermost(self) -> Trace:
        """The trace around this one that begins on the host, or this one."""
        trace = self
        while trace.parent is not None and not trace.parent.is_host:
            trace = trace.parent
        return trace

    @property
    def is_staged_by_eager(self) -> bool:
        """Whether a body of control flow that `grad` or `vmap` runs outside staged code: what
        its tracers come from decides whether its result is one."""
        around = self
        while around._parent is not None and around.staged:
            around = around._parent
        return self.staged and not around.is_host
