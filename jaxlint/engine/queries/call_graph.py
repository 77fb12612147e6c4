"""Surveys a run: which functions traced code reaches, by which calls, and where it cannot be seen.

A machine of its own takes the notes, so that a run without a survey pays nothing for it.
`Session(surveys=True).survey(paths)` gathers them over files.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from jaxlint.base.dataclass import replace
from jaxlint.base.surveys.call_graph import Edge, Opening, Reached, Seen, Spot, Start, Survey, best
from jaxlint.dataflow.budget import OverBudgetError
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Class, Function, LibraryName, Unknown, Value
from jaxlint.engine.interpreter.expressions import arguments
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries.analyse import guessed, trace
from jaxlint.engine.queries.coverage import Notes
from jaxlint.engine.queries.unknown_calls import bare, full_name, of_unknown, reason_of
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.facts import Fact
from jaxlint.facts.provenance import TraceEntry, excerpt
from jaxlint.knowledge import lookup
from jaxlint.knowledge.applications import Application
from jaxlint.syntax import ir

_CUT = "place that was not followed to its end"


class Surveyor(Machine):
    """A machine that notes what its traced code reaches, and where it `covers` everything that is
    written in the file, what else ran."""

    covers: ClassVar[bool] = True
    shares = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        executors = self.semantics.executors
        self.notes = Notes(self, self.spot) if self.covers else None
        if self.notes is not None:
            executors = self.notes.watching(executors)
        evaluators = {**self.semantics.evaluators, ir.Call: _called}
        self.semantics = replace(self.semantics, evaluators=evaluators, executors=executors)
        self.starts: dict[tuple[int, Application, str], Start] = {}
        self.openings: set[Opening] = set()
        self.around: set[tuple[Start, tuple[Reached, ...]]] = set()
        self.reached: dict[int, Reached] = {}
        self.ran: set[Reached] = set()
        self.edges: dict[tuple[int, int, int, bool], Edge] = {}
        self.calls_seen: dict[int, Seen] = {}
        # Functions that calls are given and run, by the call.
        self.given: dict[int, Seen] = {}
        self.values: Counter[str] = Counter()
        # The functions whose bodies were not run, each time, with the depth of the stack.
        self.left_out: list[tuple[ir.FunctionDef, int]] = []

    # -- while it runs ------------------------------------------------------------------------

    def unknown(self, reason: str) -> Unknown:
        now = self.dynamic
        if now.frames and not now.frames[-1].trace.is_host and not now.presuming:
            self.values[reason] += 1
        return super().unknown(reason)

    def invoke(
        self, func: Function, args: Args, trace: Trace, node: ir.Expr, caller: Frame | None = None
    ) -> Value:
        if trace.is_host:
            return super().invoke(func, args, trace, node, caller)
        self._reach(func, trace, node)
        count = len(self.left_out)
        result = super().invoke(func, args, trace, node, caller)
        if count == len(self.left_out) and self.reached.get(id(func.node)) not in self.ran:
            # Refused before, with the same arguments.
            self._leave_out(func, node, trace, result)
        return result

    def activate(
        self, func: Function, env: dict[str, Value], trace: Trace, outer: tuple[object, ...] = ()
    ) -> Value:
        before = self.counters.activations
        try:
            result = super().activate(func, env, trace, outer)
        except OverBudgetError:
            if self.notes is not None:
                self.notes.ended.add(func.node.origin)
                self.notes.ran(func, trace)
            raise
        if self.counters.activations == before:
            at = self.dynamic.calls[-1][1] if self.dynamic.calls else None
            self._leave_out(func, at, trace, result)
            return result
        if self.notes is not None:
            self.notes.ran(func, trace)
        if not trace.is_host:
            self.ran.add(self._function(func))
        return result

    def _leave_out(self, func: Function, node: ir.Node | None, trace: Trace, result: Value) -> None:
        self.left_out.append((func.node, len(self.dynamic.stack)))
        if self.notes is not None and not trace.is_host and isinstance(result, Unknown):
            self.notes.left_out(func, node, result.reason)

    def arrived(self, frame: Frame, node: ir.If) -> None:
        if self.notes is not None and not frame.trace.is_host:
            self.notes.came.add(node.origin)

    def _reach(self, func: Function, trace: Trace, node: ir.Expr) -> None:
        """Notes who runs a function, and where."""
        callee = self._function(func)
        around = self.dynamic.frames[-1] if self.dynamic.frames else None
        if around is not None and around.func is not None and not around.trace.is_host:
            caller = self.reached.get(id(around.func))
            known = (id(around.func), id(func.node), id(node), trace is around.trace)
            if caller is not None and known not in self.edges:
                entry = trace.entry
                phrase = "" if trace is around.trace or entry is None else entry.phrase
                spot = self.spot(node, self.module)
                self.edges[known] = Edge(caller, callee, spot, phrase)
            return
        entry = trace.outermost.entry
        if entry is not None:
            start = self._start(entry)
            self.openings.add(Opening(start, callee))
            if around is not None:
                self.around.add((start, self._inside(around)))

    def note(
        self,
        frame: Frame,
        node: ir.Call,
        func: Value,
        args: Args,
        result: Value,
        refused: set[int],
    ) -> None:
        """Notes a call of traced code; `refused` are the functions that it did not run."""
        around = self.dynamic.frames[-1].func if self.dynamic.frames else None
        function = None if around is None else self.reached.get(id(around))
        module = frame.root.module
        if function is None or module is None:
            return

        def keep(table: dict[int, Seen], callee: str, reason: str) -> None:
            known = table.get(id(node))
            if known is None or reason < known.reason:
                callee = callee.format(excerpt(module, node.func))
                table[id(node)] = Seen(self.spot(node, module), function, callee, reason)

        name = full_name(func) or "{}"
        keep(self.calls_seen, name, reason_of(func, result, refused))
        given = [of_unknown(one) for one in _functions(func, args)]
        if given:
            keep(self.given, "function given to {}", max(given))

    # -- what came of it -------------------------------------------------------------------------

    def survey(self) -> Survey:
        """What the run has seen."""
        blind = {start for record in self.known_uses() for start in self._blind(record)}
        starts = set(self.starts.values())
        sighted = {start.spot for start in starts}
        for record in self.known_uses():
            if plain_function(record.func) is not None:
                sighted.add(self.spot(record.node, self._owner(record.node)))
        self._place(starts)
        if self.budget.cuts:
            self.values[_CUT] += len(self.budget.cuts)
        file = self.globals.module.file if self.globals.module is not None else ""
        return Survey(
            frozenset(starts),
            frozenset(blind),
            frozenset(sighted),
            frozenset(self.around),
            frozenset(self.openings),
            frozenset(self.ran),
            frozenset(self.edges.values()),
            best(self.calls_seen.values()),
            best(self.given.values()),
            frozenset((file, reason, count) for reason, count in self.values.items()),
            None if self.notes is None else self.notes.coverage(),
        )

    def _place(self, starts: set[Start]) -> None:
        """Notes whose code makes each start: that of a transform is where it is applied."""
        by_node: dict[int, list[Start]] = {}
        for (node, _, _), start in self.starts.items():
            by_node.setdefault(node, []).append(start)
        for record in self.known_uses():
            for start in by_node.get(id(record.definition or record.node), ()):
                self.around.add((start, self._inside(record.frame)))
        placed = {start for start, _ in self.around}
        self.around |= {(start, ()) for start in starts - placed}

    def _blind(self, record: TransformUse) -> list[Start]:
        """The start that a transform makes of a function that is not known."""
        if record.imported or record.expected or record.wrapped or not record.trace.is_host:
            return []
        known = plain_function(record.func) is not None or not isinstance(
            bare(record.func), Unknown
        )
        if known or record.wrapper.kind in ("plain", "custom"):
            return []
        entry = TraceEntry(
            record.definition or record.node, record.wrapper.application, self._written(record)
        )
        start = self._as_start(entry)
        self.around.add((start, self._inside(record.frame)))
        return [start]

    def _written(self, record: TransformUse) -> str:
        """The function that a transform is given, as written."""
        if isinstance(record.node, ir.Call) and record.node.args:
            return excerpt(self._owner(record.node), record.node.args[0].value)
        return function_name(record.func)

    def _start(self, entry: TraceEntry) -> Start:
        identity = (id(entry.node), entry.application, entry.function)
        known = self.starts.get(identity)
        if known is None:
            known = self.starts[identity] = self._as_start(entry)
        return known

    def _as_start(self, entry: TraceEntry) -> Start:
        spot = self.spot(entry.node, self._owner(entry.node))
        return Start(spot, entry.function, entry.phrase, self._how(entry))

    def _inside(self, frame: Frame | None) -> tuple[Reached, ...]:
        """The function of a frame, if it is one of a function."""
        while frame is not None and (frame.func is None or frame.kind != "function"):
            frame = frame.parent
        if frame is None or frame.func is None or frame.parent is None:
            return ()
        return (self._reached(frame.func, frame.parent, frame.cls),)

    def _how(self, entry: TraceEntry) -> str:
        if isinstance(entry.node, (ir.FunctionDef, ir.ClassDef)):
            made = any(record.definition is entry.node for record in self.known_uses())
            return "decorator" if made else "method"
        made = any(record.node is entry.node for record in self.known_uses())
        return "call" if made else "body"

    def _function(self, func: Function) -> Reached:
        return self._reached(func.node, func.frame, func.owner)

    def _reached(self, node: ir.FunctionDef, scope: Frame, owner: Class | None) -> Reached:
        found = self.reached.get(id(node))
        if found is None:
            module = scope.root.module
            assert module is not None
            name = _qualified(node, scope, owner)
            found = self.reached[id(node)] = Reached(self.spot(node, module), name)
        return found

    def _owner(self, node: ir.Node) -> ir.Module:
        return self.sources.owner(node, self.module)

    def spot(self, node: ir.Node, module: ir.Module) -> Spot:
        """The place of a node, which is most likely one of this module."""
        owner = self.sources.owner(node, module)
        span = owner.locate(node)
        cell, line = owner.source.place(span.line)
        end_line = span.end_line + line - span.line
        return Spot(
            owner.source.path, replace(span, line=line, end_line=end_line), owner.file, cell
        )


class CallSurveyor(Surveyor):
    """A machine that notes the functions and calls of its traced code alone."""

    covers = False


def surveyed(
    module: ir.Module,
    context: Context | None = None,
    guesses: bool = False,
    calls_only: bool = False,
) -> tuple[Survey, list[Fact]]:
    """What the traced code of a module reaches, and every fact that `analyse` finds there. With
    `calls_only`, what it does not reach is left out."""
    machine = trace(module, context=context, maker=CallSurveyor if calls_only else Surveyor)
    assert isinstance(machine, Surveyor)
    return machine.survey(), guessed(machine.collected.facts, module, context, guesses)


def _called(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    """The value of a call, which is noted."""
    func = machine.eval(frame, node.func)
    args = arguments(machine, frame, node)
    assert isinstance(machine, Surveyor)
    count = len(machine.left_out)
    result = machine.call(frame, node, func, args)
    depth = len(machine.dynamic.stack)
    refused = {id(one) for one, at in machine.left_out[count:] if at == depth}
    if machine.notes is not None:
        machine.notes.called(frame, node, func, args, result, refused)
    if not frame.trace.is_host:
        machine.note(frame, node, func, args, result, refused)
    return result


def _functions(func: Value, args: Args) -> list[Value]:
    """The functions that a function of JAX is given to run."""
    spec = lookup.higher_order(func.dotted) if isinstance(func, LibraryName) else None
    found: list[Value] = []
    if spec is not None:
        for name, how in spec.sees.items():
            at = spec.params.index(name)
            value = args.get(at if at < spec.positional else -1, name)
            found += [] if value is None or how == "host" else [bare(value)]
    return found


def _qualified(node: ir.FunctionDef, scope: Frame | None, owner: Class | None) -> str:
    """The name of a function with those of the classes and functions around it."""
    parts = [node.name]
    if owner is not None:
        parts.append(owner.name)
    while scope is not None:
        if scope.kind == "function" and scope.func is not None:
            parts.append(scope.func.name)
        scope = scope.parent
    return ".".join(reversed(parts))
