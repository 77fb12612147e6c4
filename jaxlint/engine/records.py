"""What is known of one transformed function: its options, its calls, what it captures."""

from __future__ import annotations

from typing import Any

from jaxlint.engine.bindings import free_names
from jaxlint.engine.state import Frame, Loop, Trace
from jaxlint.engine.values import Bound, Function, Partial, Transformed, Value
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir


class Record:
    """One application of a wrapper. `statics` are the names of static parameters, None where
    the options could not be read; `argnums` and `in_axes` likewise for their transforms."""

    __slots__ = (
        "argnums",
        "axes",
        "calls",
        "captures",
        "cleared",
        "definition",
        "direct",
        "dotted",
        "escaped",
        "expected",
        "forms",
        "frame",
        "func",
        "has_aux",
        "held",
        "imported",
        "late",
        "loop",
        "names",
        "node",
        "numbers",
        "reads",
        "rules",
        "runs",
        "trace",
        "traced_only",
        "wrapped",
        "wrapper",
    )

    def __init__(
        self, wrapper: Wrapper, dotted: str, node: ir.Expr, func: Value, frame: Frame
    ) -> None:
        self.wrapper = wrapper
        self.dotted = dotted
        self.node = node
        self.func = func
        self.frame = frame
        self.loop: Loop | None = frame.loop
        self.trace: Trace = frame.trace
        self.numbers: frozenset[int] | None = frozenset()
        self.names: frozenset[str] | None = frozenset()
        self.argnums: frozenset[int] | None = frozenset({0})
        self.axes: Value | None = None
        self.has_aux: bool | None = False
        self.calls: list[tuple[int, Loop | None, Frame]] = []
        # By the tick of a call: how many arguments it has, and their names.
        self.forms: dict[int, tuple[int, frozenset[str]]] = {}
        self.captures: dict[Any, tuple[ir.Node, Value]] = {}
        self.reads: dict[Any, list[ir.Node]] = {}
        self.runs: dict[Any, Value] = {}
        # What the keys of `runs` name by identity, kept alive so that nothing takes its place.
        self.held: list[Any] = []
        # The ticks at which its programs were dropped.
        self.cleared: list[int] = []
        self.rules: list[Value] = []
        self.late: list[tuple[str, ir.Node]] = []
        # Made in each iteration of the loop around, under no condition.
        self.direct = frame.loop is not None and frame.path is frame.loop.path
        self.escaped = False
        self.expected = False
        # Made by another module that is concerned with nothing of the file that is analysed.
        self.imported = False
        # Made to be traced on the spot (`jit(f).trace(x)`): Python runs whenever it is asked to.
        self.traced_only = False
        # Transformed again (`jit(vmap(f))`): the outer transform decides how it runs.
        self.wrapped = False
        self.definition: ir.FunctionDef | ir.ClassDef | None = None

    def may_fix(self, param: ir.Param, at: int, params: tuple[ir.Param, ...]) -> bool:
        """Whether static arguments may be among those that `*args` or `**options` gathers."""
        if param.kind == "vararg":
            return any(number >= at or number < 0 for number in self.numbers or ())
        named = {one.name for one in params}
        return param.kind == "kwarg" and not (self.names or frozenset()) <= named

    def stored(self, frame: Frame, node: ir.Node) -> None:
        """The function was put where it outlives the statement: what it captured of the loop
        around will have moved on when it is called."""
        self.escaped = True
        # Whoever receives a yielded function may well call it before the loop goes on.
        if isinstance(node, ir.Yield):
            return
        if self.loop is None or frame.loop is None or not frame.loop.within(self.loop):
            return
        func = innermost(self.func)
        if not isinstance(func, Function) or func.loop is None:
            return
        free = free_names(func.node)
        loop: Loop | None = self.loop
        while loop is not None:
            for name in sorted(free & loop.names):
                if func.frame.home() is self.frame.home() or func.frame is self.frame:
                    self.late.append((name, node))
            loop = loop.parent


def innermost(value: Value) -> Value:
    """The function under transforms; partial applications and methods are left as they are."""
    while isinstance(value, Transformed):
        value = value.func
    return value


def plain_function(value: Value) -> Function | None:
    """The `def` or lambda under everything, if there is one."""
    while True:
        if isinstance(value, (Transformed, Partial, Bound)):
            value = value.func
        else:
            return value if isinstance(value, Function) else None
