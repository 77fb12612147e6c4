"""The dynamic context of a run: what code inherits from the code that runs it.

It is one immutable value, `machine.dynamic`. `machine.within(...)` runs code in another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.circumstances import IN_LOOP, NOTHING, Circumstances
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Heap, Static, Union, Unknown, Value
from jaxlint.engine.summaries.effects import WHOLE_STACK, Effects
from jaxlint.syntax import ir

# What names of a module hold that are bound again, or filled.
_HOLDING = (Union, Heap, Static, Unknown)


class DynamicContext(NamedTuple):
    """All that the running code inherits; the defaults hold where nothing is around.

    `conditions`, `muted`, `eager`, `unstaged`, `compile_time`, `supposed` and `unsure` count how
    many of the surrounding runs say so.
    """

    # The module whose code runs outside any function.
    running: Frame
    # Collects what the running function reads and does outside itself.
    effects: Effects
    # The functions that run, outermost first, and their frames.
    stack: tuple[ir.FunctionDef, ...] = ()
    frames: tuple[Frame, ...] = ()
    # The calls that led to the running code from outside, outermost first.
    calls: tuple[tuple[ir.Module, ir.Node], ...] = ()
    # Names under test around the running code.
    tested: frozenset[str] = frozenset()
    # What the handlers around catch of what tracers raise, by the builtin classes.
    caught: tuple[frozenset[str], ...] = ()
    # Open tests around the running code.
    conditions: int = 0
    # Nothing is emitted.
    muted: int = 0
    eager: int = 0
    # Control flow of JAX runs as that of Python does.
    unstaged: int = 0
    compile_time: int = 0
    # A function runs for arguments that no call passes.
    supposed: int = 0
    # One of several things happens, and the others do not.
    unsure: int = 0
    # Whether a test runs without what compiles in another variant of it.
    uncompiled: bool = False
    # The names of JAX that something else stands for while what runs does.
    patched: frozenset[str] = frozenset()
    # What frameworks keep while a function of theirs runs, innermost last.
    scopes: tuple[Any, ...] = ()
    # The frame that transformed the function that runs for any arguments.
    maker: Frame | None = None
    # Sees the operations of the kernel that runs, with their operands.
    watch: Callable[[Frame, ir.Node, list[Value]], None] | None = None
    # The identities of the facts of the alternative that runs.
    heard: set[Any] | None = None
    # Changes in place, while somebody asks for them.
    journal: list[Any] | None = None
    # Whether what runs is the affair of another module, which reports it by itself.
    idle: bool = False
    # Whether a host function runs for any arguments that did so before.
    rerun: bool = False
    # How many calls of presumed objects may follow within each other; none in a first run.
    presuming: int = 0

    def but(self, parts: Mapping[str, Any]) -> DynamicContext:
        """The context with some parts replaced."""
        values = list(self)
        is_other = False
        for name, part in parts.items():
            place = _PLACES[name]
            if values[place] is not part:
                values[place] = part
                is_other = True
        return tuple.__new__(DynamicContext, values) if is_other else self

    @property
    def holder(self) -> Frame:
        """The frame of the running function, or else of the running module."""
        return self.frames[-1] if self.frames else self.running

    @property
    def is_straight(self) -> bool:
        """Whether what runs does so in each call of the running function."""
        frame = self.holder
        return frame.path is frame.start and not frame.parted and not self.conditions

    @property
    def is_unsure(self) -> bool:
        """Whether what runs is one of several alternatives, or stands behind a doubtful test."""
        return self.unsure > 0 or any(frame.doubtful for frame in self.frames)

    def asked(self, root: Frame) -> frozenset[str]:
        """The names under test of the module around a function that is called: what it binds or
        fills once, it does once as well."""
        tested = self.tested
        return frozenset(name for name in tested if isinstance(root.env.get(name), _HOLDING))

    def circumstances(self) -> Circumstances:
        """The part of the context that matters only to what asks for it, as all facts do."""
        return Circumstances(
            self.muted > 0,
            self.is_unsure,
            self.conditions > 0,
            any(func.name.startswith("test") for func in self.stack),
            any(frame.loop is not None for frame in self.frames),
            frozenset(self.caught) if self.caught else NOTHING,
            self.asked(self.frames[-1].root) if self.frames and self.tested else NOTHING,
            self.presuming,
        )


_PLACES = {name: place for place, name in enumerate(DynamicContext._fields)}


class Dynamic:
    """What has a dynamic context."""

    dynamic: DynamicContext

    def within(self, **parts: Any) -> Within:
        """Inside, these parts of the context are others."""
        return Within(self, parts)

    def go_on_with(self, **parts: Any) -> None:
        """From here on these parts are others, until they are put back around the running code."""
        self.dynamic = self.dynamic.but(parts)

    def modes(self, on_host: bool = True) -> tuple[Any, ...]:
        """What of the context decides what any call gives and does. What values were used for
        matters to host code alone."""
        now = self.dynamic
        marks = typestate.current(self) if on_host else typestate.EMPTY
        scope = now.scopes[-1] if now.scopes else None
        given = marks if marks.marks else None
        ways = (now.eager, now.unstaged, now.compile_time, now.uncompiled)
        return *ways, now.idle, now.supposed > 0, scope, given

    def surroundings(self, trace: Trace) -> tuple[Any, ...]:
        """All that a call depends on besides its function and arguments."""
        # In eager traces, what tracers come from decides what is one.
        own = trace if trace.is_staged_by_eager or not (trace.staged or trace.is_host) else None
        return trace.staging(), own, self.modes(trace.is_host)

    def silences(self) -> DynamicContext:
        """The context, for code that finds less in some circumstances, and else does the same."""
        self.dynamic.effects.emits = True
        return self.dynamic

    def asks(self, parts: int) -> DynamicContext:
        """The context, for code that goes by these parts of the circumstances: a run that does
        stands for no call in others."""
        self.dynamic.effects.asks |= parts
        return self.dynamic

    def in_loop(self, frame: Frame) -> bool:
        """Whether a loop runs this code, in its frame or around."""
        return frame.innermost_loop() is not None or any(
            one.loop is not None for one in self.asks(IN_LOOP).frames
        )

    def frames_around(self) -> tuple[Frame, ...]:
        """The frames of the functions around, for code that goes by them: a run that does stands
        for no call elsewhere. A function that was transformed runs in the code that did so."""
        now = self.dynamic
        now.effects.goes_by(WHOLE_STACK)
        return now.frames if now.maker is None else (now.maker, *now.frames)

    def frames_until(self, enough: Callable[[Frame], bool], age: int = 0) -> list[Frame]:
        """The frames of the functions around, innermost first, up to one that is `enough` or before
        one that began earlier than `age`. A run that asks goes by these frames alone."""
        now, found = self.dynamic, list[Frame]()
        for frame in reversed(now.frames):
            is_older = frame.age < age
            if not is_older:
                found.append(frame)
            if is_older or enough(frame):
                now.effects.goes_by(len(now.frames) - len(found))
                return found
        return [*reversed(self.frames_around())]


class Within:
    """Puts back, at the end of a block, the parts of the context that the block replaces."""

    __slots__ = ("_before", "_inside", "_machine", "_parts")

    def __init__(self, machine: Dynamic, parts: dict[str, Any]) -> None:
        self._machine, self._parts = machine, parts

    def __enter__(self) -> Self:
        self._before = self._machine.dynamic
        self._inside = self._machine.dynamic = self._before.but(self._parts)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        now, before = self._machine.dynamic, self._before
        if now is self._inside:
            self._machine.dynamic = before
        else:
            # Other parts hold on after the block.
            held = {name: getattr(before, name) for name in self._parts}
            self._machine.dynamic = now.but(held)
