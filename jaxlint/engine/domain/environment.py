"""Where abstract execution stands: frames, loops, and the join of environments."""

from __future__ import annotations

import sys
from typing import Any

from jaxlint.dataflow.budget import METER, NAMES
from jaxlint.engine.domain.key_identity import recognised
from jaxlint.engine.domain.namespace import Namespace
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.typestate import BEGINNING, Typestate, joined
from jaxlint.engine.domain.values import AGES, Class, Heap, Static, Traced, Union, Value, join
from jaxlint.syntax import ir

# Before all ticks.
EVER = -sys.maxsize


class Loop:
    """A loop being executed in a frame: `names` are rebound by each iteration.

    `around` is the loop that runs it, which is in another frame for a class body's first loop.
    `depth` counts those loops, and `turns` the iterations that are followed one by one, theirs
    included.
    """

    __slots__ = (
        "breaks",
        "comprehension",
        "continues",
        "depth",
        "names",
        "parent",
        "path",
        "turns",
        "watched",
    )

    def __init__(
        self,
        names: frozenset[str],
        parent: Loop | None,
        comprehension: bool,
        around: Loop | None = None,
    ) -> None:
        around = parent or around
        self.depth: int = 0 if around is None else around.depth + 1
        self.turns: int = 1 if around is None else around.turns
        # Where an iteration begins.
        self.path: object = None
        # What is noted of the loop while it runs.
        self.watched: Any = None
        self.names = names
        self.parent = parent
        self.comprehension = comprehension
        self.breaks: list[dict[str, Value]] = []
        self.continues: list[dict[str, Value]] = []

    def within(self, other: Loop | None) -> bool:
        """Whether this loop is `other` or runs inside it."""
        loop: Loop | None = self
        while loop is not None:
            if loop is other:
                return True
            loop = loop.parent
        return False


class Frame:
    """One activation of a function, class body, comprehension or the module.

    `env` is the current environment; it is replaced, not changed, when paths fork. Closures
    keep the frame, so they see the environment of the moment they are called.
    """

    __slots__ = (
        "age",
        "annotations",
        "begun",
        "bound",
        "cls",
        "doubtful",
        "env",
        "exits",
        "func",
        "globals",
        "kind",
        "loop",
        "module",
        "nonlocals",
        "ordered",
        "outer",
        "parent",
        "parted",
        "path",
        "returns",
        "root",
        "stars",
        "start",
        "trace",
        "unsure",
        "writes",
        "yields",
    )

    def __init__(
        self,
        kind: str,
        parent: Frame | None,
        trace: Trace,
        func: ir.FunctionDef | None = None,
    ) -> None:
        self.age = next(AGES)
        # The tick at which the activation of a function began.
        self.begun = EVER
        self.kind = kind
        self.parent = parent
        self.root: Frame = self if parent is None else parent.root
        # Of a module's frame: its source, and the libraries whose names it has all imported.
        self.module: ir.Module | None = None
        self.stars: list[str] = []
        self.trace = trace
        self.func = func
        self.env: dict[str, Value] = Namespace(BEGINNING) if kind == "module" else {}
        self.bound: frozenset[str] = func.bound if func is not None else frozenset()
        self.globals: frozenset[str] = func.globals if func is not None else frozenset()
        self.nonlocals: frozenset[str] = func.nonlocals if func is not None else frozenset()
        self.returns: list[Value] = []
        self.yields: list[Value] = []
        # Whether `yields` is exactly what the generator yields, in order.
        self.ordered = True
        self.exits: list[dict[str, Value]] = []
        self.loop: Loop | None = None
        # The straight path from its beginning; code that may not run has a path of its own.
        self.start: object = object()
        self.path: object = self.start
        # The straight paths of the code that calls this one, exactly once where it stands.
        self.outer: tuple[object, ...] = ()
        # Whether some path has left this activation before its end.
        self.parted = False
        # Whether it may have ended already for reasons that are not followed.
        self.doubtful = False
        # How many alternatives it is one of, each of which may have been taken or not.
        self.unsure = 0
        self.cls: Class | None = None
        self.writes: dict[str, list[tuple[int, ir.Node]]] = {}

    def joined(self) -> None:
        """All paths of the module have met."""
        if not isinstance(self.env, Namespace):
            self.env = Namespace(self.env)

    def dismantle(self) -> None:
        """Lets go of what refers back to the frame, or to the syntax behind it."""
        self.module = self.func = self.cls = None
        for held in (self.env, self.writes, self.returns, self.yields, self.exits):
            held.clear()

    def is_straight(self, owner: Heap) -> bool:
        """Whether code here runs exactly once for each time that an object was made."""
        if owner.path is None:
            return False
        if owner.path is self.path:
            return True
        return self.path is self.start and not self.parted and owner.path in self.outer

    def paths(self) -> tuple[object, ...]:
        """The straight paths on which code that is called from here runs."""
        if self.path is self.start and not self.parted:
            return (self.path, *self.outer)
        return (self.path,)

    @property
    def name(self) -> str:
        """The name of the function around, "<module>" outside any."""
        frame: Frame | None = self
        while frame is not None:
            if frame.func is not None:
                return frame.func.name
            frame = frame.parent
        return "<module>"

    def enclosing(self) -> Frame | None:
        """The next frame whose names code in this one sees: class bodies are skipped."""
        frame = self.parent
        while frame is not None and frame.kind == "class":
            frame = frame.parent
        return frame

    def binder(self, name: str) -> Frame | None:
        """The function whose local variable a name is: this one, or one around it."""
        frame: Frame | None = self
        while frame is not None and name not in frame.bound:
            frame = frame.enclosing()
        return frame

    def innermost_loop(self) -> Loop | None:
        """The loop that runs this code, be it around the class whose body this is."""
        frame: Frame | None = self
        while frame is not None and frame.loop is None and frame.kind == "class":
            frame = frame.parent
        return None if frame is None else frame.loop

    def home(self) -> Frame:
        """The frame that a walrus or an escaping name of a comprehension binds in."""
        frame = self
        while frame.kind == "comprehension" and frame.parent is not None:
            frame = frame.parent
        return frame


def in_test(frame: Frame) -> bool:
    """Whether code belongs to a test function: counting traces there is deliberate."""
    scope: Frame | None = frame
    while scope is not None:
        if scope.func is not None and scope.func.name.startswith("test"):
            return True
        scope = scope.parent
    return False


def diverge(frame: Frame) -> None:
    """Some path went elsewhere: paths that part in a loop meet again where it ends or goes on,
    those that leave a function in the code that called it."""
    if frame.loop is not None:
        frame.path = object()
    else:
        frame.parted = True


def join_envs(a: dict[str, Value], b: dict[str, Value]) -> dict[str, Value]:
    """Joins two environments; a name bound on one side only keeps that value."""
    if a is b:
        return a
    merged = dict(a)
    METER.spend(len(b) // NAMES)
    for name, value in b.items():
        other = merged.get(name)
        if other is None:
            merged[name] = value
        elif other is not value:
            parts = isinstance(other, Typestate)
            known = None if parts else recognised(other, value)
            merged[name] = joined(other, value) if parts else known or join(other, value)
    return merged


def again(before: dict[str, Value], after: dict[str, Value]) -> dict[str, Value]:
    """The state in which a loop body runs once more.

    A name whose kind changed has its new value (the next iteration really sees it); constants
    that changed are no longer known, so that no branch of a later iteration is cut off.
    """
    state = dict(before)
    for name, value in after.items():
        old = state.get(name)
        if old is value:
            continue
        if isinstance(value, Typestate) or (old is not None and recognised(old, value) is value):
            state[name] = value
        elif isinstance(old, Static) and isinstance(value, Static) and value.const is not None:
            state[name] = Static(kind=value.kind) if old.const is not None else value
        elif old is not None and not isinstance(value, (Traced, Union)):
            state[name] = join(old, value)
        else:
            state[name] = value
    return state


def settled(before: dict[str, Value], after: dict[str, Value]) -> dict[str, Value]:
    """The state after a loop that ran at least once: what became traced is traced."""
    state = join_envs(before, after)
    for name, value in after.items():
        old = before.get(name)
        if isinstance(value, Traced) and isinstance(old, Static):
            state[name] = value
    return state
