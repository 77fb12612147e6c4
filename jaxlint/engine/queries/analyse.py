"""Runs the abstract tracer over one file: host code first, then every traced entry point."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from jaxlint.base.dataclass import replace, slotted
from jaxlint.dataflow import memo
from jaxlint.dataflow.names import bound_names, names_in_loop
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Frameworks
from jaxlint.engine.domain.typestate import BEGINNING
from jaxlint.engine.domain.values import Bound, Function, Instance
from jaxlint.engine.evaluation.guesses import marked
from jaxlint.engine.frameworks import LIBRARIES
from jaxlint.engine.interpreter.calls import call
from jaxlint.engine.interpreter.expressions import EVALUATORS
from jaxlint.engine.interpreter.host_calls import host_result
from jaxlint.engine.interpreter.statements import EXECUTORS
from jaxlint.engine.machine.events import subscriptions
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.project import Context
from jaxlint.engine.machine.semantics import Exec, Executors, Semantics
from jaxlint.engine.machine.world import World
from jaxlint.engine.models import test_cases
from jaxlint.engine.models.stdlib.reveal import revealed
from jaxlint.engine.operations.attributes import external
from jaxlint.engine.operations.modules import member, resolved
from jaxlint.engine.queries.checks import CHECKS
from jaxlint.engine.queries.presuming import noting, presume
from jaxlint.engine.queries.uncalled_methods import run_methods
from jaxlint.engine.reporting import eager_facts
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.engine.transforms.entries import run_entry
from jaxlint.facts import Fact
from jaxlint.syntax import ir

FRAMEWORKS = Frameworks(LIBRARIES)
SEMANTICS = Semantics(
    EVALUATORS, EXECUTORS, call, resolved, member, external, subscriptions(CHECKS)
)
# Deeply nested source is interpreted by Python calls as deep, which take no native stack.
MOST_FRAMES = 60_000


def trace(
    module: ir.Module,
    executors: Executors = EXECUTORS,
    context: Context | None = None,
    guesses: bool = False,
    maker: Callable[..., Machine] = Machine,
) -> Machine:
    """Runs a module; the machine holds the facts, the reveals and what was not known. With
    `guesses`, what is not known is taken to be traced where it comes of what is."""
    if context is not None and context.modules is not None:
        context.worlds[:] = [it for it in context.worlds if not it.is_torn] or [_world(context)]
    machine = maker(module, replace(SEMANTICS, executors=executors), FRAMEWORKS, context)
    machine.guesses = guesses
    machine.shares &= executors is EXECUTORS
    machine.context.made.append(machine)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, MOST_FRAMES))
    try:
        _run(machine, module.body)
        _drain(machine)
        presume(machine, _run_record, _run_on_host)
        if machine.context.framework_methods:
            run_methods(machine)
        machine.collected.settle()
        eager_facts.after(machine)
        for heard in machine.checks.finish:
            with machine.budget.share(machine):
                heard(machine)
        machine.collected.settle()
    finally:
        machine.give_back()
        sys.setrecursionlimit(limit)
        memo.settle()
        machine.context.cuts.extend(machine.budget.cuts.values())
    return machine


def _world(context: Context) -> World:
    """What the analyses of a project share."""
    alone = replace(context, traced=set(), made=[], cuts=[], worlds=[])
    return World(lambda nothing: Machine(nothing, SEMANTICS, FRAMEWORKS, alone))


def _run(machine: Machine, body: tuple[ir.Stmt, ...]) -> None:
    """Runs the module's own statements, each with a share of the budget."""
    frame = machine.globals
    for at, statement in enumerate(body):
        falls = None
        with machine.budget.share(machine, statement):
            falls = machine.block(frame, (statement,))
        frame.joined()
        if falls is None:
            for name in {*names_in_loop((statement,)), *bound_names(statement)}:
                frame.env[name] = machine.unknown("statement that was not run to its end")
        elif not falls:
            break
        machine.moments.ran(frame, at, statement)


def _drain(machine: Machine) -> None:
    """Functions and entries make new ones, until none is left."""
    entries = 0
    program = machine.program
    while program.pending or entries < len(program.records):
        while program.pending:
            func, makers = program.pending.popleft()
            program.makers = (*makers, func.node)
            machine.dynamic.running.env.update(BEGINNING)
            ran = (id(func.node), id(func.frame)) in program.analysed
            if not ran and func.frame.trace.is_host:
                with noting(machine, func):
                    _run_on_host(machine, func)
        program.makers = ()
        while entries < len(program.records):
            record = program.records[entries]
            entries += 1
            # What other modules transform of themselves is theirs to report.
            if not record.imported or _is_called_here(record):
                with noting(machine, record):
                    _run_record(machine, record)


def _run_on_host(machine: Machine, func: Function) -> None:
    """Runs a function of host code for any arguments."""
    with machine.budget.share(machine, func.node), _when(machine, func.frame, func.node):
        if not test_cases.run(machine, func):
            host_result(machine, func)


def _is_called_here(record: TransformUse) -> bool:
    """Whether code of this file calls what another module compiles of an object, with arguments of
    which nothing is known: what it reads of the object may change here."""
    is_idle = not record.wrapper.compiles or not record.calls or bool(record.runs)
    func = record.func
    return not is_idle and isinstance(func, Bound) and isinstance(func.owner, Instance)


def _run_record(machine: Machine, record: TransformUse) -> None:
    """Runs the function of a transform for any arguments, where it stands."""
    record.frame.root.env.update(BEGINNING)
    around = record.definition or record.node
    with (
        machine.within(running=record.frame.root),
        machine.budget.share(machine, around),
        _when(machine, record.frame, around),
    ):
        run_entry(machine, record)


def _when(machine: Machine, frame: Frame, node: ir.Node) -> AbstractContextManager[None]:
    """Runs code that stands at `node` with what names of the module hold when it is called."""
    if frame.root is not machine.globals:
        return nullcontext()
    return machine.moments.around(machine.globals, node)


def analyse(module: ir.Module, context: Context | None = None, guesses: bool = False) -> list[Fact]:
    """Every fact that the abstract tracer finds in a module, those in modules that it imports
    included, and with `guesses` those that it only takes to be so."""
    return guessed(trace(module, context=context).collected.facts, module, context, guesses)


def guessed(
    found: list[Fact], module: ir.Module, context: Context | None, guesses: bool
) -> list[Fact]:
    """The facts of a run, and with `guesses` those that are only taken to be so."""
    if guesses:
        found += marked(found, trace(module, context=context, guesses=True).collected.facts)
    return found


def reveal(module: ir.Module) -> list[tuple[ir.Call, str]]:
    """What each `reveal(...)` call in traced code saw: "traced", "static", "unknown", "mixed".

    A transformed function also runs for arguments of any sort: that counts only where no run for
    the arguments of a visible call comes.
    """
    visible: dict[int, tuple[ir.Call, set[str]]] = {}
    supposed: dict[int, tuple[ir.Call, set[str]]] = {}
    for node, kind, is_supposed in trace(module).collected.reveals:
        seen = supposed if is_supposed else visible
        seen.setdefault(id(node), (node, set()))[1].add(kind)
    return [(node, _agreed(kinds)) for node, kinds in (supposed | visible).values()]


def _agreed(kinds: set[str]) -> str:
    known = kinds - {"unknown", "mixed"} or kinds
    return known.pop() if len(known) == 1 else "mixed"


@slotted(frozen=True)
class Holding:
    """What a local name of a function held whenever traced code came to a statement: "traced",
    "static", "may" (traced at times) or "unknown"."""

    function: ir.FunctionDef
    statement: ir.Stmt
    name: str
    kind: str


_Visits = dict[tuple[int, int, str], tuple[ir.FunctionDef, ir.Stmt, set[str]]]


def watch(module: ir.Module) -> list[Holding]:
    """What every local name held at every statement that traced code reaches.

    A loop counts as reached once, before its first iteration. Of a transformed function, a run
    for any arguments counts only where none for those of a visible call comes.
    """
    visible: _Visits = {}
    supposed: _Visits = {}

    def watched(execute: Exec) -> Exec:
        def observe(machine: Machine, frame: Frame, node: ir.Stmt) -> bool:
            function = frame.func
            if function is not None and frame.kind == "function" and not frame.trace.is_host:
                visits = supposed if machine.dynamic.supposed else visible
                for name in function.bound & frame.env.keys():
                    place = (id(function), id(node), name)
                    kinds = visits.setdefault(place, (function, node, set()))[2]
                    kinds.add(revealed(frame.env[name]))
            return execute(machine, frame, node)

        return observe

    trace(module, {kind: watched(execute) for kind, execute in EXECUTORS.items()})
    return [
        Holding(function, node, name, _held(kinds))
        for (_, _, name), (function, node, kinds) in (supposed | visible).items()
    ]


def _held(kinds: set[str]) -> str:
    agreed = _agreed(kinds)
    return "may" if agreed == "mixed" else agreed
