"""The machine that runs a file abstractly: dispatch, names, activations, and emitted facts.

Its transfer functions live in the modules beside it and are handed over as tables, so that
expressions, statements and calls can call each other without importing each other.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jaxlint.engine import facts
from jaxlint.engine.bindings import remembered, restored
from jaxlint.engine.keys import key, shareable
from jaxlint.engine.state import Frame, Trace, join_envs
from jaxlint.engine.trail import Entry, Trail
from jaxlint.engine.trees import (
    adopt,
    beneath,
    is_plain,
    is_surely_traced,
    leaks,
    renewed,
    source,
    strongest,
)
from jaxlint.engine.values import (
    AGES,
    NONE,
    Bound,
    Choice,
    Class,
    Concrete,
    External,
    Function,
    Heap,
    Iterator,
    Mapping,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
    join,
    join_all,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator as Iterates

MOST_DEPTH = 40
MOST_RECURSION = 2
# How much deeper recursion may go that counts.
MOST_COUNTED = 4
MOST_ACTIVATIONS = 6000
# How often one function is run with arguments that differ, before its results are unknown.
MOST_RUNS = 32
# How often before the numbers among the arguments no longer count as different.
MOST_CONSTANTS = 16
BUILTINS = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)


@dataclass(slots=True)
class Args:
    """The arguments of a call: `rest` stands for unknown further positional ones (`*xs`),
    `more` for unknown keywords (`**options`)."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    rest: Value | None = None
    more: Value | None = None
    nodes: list[ir.Expr] = field(default_factory=list)
    keyword_nodes: dict[str, ir.Expr] = field(default_factory=dict)

    def get(self, index: int, name: str) -> Value | None:
        """The argument at a position or with a name, None where it is not passed."""
        if name and name in self.keywords:
            return self.keywords[name]
        if 0 <= index < len(self.positional):
            return self.positional[index]
        return None

    def node(self, index: int, name: str, otherwise: ir.Expr) -> ir.Expr:
        """The expression of that argument."""
        if name and name in self.keyword_nodes:
            return self.keyword_nodes[name]
        if 0 <= index < len(self.nodes):
            return self.nodes[index]
        return otherwise

    def values(self) -> list[Value]:
        """Everything that is passed."""
        found = [*self.positional, *self.keywords.values()]
        if self.rest is not None:
            found.append(self.rest)
        if self.more is not None:
            found.append(self.more)
        return found

    def pairs(self) -> list[tuple[Value, ir.Expr]]:
        """Positional and keyword arguments with their expressions."""
        found = list(zip(self.positional, self.nodes, strict=False))
        nodes = self.keyword_nodes
        found.extend((v, nodes[k]) for k, v in self.keywords.items() if k in nodes)
        return found


@dataclass(slots=True)
class Known:
    """The result of a call, when it ran, and the arguments that it ran with."""

    trace: Trace
    result: Value
    age: int
    given: dict[str, Value]


Eval = Callable[["Machine", Frame, Any], Value]
Exec = Callable[["Machine", Frame, Any], bool]
Executors = MappingOf[type, Exec]
Caller = Callable[["Machine", Frame, ir.Expr, Value, Args], Value]


class Machine:
    """Runs one module. `reveals` collects what `reveal(...)` calls saw, for tests."""

    def __init__(
        self,
        module: ir.Module,
        evaluators: dict[type, Eval],
        executors: Executors,
        caller: Caller,
    ) -> None:
        self.module = module
        self.evaluators = evaluators
        self.executors = executors
        self.caller = caller
        self.host = Trace("host", None, None, staged=False)
        self.globals = Frame("module", None, self.host)
        self.facts: list[facts.Fact] = []
        self.seen: set[Any] = set()
        self.reveals: list[tuple[ir.Call, str, bool]] = []
        self.unknowns: dict[str, int] = {}
        self.tick = 0
        self.muted = 0
        # What the handlers around catch of what tracers raise, by the builtin classes.
        self.caught: list[frozenset[str]] = []
        # The frame in which a tracer was asked for its value last.
        self.demanded: Frame | None = None
        self.eager = 0
        self.compile_time = 0
        # Positive while a function runs for arguments that no visible call passes.
        self.supposed = 0
        self.conditions = 0
        self.demands = 0
        self.doubts = 0
        self.activations = 0
        self.runs: dict[int, int] = {}
        self.stack: list[ir.FunctionDef] = []
        self.frames: list[Frame] = []
        # The age of the oldest object or frame that the running function has changed.
        self.oldest = next(AGES)
        self.memo: dict[Any, Known] = {}
        self.pending: list[Function] = []
        self.analysed: set[tuple[int, int]] = set()
        self.host_results: dict[tuple[int, int, int], Value | None] = {}
        self.records: list[Any] = []
        self.classes: list[Class] = []
        self.global_writes: dict[str, list[tuple[int, ir.Node, ir.FunctionDef | None]]] = {}
        self.tested: set[str] = set()
        self.called: set[int] = set()
        # Those of them that functions call, and those that the module itself calls.
        self.called_inside: set[int] = set()
        self.called_outside: set[int] = set()
        self.repeated: set[int] = set()
        self.cleared: list[int] = []
        # Records that a host function calls, by its identity.
        self.callees: dict[tuple[int, int], list[Any]] = {}

    # -- evaluation ---------------------------------------------------------------------------

    def eval(self, frame: Frame, node: ir.Expr) -> Value:
        """The abstract value of an expression."""
        return self.evaluators[type(node)](self, frame, node)

    def block(self, frame: Frame, body: tuple[ir.Stmt, ...]) -> bool:
        """Runs statements; False when control does not fall out at the end."""
        executors = self.executors
        # A loop, not `all`: that would take native stack for each level of nesting.
        for statement in body:  # noqa: SIM110
            if not executors[type(statement)](self, frame, statement):
                return False
        return True

    def call(self, frame: Frame, node: ir.Expr, func: Value, args: Args) -> Value:
        """The result of calling a value."""
        return self.caller(self, frame, node, func, args)

    def unknown(self, reason: str) -> Unknown:
        """An unknown value, counted by its reason."""
        self.unknowns[reason] = self.unknowns.get(reason, 0) + 1
        return Unknown(reason)

    # -- names --------------------------------------------------------------------------------

    def lookup(self, frame: Frame, name: str, node: ir.Node) -> Value:
        """What a name is bound to where it is read."""
        value = frame.env.get(name)
        if value is not None and name not in frame.globals:
            if isinstance(value, Heap) and value.leaks and value.born is frame.trace:
                self.surface(value)
            return value
        if name in frame.globals:
            scope: Frame | None = frame.root
        elif name in frame.bound and frame.kind != "class":
            return self.unknown("unbound local")
        else:
            scope = frame.enclosing()
        while scope is not None:
            value = scope.env.get(name)
            if value is not None:
                if isinstance(value, Heap) and value.leaks and value.born is frame.trace:
                    self.surface(value)
                if not frame.trace.is_host and scope.trace is not frame.trace:
                    self._captured(frame, scope, name, value, node)
                elif frame.trace.is_host:
                    self._escaped(frame, scope, value)
                return value
            scope = scope.enclosing()
        if name in BUILTINS or name == "reveal":
            return External(f"builtins.{name}")
        return self.unknown("unbound name")

    def surface(self, value: Heap) -> None:
        """A container with tracers of an inner trace is used where it was made."""
        held, value.leaks = value.leaks, []
        for fact in held:
            self.emit(fact)

    def _captured(self, frame: Frame, scope: Frame, name: str, value: Value, node: ir.Node) -> None:
        record = frame.trace.compiled
        if record is not None and scope.trace.is_host:
            record.captures.setdefault((scope, name), (node, value))
            record.reads.setdefault((scope, name), []).append(node)

    def _escaped(self, frame: Frame, scope: Frame, value: Value) -> None:
        record = getattr(value, "record", None)
        if record is not None and scope.home() is not frame.home():
            record.escaped = True

    def bind(
        self, frame: Frame, name: str, value: Value, node: ir.Node, how: str = "assign"
    ) -> None:
        """Binds a name as an assignment in `frame` does."""
        frame = frame if name in frame.bound else frame.home()
        if name in frame.globals:
            self._bind_outer(frame, frame.root, "global", name, value, node, how)
        elif name in frame.nonlocals:
            owner = frame.enclosing()
            while owner is not None and name not in owner.bound and owner.parent is not None:
                owner = owner.enclosing()
            if owner is not None:
                self._bind_outer(frame, owner, "nonlocal", name, value, node, how)
        else:
            if frame.trace.is_host:
                self.tick += 1
                frame.writes.setdefault(name, []).append((self.tick, node))
            frame.env[name] = value

    def _bind_outer(
        self,
        frame: Frame,
        owner: Frame,
        place: Any,
        name: str,
        value: Value,
        node: ir.Node,
        how: str,
    ) -> None:
        if frame.trace.is_host:
            self.tick += 1
            owner.writes.setdefault(name, []).append((self.tick, node))
            if place == "global" and name not in self.tested and name not in restored(frame.func):
                self.global_writes.setdefault(name, []).append((self.tick, node, frame.func))
        elif owner.trace is not frame.trace and self.matters(frame, value, how, name):
            traced = leaks(value)
            self.emit(
                facts.Stored(
                    self.module,
                    node,
                    frame.name,
                    frame.trace.entry,
                    traced.trail if traced else None,
                    place=place,
                    target=name,
                    how=how,
                    body=not owner.trace.is_host,
                )
            )
        if isinstance(value, Heap):
            value.local = False
        self.oldest = min(self.oldest, owner.age)
        old = owner.env.get(name)
        if place == "nonlocal" and owner.trace is frame.trace and self._runs_once_in(owner):
            old = None
        owner.env[name] = value if old is None else join(old, widened(value))

    def _runs_once_in(self, owner: Frame) -> bool:
        """Whether the running code runs exactly once where `owner` stands now."""
        for frame in reversed(self.frames):
            if frame is owner:
                return not owner.trace.is_host
            if frame.path is not frame.start or frame.loop is not None or frame.parted:
                return False
        return False

    def matters(
        self, frame: Frame, value: Value, how: str, target: str, local: bool = True
    ) -> bool:
        """Whether a change from inside a trace is lost: leaks always, static values where the
        code runs once for many executions.

        A body that hands out what it knows of structure by plain assignment is not lost: it
        runs before the code that uses it (`lax.scan` in code that is traced anyway). Nor is what
        is kept once under a test of the same name: a memo of a concrete value stays right, and
        what is to be done once is done once. What a `finally` clause sets back is not changed at
        all.
        """
        if target and target in restored(frame.home().func):
            return False
        if leaks(value) is not None:
            return True
        if target.partition(".")[0] in self.tested and how in ("assign", "subscript"):
            return False
        if f"len({target})" in self.tested:
            return False
        if how == "subscript" and target in remembered(frame.home().func):
            return False
        if not frame.trace.once or in_test(frame):
            return False
        hands_out = frame.trace.kind != "jit" and how in ("assign", "subscript") and local
        return not hands_out

    # -- facts --------------------------------------------------------------------------------

    def emit(self, fact: facts.Fact) -> None:
        """Adds a fact, once for each place and kind; nothing while exceptions are caught."""
        if self.muted or any(fact.raises & caught for caught in self.caught):
            return
        identity = (
            type(fact),
            id(fact.node),
            getattr(fact, "sink", ""),
            getattr(fact, "need", ""),
            getattr(fact, "kind", ""),
            getattr(fact, "target", ""),
            fact.is_traced,
        )
        if identity not in self.seen:
            self.seen.add(identity)
            fact.supposed = self.supposed > 0
            self.facts.append(fact)

    # -- traces -------------------------------------------------------------------------------

    def is_staged(self, frame: Frame) -> bool:
        """Whether a JAX operation on concrete values gives a tracer here."""
        return frame.trace.staged and not self.compile_time

    def operation(
        self,
        frame: Frame,
        node: ir.Node,
        operands: list[Value],
        dtype: str = "",
        rank: int | None = None,
    ) -> Value:
        """The result of a JAX operation: a tracer in staged code or from one, else concrete."""
        operands = operands if frame.trace.staged else beneath(operands)
        from_traced = strongest(operands)
        if from_traced is not None:
            kind = "abstract" if frame.trace.staged else from_traced.kind
            if kind != "abstract" and not any(map(is_surely_traced, operands)):
                return Choice((Traced(from_traced.trail, kind, dtype, rank), Concrete(dtype, rank)))
            if kind == "ad" and dtype in ("bool", "int"):
                return Concrete(dtype, rank)  # Without a derivative: only the value goes on.
            origin = source(operands, from_traced, frame.trace.entry).trail
            return Traced(Trail(node, origin, origin.entry), kind, dtype, rank)
        if frame.trace.staged and not self.compile_time and frame.trace.entry is not None:
            entry = frame.trace.entry
            return Traced(Trail(node, None, entry, function=frame.name), "abstract", dtype, rank)
        if any(not is_plain(v) for v in operands):
            return self.unknown("operation on an unknown value")
        return Concrete(dtype, rank)

    # -- functions ----------------------------------------------------------------------------

    def activate(
        self, func: Function, env: dict[str, Value], trace: Trace, outer: tuple[object, ...] = ()
    ) -> Value:
        """Runs a function body with its parameters bound; the joined return value."""
        node = func.node
        nested = self.stack.count(node)
        if (
            len(self.stack) >= MOST_DEPTH
            or nested >= MOST_RECURSION + MOST_COUNTED * any(map(_is_number, env.values()))
            or self.activations >= MOST_ACTIVATIONS
            or self.runs.get(id(node), 0) >= MOST_RUNS
        ):
            return self.unknown("recursion or size")
        self.runs[id(node)] = self.runs.get(id(node), 0) + 1
        self.activations += 1
        frame = Frame("function", func.frame, trace, node)
        frame.env = env
        frame.cls = func.owner
        frame.outer = () if node.is_generator else outer
        self.analysed.add((id(node), id(func.frame)))
        self.stack.append(node)
        self.frames.append(frame)
        tested, self.tested = self.tested, set()
        try:
            falls = self.block(frame, node.body)
        finally:
            self.stack.pop()
            self.frames.pop()
            self.tested = tested
        if frame.exits:
            for exit_env in frame.exits:
                frame.env = join_envs(frame.env, exit_env)
        if node.is_generator:
            element = join_all(frame.yields) if frame.yields else NONE
            known = frame.yields if frame.ordered else None
            return Iterator(element, trace, known, "generator")
        if falls:
            frame.returns.append(NONE)
        result = join_all(frame.returns) if frame.returns else self.unknown("never returns")
        return Iterator(result, trace, None, "coroutine") if node.is_async else result

    def invoke(
        self,
        func: Function,
        args: Args,
        trace: Trace,
        node: ir.Expr,
        caller: Frame | None = None,
    ) -> Value:
        """Calls a function of this file with abstract arguments, memoised by their keys."""
        env = bind_parameters(self, func, args, trace, node)
        if self.runs.get(id(func.node), 0) >= MOST_CONSTANTS:
            env = {name: _without_number(value) for name, value in env.items()}
        keys = tuple((k, key(v)) for k, v in env.items())
        eager = (self.eager, self.compile_time, bool(self.muted), *self.caught)
        own = trace if trace.is_staged_by_eager else None
        identity = (key(func), trace.kind, trace.staged, keys, eager, own)
        path = None if caller is None else caller.path
        known = self.memo.get(identity)
        if known is not None and (known.trace is trace or shareable(known.result)):
            return retrailed(renewed(known.result, known.age, path), node, env, trace)
        given = dict(env)
        before, self.oldest = self.oldest, next(AGES)
        now = self.oldest
        result = self.activate(func, env, trace, () if caller is None else caller.paths())
        if self.oldest >= now:
            # A function that changes nothing made before it; `given` keeps what the key names.
            self.memo[identity] = Known(trace, result, now, given)
            result = renewed(result, now, path)
        else:
            adopt(result, now, path)
        self.oldest = min(before, self.oldest)
        return result

    def later(self, func: Function) -> None:
        """Notes a function to be run with unknown arguments if nothing else runs it."""
        self.pending.append(func)

    @property
    def expects_errors(self) -> bool:
        """Whether what tracers raise here is expected, or caught."""
        return self.muted > 0 or any("TypeError" in caught for caught in self.caught)

    @contextmanager
    def quiet(self, when: bool = True) -> Iterates[None]:
        """Emits nothing inside: the code is expected to raise, or what it raises is caught."""
        self.muted += when
        try:
            yield
        finally:
            self.muted -= when


def in_test(frame: Frame) -> bool:
    """Whether code belongs to a test function: counting traces there is deliberate."""
    scope: Frame | None = frame
    while scope is not None:
        if scope.func is not None and scope.func.name.startswith("test"):
            return True
        scope = scope.parent
    return False


def widened(value: Value) -> Value:
    """A value after an update that may run any number of times: constants are lost."""
    if isinstance(value, Static) and value.known and value.const is not None:
        return Static(kind=value.kind)
    return value


def _is_number(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.const, (int, float))


def _without_number(value: Value) -> Value:
    return widened(value) if _is_number(value) else value


def retrailed(value: Value, node: ir.Expr, env: dict[str, Value], trace: Trace) -> Value:
    """A memoised result seen from another call: its trail is that of this call's arguments."""
    if not isinstance(value, Traced) or value.trail.entry is trace.entry:
        return value
    source = strongest(list(env.values()))
    if source is not None:
        trail = Trail(node, source.trail, source.trail.entry, call=True)
    elif trace.entry is not None:
        trail = Trail(node, None, trace.entry, function=trace.entry.function)
    else:
        return value
    return Traced(trail, value.kind, value.dtype, value.rank, value.leaf)


def bind_parameters(
    machine: Machine, func: Function, args: Args, trace: Trace, node: ir.Expr
) -> dict[str, Value]:
    """The environment in which a body starts, by Python's rules for binding arguments."""
    env: dict[str, Value] = {}
    at = 0
    used: set[str] = set()
    for param in func.node.params:
        name = param.name
        if param.kind == "vararg":
            items = args.positional[at:]
            at = len(args.positional)
            env[name] = (
                Sequence("tuple", items, trace)
                if args.rest is None
                else Sequence("tuple", None, trace, join_all([*items, args.rest]))
            )
        elif param.kind == "kwarg":
            extra = {k: v for k, v in args.keywords.items() if k not in used}
            env[name] = Mapping(extra, trace, args.more, open=args.more is not None)
        elif param.kind != "keyword" and at < len(args.positional):
            env[name] = args.positional[at]
            at += 1
        elif name in args.keywords and param.kind != "positional":
            env[name] = args.keywords[name]
            used.add(name)
        else:
            env[name] = _missing(machine, func, param, args)
    return env


def _missing(machine: Machine, func: Function, param: ir.Param, args: Args) -> Value:
    default = func.defaults.get(param.name)
    given = [
        v for v in (args.rest if param.kind != "keyword" else None, args.more) if v is not None
    ]
    if not given:
        return default if default is not None else machine.unknown("argument not passed")
    value = join_all(given)
    return value if default is None else join(value, default)


def entry_of(node: ir.Node, phrase: str, func: Value) -> Entry:
    """The entry that a transform of `func` makes at `node`."""
    return Entry(node, phrase, function_name(func))


def function_name(func: Value) -> str:
    """The name by which messages call a function."""
    while True:
        if isinstance(func, (Partial, Bound, Transformed)):
            func = func.func
        else:
            break
    if isinstance(func, Function):
        return func.node.name
    if isinstance(func, External):
        return func.dotted.rpartition(".")[2]
    return "function"
