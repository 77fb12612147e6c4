"""Notes which functions and statements of the project a run comes to, and what becomes of the
functions that it gives away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.base.surveys.coverage import Coverage, Handed, Left, Outcome
from jaxlint.base.surveys.inventory import Key
from jaxlint.base.surveys.spot import Spot
from jaxlint.dataflow.names import CONSTRUCTORS
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Class,
    Function,
    Instance,
    Mapping,
    Partial,
    Sequence,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.inference.signatures import WRAPPING
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.semantics import Exec, Executors
from jaxlint.engine.queries.inventory import inventory
from jaxlint.engine.queries.unknown_calls import bare, full_name, of_unknown, reason_of
from jaxlint.facts.provenance import excerpt
from jaxlint.syntax import ir
from jaxlint.syntax.ir import STRIDE, number

# How deep functions are looked for in what is given away.
_DEPTH = 2
# How many evaluations of a call are asked for the functions that it is given.
MOST_SEEN = 16
# They give back what is called in place of what they are given.
_WRAPS = frozenset({"functools.update_wrapper", "functools.wraps", WRAPPING})


class Notes:
    """What a machine comes to. Functions and statements are noted by their origins; `spot` tells
    the place of a node that is most likely one of a module."""

    def __init__(self, machine: Machine, spot: Callable[[ir.Node, ir.Module], Spot]) -> None:
        self.machine = machine
        self.spot = spot
        self.entered: set[int] = set()
        self.supposed: set[int] = set()
        self.hosted: set[int] = set()
        self.came: set[int] = set()
        self.ended: set[int] = set()
        self.outcomes: dict[tuple[int, bool], Outcome] = {}
        self.handed: dict[tuple[Key, int, bool], Handed] = {}
        self.left: dict[int, Left] = {}
        # How often a call was evaluated.
        self.seen: dict[int, int] = {}
        # Whether traces are those of a function that runs for any arguments.
        self.generic: dict[Trace, bool] = {}

    # -- while it runs ----------------------------------------------------------------------------

    def watching(self, executors: Executors) -> Executors:
        """Executors of statements that note what they run."""
        watching = {kind: self._watched(one) for kind, one in executors.items()}
        for kind in (ir.FunctionDef, ir.ClassDef):
            watching[kind] = self._defined(watching[kind])
        return watching

    def _watched(self, execute: Exec) -> Exec:
        """An executor of statements, noting those of traced code."""
        came = self.came

        def observe(machine: Any, frame: Frame, node: ir.Stmt) -> bool:
            if not frame.trace.is_host:
                came.add(node.origin)
            return execute(machine, frame, node)

        return observe

    def _defined(self, execute: Exec) -> Exec:
        """An executor of definitions, noting decorators that leave nothing that is known."""

        def observe(machine: Any, frame: Frame, node: ir.FunctionDef | ir.ClassDef) -> bool:
            falls = execute(machine, frame, node)
            made = frame.env.get(node.name)
            if node.decorators and isinstance(made, Unknown):
                self._decorated(frame, node, made)
            return falls

        return observe

    def ran(self, func: Function, trace: Trace) -> None:
        """A function ran."""
        if trace.is_host:
            self.hosted.add(func.node.origin)
        else:
            any_sort = self.machine.dynamic.supposed > 0 or self._is_generic(trace)
            (self.supposed if any_sort else self.entered).add(func.node.origin)

    def _is_generic(self, trace: Trace) -> bool:
        trace = trace.outermost
        known = self.generic.get(trace)
        if known is None:
            known = any(record.entered is trace for record in self.machine.known_uses())
            self.generic[trace] = known
        return known

    def left_out(self, func: Function, node: ir.Node | None, reason: str) -> None:
        """A function did not run in traced code, though it was called."""
        module = self.machine.module
        place = func.node if node is None else node
        spot = self.spot(place, module)
        self.left.setdefault(func.node.origin, Left(self._key(func), spot, reason))

    def called(
        self,
        frame: Frame,
        node: ir.Call,
        func: Value,
        args: Args,
        result: Value,
        refused: set[int],
    ) -> None:
        """A call was evaluated. Host code of other modules is theirs to tell of."""
        module = frame.root.module
        is_traced = not frame.trace.is_host
        if module is None or not (is_traced or frame.root is self.machine.globals):
            return
        targets = frozenset(self._targets(func))
        reason = reason_of(func, result, refused)
        outcome = self.outcomes.get((node.origin, is_traced))
        if outcome is None:
            spot = self.spot(node, module)
            callee = full_name(func) or excerpt(module, node.func)
            key = Key(module.file, number(node))
            outcome = Outcome(key, is_traced, spot, callee, reason, targets)
            self.outcomes[node.origin, is_traced] = outcome
        elif reason < outcome.reason or not targets <= outcome.targets:
            outcome = Outcome(
                outcome.call,
                is_traced,
                outcome.spot,
                outcome.callee,
                min(reason, outcome.reason),
                targets | outcome.targets,
            )
            self.outcomes[node.origin, is_traced] = outcome
        seen = self.seen[node.origin] = self.seen.get(node.origin, 0) + 1
        if seen <= MOST_SEEN and (not targets or reason):
            why = reason or (of_unknown(result) if isinstance(result, Unknown) else "")
            self._give(node, outcome, args, why, result)

    def _give(
        self, node: ir.Call, outcome: Outcome, args: Args, reason: str, result: Value
    ) -> None:
        """Notes the functions that a call is given; what it gives back goes on from there."""
        if not reason and outcome.callee in _WRAPS:
            return
        back = () if reason else {key for key, _ in self._given([result], _DEPTH, False)}
        for key, is_method in self._given(args.values(), _DEPTH, bool(reason)):
            if key not in back:
                self._hand(key, node, outcome, reason, is_method)

    def _hand(
        self, key: Key, node: ir.Node, outcome: Outcome, reason: str, is_method: bool = False
    ) -> None:
        known = (key, node.origin, outcome.traced)
        if known not in self.handed or self.handed[known].object:
            spot, callee = outcome.spot, outcome.callee
            self.handed[known] = Handed(key, outcome.traced, spot, callee, reason, is_method)

    def _decorated(self, frame: Frame, node: ir.FunctionDef | ir.ClassDef, made: Unknown) -> None:
        module = frame.root.module
        if module is None:
            return
        place = node.decorators[0]
        traced, reason = not frame.trace.is_host, of_unknown(made)
        outcome = Outcome(
            Key(module.file, number(place)),
            traced,
            self.spot(place, module),
            excerpt(module, place),
            reason,
        )
        inside = node.body if isinstance(node, ir.ClassDef) else (node,)
        for one in inside:
            if isinstance(one, ir.FunctionDef):
                self._hand(Key(module.file, number(one)), place, outcome, reason)

    def _targets(self, func: Value) -> Iterator[Key]:
        """The functions of the project that a call of a value runs."""
        func = bare(func)
        if isinstance(func, Function):
            yield self._key(func)
        elif isinstance(func, Union):
            for one in func.options:
                yield from self._targets(one)
        elif isinstance(func, (Class, Instance)):
            cls = func if isinstance(func, Class) else func.cls
            names = ("__call__",) if isinstance(func, Instance) else CONSTRUCTORS
            for name in names:
                found = cls.find(name)
                if isinstance(found, Function):
                    yield self._key(found)

    def _given(self, values: list[Value], depth: int, objects: bool) -> Iterator[tuple[Key, bool]]:
        """The functions among values and in what they hold, and where objects count, the methods
        of these; each with whether it is such a method."""
        for value in values:
            func = bare(value)
            if isinstance(func, Function):
                yield self._key(func), False
            if isinstance(value, Partial):
                yield from self._given([*value.args, *value.keywords.values()], depth, objects)
            elif isinstance(func, Union):
                yield from self._given(list(func.options), depth, objects)
            elif isinstance(func, Instance) and objects:
                yield from ((key, True) for key in self._methods(func.cls))
                held = list(func.fields.values()) if depth else []
                yield from self._given(held, depth - 1, objects)
            elif depth and isinstance(func, (Sequence, Mapping)):
                held = func.items or [] if isinstance(func, Sequence) else [*func.items.values()]
                yield from self._given(list(held), depth - 1, objects)

    def _methods(self, cls: Class) -> Iterator[Key]:
        for one in cls.lineage:
            for value in one.namespace.values():
                func = bare(value)
                if isinstance(func, Function) and func.owner is one:
                    yield self._key(func)

    # -- what came of it --------------------------------------------------------------------------

    def coverage(self) -> Coverage:
        """All of it."""
        machine = self.machine
        files: dict[int, str] = {}
        for frame in machine.frames_of_modules():
            module = frame.module
            if module is not None and module.body:
                files[module.body[0].origin // STRIDE] = module.file

        def keys(origins: set[int]) -> frozenset[Key]:
            return frozenset(
                Key(files[one // STRIDE], one % STRIDE) for one in origins if one // STRIDE in files
            )

        module = machine.globals.module
        assert module is not None
        top = ""
        if machine.context.modules is not None:
            top = machine.context.modules.name(module.file).partition(".")[0]
        return Coverage(
            frozenset({inventory(module, top)}),
            keys(self.entered),
            keys(self.supposed),
            keys(self.hosted),
            keys(self.came),
            keys(self.ended),
            frozenset(self.outcomes.values()),
            frozenset(self.handed.values()),
            frozenset(self.left.values()),
        )

    def _key(self, func: Function) -> Key:
        module = func.frame.root.module
        return Key("" if module is None else module.file, number(func.node))
