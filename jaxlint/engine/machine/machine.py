"""The machine that runs a file abstractly: dispatch, names, activations, and emitted facts.

Its transfer functions are handed over (`semantics`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sized
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from jaxlint import facts
from jaxlint.dataflow.budget import EVALUATION, METER, STATEMENT, Budget, OverBudgetError
from jaxlint.dataflow.names import dotted_text, remembered, restored
from jaxlint.engine.domain import key_identity, typestate
from jaxlint.engine.domain.arguments import Args, bind_parameters
from jaxlint.engine.domain.environment import Frame, Loop, Trace, in_test, join_envs
from jaxlint.engine.domain.framework_values import Frameworks
from jaxlint.engine.domain.generalization import is_number, widened, without_number
from jaxlint.engine.domain.pytrees import (
    beneath,
    is_plain,
    is_surely_traced,
    leaks,
    source,
    strongest,
)
from jaxlint.engine.domain.special_values import OPERATION, Deferred
from jaxlint.engine.domain.values import (
    NONE,
    Class,
    Concrete,
    Function,
    Heap,
    Iterator,
    LibraryName,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    join,
    join_all,
)
from jaxlint.engine.machine.emission import Collected, identity_of
from jaxlint.engine.machine.handlers import hides
from jaxlint.engine.machine.project import Context
from jaxlint.engine.machine.semantics import Semantics
from jaxlint.engine.relations.repetition import repeats
from jaxlint.engine.relations.trace_levels import always_runs, outlives, runs_once_in
from jaxlint.engine.relations.tracer_tests import of_returns
from jaxlint.engine.summaries import unanalyzed_calls
from jaxlint.engine.summaries.cost import CostMeter
from jaxlint.engine.summaries.dynamic_context import Dynamic, DynamicContext
from jaxlint.engine.summaries.effects import Effects
from jaxlint.engine.summaries.module_states import Moments
from jaxlint.engine.summaries.summary import Known, result_of
from jaxlint.engine.summaries.transformed import TransformUse, TransformUses
from jaxlint.facts.provenance import Provenance, SourceMap
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator as Iterates

T = TypeVar("T")
MOST_DEPTH = 40
MOST_RECURSION = 2
# How much deeper recursion may go that counts.
MOST_COUNTED = 4
# How often a function is run again within an outermost run of its own, at any depth.
MOST_REENTERED = 12
# How often one function is run with arguments that differ, before its results are unknown.
MOST_RUNS = 48
# How often before the numbers among the arguments no longer count as different.
MOST_CONSTANTS = 16
# How far the clock is put back while an imported module runs.
IMPORTED = 1 << 40
BUILTINS = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)


GlobalWrite = tuple[int, ir.Node, ir.FunctionDef | None]


class Machine(Dynamic):
    """Runs one module. `reveals` collects what `reveal(...)` calls saw, for tests.

    A test sees by `remembers` that what is remembered of calls changes no finding.
    """

    remembers: ClassVar[bool] = True

    def __init__(
        self,
        module: ir.Module,
        semantics: Semantics,
        frameworks: Frameworks,
        context: Context | None = None,
    ) -> None:
        self.budget = Budget(module)
        self.context = context or Context()
        self.sources = SourceMap([module], self.context.root)
        self.semantics = semantics
        self.frameworks = frameworks
        self.host = Trace("host", None, None, staged=False)
        self.globals = Frame("module", None, self.host)
        self.globals.module = module
        self.moments = Moments()
        self.dynamic = DynamicContext(self.globals, Effects(0))
        # Modules that ran, by their files; None for those that cannot be read.
        self.loaded: dict[str, Frame | None] = {module.file: self.globals}
        self.facts: list[facts.Fact] = []
        self.collected = Collected(module)
        self.heard: set[Any] | None = None  # The facts of the alternative that runs.
        self.reveals: list[tuple[ir.Call, str, bool]] = []
        self.unknowns: dict[str, int] = {}
        self.journal: list[Any] | None = None  # Changes in place, while somebody asks for them.
        self.guesses = False  # Whether what is not known is taken to be traced.
        self.gifts: Any = None  # Sees operations of host code, once a buffer was given away.
        self.tick = self.demands = self.doubts = self.activations = 0
        self.demanded: Frame | None = None  # Where a tracer was asked for its value last.
        self.tally = CostMeter()
        self.runs: dict[int, int] = {}
        self.reentered: dict[int, int] = {}  # Runs of functions within their outermost run.
        self.closed_over: list[Frame] = []
        # What is remembered of calls, the latest first.
        self.memo: dict[Any, list[Known]] = {}
        # The objects of a class that stand for those made alike, by what they were given.
        self.alike: dict[int, dict[str, Value]] = {}
        self.arrays: dict[int, Any] = {}  # What is known of single arrays.
        self.examples: dict[int, list[Any]] = {}  # Objects that stand for those of a class.
        # What the last run of a function did to the keys that it was given or that it names.
        self.spent: dict[Any, typestate.Typestate] = {}
        # Keys of constant seeds, by the functions that make them, and keys of plain integers.
        self.constants: list[tuple[int, facts.Fact]] = []
        self.legacy: dict[int, facts.Fact] = {}
        self.foreseen: dict[int, dict[str, Any]] = {}
        self.pending: deque[Function] = deque()
        self.analysed: set[tuple[int, int]] = set()
        # Functions that ran in a trace.
        self.traced: set[int] = set()
        # What is remembered of host functions for any arguments, None while they run.
        self.host_results: dict[Any, Known | None] = {}
        self.ran_for_any: set[tuple[int, int, int]] = set()
        self.records = TransformUses()
        self.bodies, self.settings = list[Any](), list[Any]()
        self.classes: list[Class] = []
        # Functions that are compact methods of linen, and parameters that a call gives no array.
        self.compact, self.others = set[int](), set[int]()
        self.questions: dict[int, Static] = {}  # What tests ask of tracers, or their answers.
        self.global_writes: dict[tuple[Frame, str], list[GlobalWrite]] = {}
        self.called, self.looped, self.callers = set[int](), set[int](), dict[int, set[int]]()
        # Those of them that functions call, and those that the module itself calls.
        self.called_inside, self.called_outside = set[int](), set[int]()
        self.repeated, self.cleared = set[int](), list[int]()

    def dismantle(self) -> None:
        """Empties the modules and classes: what they hold refers back to them."""
        for frame in (*self.loaded.values(), *self.closed_over):
            if frame is not None:
                frame.dismantle()
        for cls in self.classes:
            cls.namespace.clear()
            cls.lineage, cls.generic, cls.made = (), None, {}

    @property
    def module(self) -> ir.Module:
        """The file whose code runs."""
        module = self.dynamic.holder.root.module
        assert module is not None
        return module

    @contextmanager
    def importing(self, frame: Frame) -> Iterates[None]:
        """Runs a module's body inside, apart from the code that imports it."""
        before, demanded = self.dynamic, self.demanded
        self.dynamic = DynamicContext(frame, Effects(0), idle=True)
        # A module's body runs when something in it is first needed, but counts as run before.
        self.tick -= IMPORTED
        try:
            yield
        finally:
            self.tick += IMPORTED
            self.dynamic, self.demanded = before, demanded

    def canonical(self, dotted: str) -> str:
        """The name by which the tables know something that the user's settings may name."""
        return lookup.canonical(self.context.transforms.get(dotted, dotted))

    # -- evaluation ---------------------------------------------------------------------------

    def eval(self, frame: Frame, node: ir.Expr) -> Value:
        """The abstract value of an expression."""
        METER.left -= EVALUATION
        if METER.left < 0:
            raise OverBudgetError
        return self.semantics.evaluators[type(node)](self, frame, node)

    def block(self, frame: Frame, body: tuple[ir.Stmt, ...]) -> bool:
        """Runs statements; False when control does not fall out at the end."""
        executors = self.semantics.executors
        METER.spend(STATEMENT * len(body))
        # A loop, not `all`: that would take native stack for each level of nesting.
        for statement in body:  # noqa: SIM110
            if not executors[type(statement)](self, frame, statement):
                return False
        return True

    def call(self, frame: Frame, node: ir.Expr, func: Value, args: Args) -> Value:
        """The result of calling a value."""
        return self.semantics.call(self, frame, node, func, args)

    def unknown(self, reason: str) -> Unknown:
        """An unknown value, counted by its reason."""
        self.unknowns[reason] = self.unknowns.get(reason, 0) + 1
        return Unknown(reason)

    def arrived(self, frame: Frame, node: ir.If) -> None:
        """Code comes to an `elif`, which no executor is asked for."""

    # -- names --------------------------------------------------------------------------------

    def lookup(self, frame: Frame, name: str, node: ir.Node) -> Value:
        """What a name is bound to where it is read."""
        value = frame.env.get(name)
        if value is not None and name not in frame.globals:
            if isinstance(value, Deferred):
                value = frame.env[name] = self.semantics.resolve(self, value)
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
                if isinstance(value, Deferred):
                    value = scope.env[name] = self.semantics.resolve(self, value)
                if isinstance(value, Heap) and value.leaks and value.born is frame.trace:
                    self.surface(value)
                self.dynamic.effects.read(scope, name, value)
                if not frame.trace.is_host and scope.trace is not frame.trace:
                    self.captured(frame, scope, name, value, node)
                elif frame.trace.is_host:
                    self._escaped(frame, scope, value)
                return value
            scope = scope.enclosing()
        self.dynamic.effects.read(frame.root, name, None)
        for star in frame.root.stars:
            if lookup.function(f"{star}.{name}") is not None:
                return LibraryName(lookup.canonical(f"{star}.{name}"))
        if name in BUILTINS or name == "reveal":
            return LibraryName(f"builtins.{name}")
        return self.unknown("unbound name")

    def surface(self, value: Heap) -> None:
        """A container with tracers of an inner trace is used where it was made."""
        held, value.leaks = value.leaks, []
        for fact in held:
            self.emit(fact)

    def captured(self, frame: Frame, scope: Frame, name: str, value: Value, node: ir.Node) -> None:
        """Compiled code reads a name of code around it."""
        record = frame.trace.compiled
        if record is not None and scope.trace.is_host and not self.dynamic.supposed:
            record.captured(scope, name, value, node)
            self.dynamic.effects.capture(record, scope, name, value, node)

    def note_call(self, record: TransformUse, loop: Loop | None, frame: Frame) -> None:
        """Notes a call of a transformed function, now and whenever the running code is called."""
        self.tick += 1
        self.records.ran(record, self.tick, loop, frame)

        def again(machine: Machine) -> None:
            machine.note_call(record, loop, frame)

        now = self.dynamic
        now.effects.happened((id(record), 0), record.frame.age, False, again, now.stack)

    def happened(self, log: list[T], age: int, node: ir.Node, make: Callable[[int], T]) -> None:
        """Notes at a moment of its own what `make` tells, in the log of an owner of this age, now
        and whenever the running function is called again. What a function may do for some
        arguments is noted for one call of it, since nothing tells for which."""
        around = self.dynamic if age >= self.dynamic.effects.since else self.asks()
        straight = around.is_straight
        if around.rerun and not straight:
            return
        self.tick += 1
        log.append(make(self.tick))

        def again(machine: Machine) -> None:
            machine.happened(log, age, node, make)

        if straight:
            place = id(log), id(node)
            around.effects.happened(place, age, True, again, around.stack)

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
            self.bind_outer(frame, frame.root, "global", name, value, node, how)
        elif name in frame.nonlocals:
            owner = frame.enclosing()
            while owner is not None and name not in owner.bound and owner.parent is not None:
                owner = owner.enclosing()
            if owner is not None:
                self.bind_outer(frame, owner, "nonlocal", name, value, node, how)
        else:
            if frame.trace.is_host:
                self.tick += 1
                frame.writes.setdefault(name, []).append((self.tick, node))
            frame.env[name] = value

    def bind_outer(
        self,
        frame: Frame,
        owner: Frame,
        place: Any,
        name: str,
        value: Value,
        node: ir.Node,
        how: str,
    ) -> None:
        """Binds a name of code around, or of another module."""
        lent = not restored(frame.func).isdisjoint((name, dotted_text(node)))
        if frame.trace.is_host:
            # What is patched for a while is patched for what runs meanwhile.
            if not (lent and isinstance(node, ir.Attribute)):
                writes = owner.writes.setdefault(name, [])
                self.happened(writes, owner.age, node, lambda tick: (tick, node))
            if place == "global" and name not in self.dynamic.tested and not lent:
                self.global_writes.setdefault((owner, name), []).append(
                    (self.tick, node, frame.func)
                )
        elif (
            owner.trace is not frame.trace
            and not repeats(owner.env.get(name), value, node)
            and dotted_text(node) not in restored(frame.home().func)
            and self.matters(frame, value, how, name, home=owner.trace)
        ):
            traced = leaks(value, owner.trace)
            if traced is None or not outlives(
                self.dynamic.frames, frame.trace, owner.trace, traced
            ):
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
        effects = self.dynamic.effects
        effects.oldest = min(effects.oldest, owner.age)
        record = frame.trace.compiled
        if record is not None and how == "assign" and always_runs(self.dynamic.frames, frame.trace):
            record.own.add((owner, name))
        old = owner.env.get(name)
        if (
            place == "nonlocal"
            and owner.trace is frame.trace
            and runs_once_in(self.dynamic.frames, owner)
        ):
            old = None
        if place == "global" and lent:
            # It holds this only until the function, or the `with` statement around it, is left.
            old = None
        owner.env[name] = value if old is None else join(old, widened(value))

    def matters(
        self,
        frame: Frame,
        value: Value,
        how: str,
        target: str,
        local: bool = True,
        home: Trace | None = None,
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
        if leaks(value, home) is not None:
            return True
        if target.partition(".")[0] in self.silences().tested and how in ("assign", "subscript"):
            return False
        if f"len({target})" in self.dynamic.tested:
            return False
        if how == "subscript" and target in remembered(frame.home().func):
            return False
        if not frame.trace.once or in_test(frame):
            return False
        hands_out = frame.trace.kind != "jit" and how in ("assign", "subscript") and local
        return not hands_out

    def is_single(self, value: Value) -> bool:
        """Whether a module binds the value to a name, so that it is one object."""
        frames = (frame for frame in self.loaded.values() if frame is not None)
        return any(one is value for frame in frames for one in frame.env.values())

    # -- facts --------------------------------------------------------------------------------

    def standing(self) -> list[facts.Fact]:
        """The facts that hold whatever else is found: neither guesses nor those about host code,
        which may turn out to be traced."""
        left = self.collected.left(self.facts)
        supposed = {id(fact) for _, fact in self.tally.supposed}
        return [] if self.guesses else [fact for fact in left if id(fact) not in supposed]

    def emit(self, fact: facts.Fact, unsure: bool = False, within: Frame | None = None) -> None:
        """Adds a fact, unless it is one of several alternatives (`unsure`) and there is a stronger
        one of its kind at its place; nothing while exceptions are caught. What is so `within` a
        function, whatever calls it, does not depend on what is doubtful outside."""
        self.dynamic.effects.emits = True
        now = self.dynamic
        if now.muted or (now.caught and hides(now.caught, fact)):
            return
        doubtful = now.is_unsure
        if within is not None:
            doubtful = within.doubtful or now.unsure > within.unsure
        fact.supposed, fact.unsure = now.supposed > 0, unsure or doubtful
        fact.sources, fact.calls = self.sources, tuple(reversed(now.calls))
        if self.heard is not None:
            self.heard.add(identity_of(fact))
        if self.collected.takes(fact):
            self.facts.append(fact)

    def settle(self) -> None:
        """Drops the facts that a stronger one has replaced."""
        self.facts = self.collected.left(self.facts)

    # -- traces -------------------------------------------------------------------------------

    def is_staged(self, frame: Frame) -> bool:
        """Whether a JAX operation on concrete values gives a tracer here."""
        return frame.trace.staged and not self.dynamic.compile_time

    def operation(
        self,
        frame: Frame,
        node: ir.Node,
        operands: list[Value],
        dtype: str = "",
        rank: int | None = None,
    ) -> Value:
        """The result of a JAX operation: a tracer in staged code or from one, else concrete."""
        self.tally.operated(frame, node)
        if self.dynamic.watch is not None:
            self.dynamic.watch(frame, node, operands)
        if self.gifts is not None and frame.trace.is_host:
            self.gifts.operated(frame, node, operands)
        operands = operands if frame.trace.staged else beneath(operands)
        from_traced = strongest(operands)
        if from_traced is not None:
            kind = "abstract" if frame.trace.staged else from_traced.kind
            if kind != "abstract" and not any(map(is_surely_traced, operands)):
                return Union((Traced(from_traced.trail, kind, dtype, rank), Concrete(dtype, rank)))
            if kind == "ad" and dtype in ("bool", "int"):
                return Concrete(dtype, rank)  # Without a derivative: only the value goes on.
            origin = source(operands, from_traced, frame.trace.entry).trail
            return Traced(Provenance(node, origin, origin.entry), kind, dtype, rank)
        if frame.trace.staged and not self.dynamic.compile_time and frame.trace.entry is not None:
            entry = frame.trace.entry
            return Traced(
                Provenance(node, None, entry, function=frame.name), "abstract", dtype, rank
            )
        if any(not is_plain(v) for v in operands):
            return self.unknown(OPERATION)
        return Concrete(dtype, rank)

    # -- functions ----------------------------------------------------------------------------

    def activate(
        self, func: Function, env: dict[str, Value], trace: Trace, outer: tuple[object, ...] = ()
    ) -> Value:
        """Runs a function body with its parameters bound; the joined return value."""
        node = func.node
        refused = self._refused(node, env)
        if refused:
            self.dynamic.effects.placed = True
            unknown = self.unknown(refused)
            unanalyzed_calls.forget(node, env, unknown)
            return unknown
        self.runs[id(node)] = self.runs.get(id(node), 0) + 1
        now = self.dynamic
        self.reentered[id(node)] = self.reentered[id(node)] + 1 if node in now.stack else 0
        self.activations += 1
        frame = Frame("function", func.frame, trace, node)
        frame.env = env
        frame.cls = func.owner
        frame.unsure = now.unsure
        frame.outer = () if node.is_generator else outer
        self.analysed.add((id(node), id(func.frame)))
        if not trace.is_host:
            self.traced.add(id(node))
            home = func.frame.root
            if home is not self.globals and home.module is not None:
                self.context.traced.add((home.module.file, node.name))
        key_identity.received(self, frame)
        given = dict(env)
        stack, frames = (*now.stack, node), (*now.frames, frame)
        with self.within(stack=stack, frames=frames, tested=now.asked(func.frame.root)):
            falls = self.block(frame, node.body)
        self.spent[id(node)] = typestate.handed_back(self, frame, falls)
        for exit_env in frame.exits:
            frame.env = join_envs(frame.env, exit_env)
        if node.is_generator:
            element = join_all(frame.yields) if frame.yields else NONE
            known = frame.yields if frame.ordered else None
            return Iterator(element, trace, known, "generator")
        if falls:
            frame.returns.append(NONE)
        result = join_all(frame.returns) if frame.returns else self.unknown("never returns")
        result = of_returns(node, given, frame, result)
        return Iterator(result, trace, None, "coroutine") if node.is_async else result

    def _refused(self, node: ir.FunctionDef, env: dict[str, Value]) -> str:
        """Why a function is not run, "" where it is."""
        counted = MOST_COUNTED * any(map(is_number, env.values()))
        stack = self.dynamic.stack
        depth = stack.count(node)
        if len(stack) >= MOST_DEPTH or depth >= MOST_RECURSION + counted:
            return "recursion"
        if depth and self.reentered[id(node)] >= MOST_REENTERED:
            return "recursion"
        if self.runs.get(id(node), 0) >= MOST_RUNS:
            return "function that ran for many other arguments"
        return "budget that is used up" if self.budget.is_short() else ""

    def invoke(
        self, func: Function, args: Args, trace: Trace, node: ir.Expr, caller: Frame | None = None
    ) -> Value:
        """Calls a function whose source is known with abstract arguments."""
        env = bind_parameters(self.unknown, func, args, trace)
        if self.runs.get(id(func.node), 0) >= MOST_CONSTANTS:
            env = {name: without_number(value) for name, value in env.items()}
        return result_of(self, func, env, trace, node, caller)

    def later(self, func: Function) -> None:
        """Notes a function to be run with unknown arguments if nothing else runs it."""
        if func.frame.root is self.globals:
            self.pending.append(func)

    @property
    def expects_errors(self) -> bool:
        """Whether what tracers raise here is expected, or caught."""
        around = self.asks()
        return around.muted > 0 or any("TypeError" in caught for caught in around.caught)

    def one_of(self, found: Sized) -> AbstractContextManager[None]:
        """Inside, what is done with each of several alternatives happens with one of them."""
        return self.doubting(len(found) > 1)

    @contextmanager
    def doubting(self, when: bool = True) -> Iterates[None]:
        """Inside, what happens may not."""
        with self.within(unsure=self.dynamic.unsure + when):
            yield

    @contextmanager
    def quiet(self, when: bool = True) -> Iterates[None]:
        """Emits nothing inside: the code is expected to raise, or what it raises is caught."""
        with self.within(muted=self.dynamic.muted + when):
            yield
