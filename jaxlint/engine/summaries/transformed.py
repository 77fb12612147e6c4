"""What is known of one transformed function: its options, its calls, what it captures."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.names import free_names
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.traces import NO_AXES, Trace
from jaxlint.engine.domain.values import (
    AGES,
    Bound,
    Function,
    Instance,
    LibraryName,
    Partial,
    Transformed,
    Value,
)
from jaxlint.facts.provenance import TraceEntry
from jaxlint.knowledge.applications import Application
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

# How a function is called: the lengths of the arguments in their order, and other arguments' names.
Form = tuple[tuple[int | None, ...], frozenset[str]]


class TransformUse:
    """One application of a wrapper. `statics` are the names of static parameters, None where
    the options could not be read; `argnums` and `in_axes` likewise for their transforms."""

    __slots__ = (
        "age",
        "allows_int",
        "argnums",
        "axes",
        "axis_size",
        "binds",
        "calls",
        "captures",
        "checks",
        "cleared",
        "definition",
        "direct",
        "donated",
        "donated_names",
        "dotted",
        "entered",
        "escaped",
        "expected",
        "forms",
        "frame",
        "func",
        "given",
        "gives",
        "has_aux",
        "held",
        "holomorphic",
        "imported",
        "late",
        "layouts",
        "loop",
        "mesh",
        "names",
        "node",
        "numbers",
        "odd",
        "out_axes",
        "own",
        "passed",
        "passes",
        "presumed",
        "reach",
        "reads",
        "refused",
        "rules",
        "runs",
        "since",
        "sites",
        "spot",
        "trace",
        "traced_only",
        "wrapped",
        "wrapper",
    )

    # How `jit` lays its arguments out over devices, and the mesh of `shard_map`.
    layouts: Value | None
    mesh: Value | None
    # Whether `shard_map` certainly examines over which axes of its mesh values vary.
    checks: bool

    def __init__(
        self, wrapper: Wrapper, dotted: str, node: ir.Expr, func: Value, frame: Frame
    ) -> None:
        self.age = next(AGES)
        self.wrapper = wrapper
        self.dotted = dotted
        self.node = node
        self.func = func
        self.frame = frame
        self.loop: Loop | None = frame.loop
        # The tick at which it was made.
        self.since = 0
        self.trace: Trace = frame.trace
        self.numbers: frozenset[int] | None = frozenset()
        self.names: frozenset[str] | None = frozenset()
        # Parameters whose buffers the caller gives away; names count for themselves if given.
        self.donated: frozenset[int] | None = frozenset()
        self.donated_names: frozenset[str] | None = None
        # The first of the arguments that are given away with all that follow.
        self.gives: int | None = None
        self.argnums: frozenset[int] | None = frozenset({0})
        self.axes: Value | None = None
        self.out_axes: Value | None = None
        self.axis_size: Value | None = None
        self.layouts, self.mesh, self.checks = None, None, False
        # The names of axes that it binds.
        self.binds: frozenset[str] | None = NO_AXES
        self.has_aux: bool | None = False
        # Whether complex numbers are differentiated, as a function of such.
        self.holomorphic: bool | None = False
        # Whole numbers may be differentiated.
        self.allows_int = False
        self.calls: list[tuple[int, Loop | None, Frame]] = []
        # By the ticks of calls; none for those with arguments that are not known one by one.
        self.forms: dict[int, Form] = {}
        # The trace in which the function runs for any arguments, after everything else.
        self.entered: Trace | None = None
        # How many arguments by position, and which by name, the one call passes of a function
        # that is made for it (`jit(f)(x)`).
        self.spot: tuple[int, frozenset[str]] | None = None
        self.captures: dict[Any, tuple[ir.Node, Value | None]] = {}
        # The keys of those that only objects have which are presumed to be given.
        self.presumed: set[Any] = set()
        # By the names: the nodes, by their identities.
        self.reads: dict[Any, dict[int, ir.Node]] = {}
        # The names of modules that the code itself binds first, whatever they held.
        self.own: set[Any] = set()
        self.runs: dict[Any, Value] = {}
        # What the keys of `runs` name by identity, kept alive so that nothing takes its place.
        self.held: list[Any] = []
        # The ticks at which its programs were dropped.
        self.cleared: list[int] = []
        self.rules: list[Value] = []
        # Rules that are given one by one, by the methods that take them.
        self.passes: dict[str, Value] = {}
        self.late: list[tuple[str, ir.Node]] = []
        # Made in each iteration of the loop around, under no condition.
        self.direct = frame.loop is not None and frame.path is frame.loop.path
        # Calls in host code with the parameters that their arguments go to, and parameters that
        # are given what is no array, with the parameter's node and the call.
        self.sites: list[Any] = []
        # The arguments of calls in host code that compile nothing, and are traced all the same.
        self.passed: list[Any] = []
        self.odd: dict[str, tuple[ir.Param, ir.Node]] = {}
        self.escaped = False
        # JAX takes neither the options nor the function.
        self.refused = False
        self.expected = False
        # What the transform was given: the function, or an object that is called.
        self.given: Value = func
        # Made by another module that is concerned with nothing of the file that is analysed.
        self.imported = False
        # Made to be traced on the spot (`jit(f).trace(x)`): Python runs whenever it is asked to.
        self.traced_only = False
        # How this transform and those under it call the function, once that was asked.
        self.reach: tuple[bool, bool] | None = None
        # Transformed again (`jit(vmap(f))`): the outer transform decides how it runs.
        self.wrapped = False
        self.definition: ir.FunctionDef | ir.ClassDef | None = None

    def captured(self, owner: Any, name: str, value: Value | None, node: ir.Node) -> None:
        """The code reads a name of code around it, or an attribute of an object, at `node`."""
        if (owner, name) in self.own:
            return
        self.captures.setdefault((owner, name), (node, value))
        if isinstance(owner, Frame):
            self.reads.setdefault((owner, name), {})[id(node)] = node

    @property
    def donates(self) -> bool:
        """Whether calls give buffers away."""
        return bool(self.donated or self.donated_names or self.gives is not None)

    def leaves(self, name: str, at: int) -> bool:
        """Whether every call leaves a parameter to its default."""
        return self.spot is not None and at >= self.spot[0] and name not in self.spot[1]

    def may_fix(self, param: ir.Param, at: int, params: tuple[ir.Param, ...]) -> bool:
        """Whether static arguments may be among those that `*args` or `**options` gathers."""
        if param.kind == "vararg":
            return any(number >= at or number < 0 for number in self.numbers or ())
        if param.kind != "kwarg" or not self.names:
            return False
        return not self.names <= {one.name for one in params}

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
    return value.inner if isinstance(value, Transformed) else value


def method_called(value: Value) -> Bound | None:
    """The method that runs where an object is called, None for what is no object of a class, or one
    that cannot be called."""
    method = value.cls.find("__call__") if isinstance(value, Instance) else None
    return None if method is None else Bound(method, value)


def plain_function(value: Value) -> Function | None:
    """The `def` or lambda under everything, if there is one."""
    while True:
        if isinstance(value, Transformed):
            value = value.inner
        elif isinstance(value, (Partial, Bound)):
            value = value.func
        else:
            return value if isinstance(value, Function) else None


def entry_of(node: ir.Node, how: Application, func: Value) -> TraceEntry:
    """The entry that a transform of `func` makes at `node`."""
    return TraceEntry(node, how, function_name(func))


def function_name(func: Value) -> str:
    """The name by which messages call a function."""
    while isinstance(func, (Partial, Bound, Transformed)):
        func = func.inner if isinstance(func, Transformed) else func.func
    if isinstance(func, Function):
        return func.node.name
    if isinstance(func, LibraryName):
        return func.dotted.rpartition(".")[2]
    return "function"
