"""The dynamic context of a run: what code inherits from the code that runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import AGES, Heap, Static, Union, Unknown, Value
from jaxlint.engine.summaries.effects import Effects
from jaxlint.syntax import ir

# What names of a module hold that are bound again, or filled.
_HOLDING = (Union, Heap, Static, Unknown)

# Each part of the context with what it is where nothing is around. All of them are saved while
# other code runs, so that a new one cannot be forgotten.
FRESH: dict[str, Callable[[], Any]] = {
    # The functions that run, outermost first, and their frames.
    "stack": list,
    "frames": list,
    # The calls that led to the running code from outside, outermost first.
    "calls": list,
    # Names under test around the running code.
    "tested": set,
    # What the handlers around catch of what tracers raise, by the builtin classes.
    "caught": list,
    "muted": int,
    "eager": int,
    # Positive where control flow of JAX runs as that of Python does.
    "unstaged": int,
    "compile_time": int,
    # Whether a test runs without what compiles in another variant of it.
    "uncompiled": bool,
    # The names of JAX that something else stands for while what runs does.
    "patched": frozenset,
    # Positive while a function runs for arguments that no call passes.
    "supposed": int,
    # Positive while one of several things happens, and the others do not.
    "unsure": int,
    # Open tests around the running code.
    "conditions": int,
    # What frameworks keep while a function of theirs runs, innermost last.
    "scopes": list,
    # The frame that transformed the function that runs for any arguments.
    "maker": lambda: None,
    # Sees the operations of the kernel that runs, with their operands.
    "watch": lambda: None,
    # Whether what runs is the affair of another module, which reports it by itself.
    "idle": bool,
    # Where a tracer was asked for its value last.
    "demanded": lambda: None,
    # The age of the oldest object or frame that the running function has changed.
    "oldest": lambda: next(AGES),
    # Whether a host function runs for any arguments that did so before.
    "rerun": bool,
    # What the running function reads and does outside itself.
    "effects": lambda: Effects(0),
}


class Dynamic:
    """The parts of the context, each as of the running code."""

    running: Frame
    stack: list[ir.FunctionDef]
    frames: list[Frame]
    calls: list[tuple[ir.Module, ir.Node]]
    tested: set[str]
    caught: list[frozenset[str]]
    muted: int
    eager: int
    unstaged: int
    compile_time: int
    uncompiled: bool
    patched: frozenset[str]
    supposed: int
    unsure: int
    conditions: int
    scopes: list[Any]
    maker: Frame | None
    watch: Callable[[Frame, ir.Node, list[Value]], None] | None
    idle: bool
    demanded: Frame | None
    oldest: int
    rerun: bool
    effects: Effects

    def start_apart(self) -> dict[str, Any]:
        """Begins code that nothing is around; what was there before."""
        before = {name: getattr(self, name) for name in FRESH if hasattr(self, name)}
        for name, make in FRESH.items():
            setattr(self, name, make())
        return before

    def snapshot(self) -> dict[str, Any]:
        """The context as it is, for code that may be left half-way."""
        return {name: getattr(self, name) for name in ("running", *FRESH)}

    def go_on(self, before: dict[str, Any]) -> None:
        """Puts the context back."""
        for name, held in before.items():
            setattr(self, name, held)

    def arrived(self, frame: Frame, node: ir.If) -> None:
        """Code comes to an `elif`, which no executor is asked for."""

    @property
    def is_straight(self) -> bool:
        """Whether what runs does so in each call of the running function."""
        frame = self.frames[-1] if self.frames else self.running
        return frame.path is frame.start and not frame.parted and not self.conditions

    @property
    def is_unsure(self) -> bool:
        """Whether what runs is one of several alternatives, or stands behind a doubtful test."""
        return self.unsure > 0 or any(frame.doubtful for frame in self.frames)

    def modes(self) -> tuple[Any, ...]:
        """What of the context decides what any call gives and does."""
        marks = typestate.current(self)
        scope = self.scopes[-1] if self.scopes else None
        given = marks if marks.marks else None
        ways = (self.eager, self.unstaged, self.compile_time, self.uncompiled)
        return *ways, self.idle, self.supposed > 0, scope, given

    def asked(self, root: Frame) -> set[str]:
        """The names under test of the module around a function that is called: what it binds or
        fills once, it does once as well."""
        return {name for name in self.tested if isinstance(root.env.get(name), _HOLDING)}

    def circumstances(self) -> tuple[Any, ...]:
        """The rest of the context: it matters to what asks for it, as all facts do."""
        return (
            self.muted > 0,
            self.is_unsure,
            self.conditions > 0,
            any(func.name.startswith("test") for func in self.stack),
            any(frame.loop is not None for frame in self.frames),
            frozenset(self.caught),
            frozenset(self.asked(self.frames[-1].root) if self.frames and self.tested else ()),
        )

    def silences(self) -> Self:
        """The machine, for code that finds less in some circumstances, and else does the same."""
        self.effects.emits = True
        return self

    def frames_around(self) -> list[Frame]:
        """The frames of the functions around, for code that goes by them: a run that does stands
        for no call elsewhere. A function that was transformed runs in the code that did so."""
        self.effects.placed = True
        return self.frames if self.maker is None else [self.maker, *self.frames]

    def asks(self) -> Self:
        """The machine, for code that goes by the circumstances: a run that does stands for no call
        in others."""
        self.effects.asks = True
        return self


def tells_more(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether all that is found in the second circumstances is found in the first."""
    muted, unsure, _, tests, _, caught, asked = one
    less_muted, less_unsure, _, less_tests, _, more_caught, more_asked = other
    more = muted <= less_muted and unsure <= less_unsure and tests <= less_tests
    return bool(more and caught <= more_caught and asked <= more_asked)
