"""Activation: runs of functions whose source is known."""

from __future__ import annotations

from copy import copy
from typing import TypeGuard

from jaxlint.dataflow.array_evidence import array_names
from jaxlint.dataflow.budget import unmetered
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain import key_identity, typestate
from jaxlint.engine.domain.arguments import Args, bind_parameters, fits
from jaxlint.engine.domain.environment import Frame, join_envs
from jaxlint.engine.domain.generalization import is_number, without_number
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import NONE, Function, Iterator, Traced, Value, join_all
from jaxlint.engine.machine.names import Names
from jaxlint.engine.relations.tracer_tests import of_returns
from jaxlint.engine.summaries import unanalyzed_calls
from jaxlint.engine.summaries.charges import Charge
from jaxlint.engine.summaries.effects import WHOLE_STACK
from jaxlint.engine.summaries.summary import result_of
from jaxlint.syntax import ir

MOST_DEPTH = 40
MOST_RECURSION = 2
# How much deeper recursion may go that counts.
MOST_COUNTED = 4
# How often a function is run again within an outermost run of its own, at any depth.
MOST_REENTERED = 12
# How often one function is run with arguments that differ, before its results are unknown.
MOST_RUNS = 48
# How many statements these runs may be together, and how often a long function runs at least.
MOST_STATEMENTS = 1920
LEAST_RUNS = 8
# How often before the numbers among the arguments no longer count as different.
MOST_CONSTANTS = 16


@answered_once_of
def _statements(node: ir.FunctionDef) -> int:
    with unmetered():
        return sum(isinstance(one, ir.Stmt) for one in walk(node.body))


def most_runs(node: ir.FunctionDef) -> int:
    """How often a function is run with arguments that differ: a long one less often."""
    fit = MOST_STATEMENTS // max(1, _statements(node))
    return min(MOST_RUNS, max(LEAST_RUNS, fit))


class Activation(Names):
    """Runs functions."""

    def activate(
        self, func: Function, env: dict[str, Value], trace: Trace, outer: tuple[object, ...] = ()
    ) -> Value:
        """Runs a function body with its parameters bound; the joined return value."""
        node = func.node
        refused = self._refused(node, env)
        if refused:
            unknown = self.unknown(refused)
            unanalyzed_calls.forget(self, func, env, unknown)
            return unknown
        now = self.dynamic
        counters = self.counters
        around = counters.begins(node, node in now.stack, most_runs(node))
        frame = Frame("function", func.frame, trace, node)
        frame.env = env
        frame.begun = counters.tick
        frame.cls = func.owner
        frame.unsure = now.unsure
        frame.outer = () if node.is_generator else outer
        self._note_run(func, trace)
        key_identity.received(self, frame)
        given = dict(env)
        stack, frames = (*now.stack, node), (*now.frames, frame)
        now.effects.deepest = max(now.effects.deepest, len(stack))
        try:
            with self.within(stack=stack, frames=frames, tested=now.asked(func.frame.root)):
                falls = self.block(frame, node.body)
        finally:
            counters.charge = around
        self.summaries.spent[id(node)] = typestate.handed_back(self, frame, falls)
        return self._result(frame, node, given, falls)

    def _note_run(self, func: Function, trace: Trace) -> None:
        node = func.node
        self.program.analysed.add((id(node), id(func.frame)))
        self.meets(func.frame.root)
        if not trace.is_host:
            self.program.traced.add(id(node))
            home = func.frame.root
            if home is not self.globals and home.module is not None:
                self.context.traced.add((home.module.file, node.name))
                self.dynamic.effects.ran[id(node)] = node, home.module.file

    def _result(
        self, frame: Frame, node: ir.FunctionDef, given: dict[str, Value], falls: bool
    ) -> Value:
        """What a run gives: the joined values of its `return` statements, or an iterator."""
        for exit_env in frame.exits:
            frame.env = join_envs(frame.env, exit_env)
        if node.is_generator:
            element = join_all(frame.yields) if frame.yields else NONE
            known = frame.yields if frame.ordered else None
            return Iterator(element, frame.trace, known, "generator")
        if falls:
            frame.returns.append(NONE)
        result = join_all(frame.returns) if frame.returns else self.unknown("never returns")
        result = of_returns(node, given, frame, result)
        return Iterator(result, frame.trace, None, "coroutine") if node.is_async else result

    def _refused(self, node: ir.FunctionDef, env: dict[str, Value]) -> str:
        """Why a function is not run, "" where it is."""
        counted = MOST_COUNTED * any(map(is_number, env.values()))
        now = self.dynamic
        depth = now.stack.count(node)
        reentered = depth and self.counters.reentered[id(node)] >= MOST_REENTERED
        if depth >= MOST_RECURSION + counted or reentered:
            now.effects.goes_by(now.stack.index(node))
            return "recursion"
        reason = ""
        if len(now.stack) >= MOST_DEPTH:
            reason = "recursion"
        elif self.counters.runs.get(id(node), 0) >= most_runs(node):
            reason = "function that ran for many other arguments"
            self.budget.leaves_out(node.name)
        elif self.budget.is_short():
            reason = "budget that is used up"
        if reason:
            now.effects.goes_by(WHOLE_STACK)
        return reason

    def may_go(self, depth: int) -> bool:
        """Whether so many functions may run within each other."""
        return depth <= MOST_DEPTH

    def admits(self, charge: Charge | None) -> bool:
        """Whether a call that is remembered may stand for one here: whether none of its functions
        would have been left out."""
        return charge is None or self.counters.admits(charge, self._levels())

    def charged(self, charge: Charge | None) -> None:
        """A call that is remembered stands for one here."""
        if charge is not None:
            self.counters.again(charge, self._levels())

    def _levels(self) -> int:
        """How many functions may still run within each other."""
        return MOST_DEPTH - len(self.dynamic.stack)

    def invoke(
        self, func: Function, args: Args, trace: Trace, node: ir.Expr, caller: Frame | None = None
    ) -> Value:
        """Calls a function whose source is known with abstract arguments."""
        if not fits(func.node, args):
            return self.unknown("call that does not fit the function")
        env = bind_parameters(self.unknown, func, args, trace)
        if self.counters.runs.get(id(func.node), 0) >= MOST_CONSTANTS:
            env = {name: without_number(value) for name, value in env.items()}
        if not trace.is_host and any(map(_may_be_container, env.values())):
            _take_arrays(func, env)
        return result_of(self, func, env, trace, node, caller)

    def later(self, func: Function) -> None:
        """Notes a function to be run with unknown arguments if nothing else runs it: not one that
        such a run of the same function made, which would make another one."""
        makers = self.program.makers
        if func.frame.root is self.globals and func.node not in makers:
            self.program.pending.append((func, makers))


def _may_be_container(value: Value | None) -> TypeGuard[Traced]:
    return isinstance(value, Traced) and not value.leaf


def _take_arrays(func: Function, env: dict[str, Value]) -> None:
    """What a function uses as arrays among its arguments are arrays to it."""
    for name in array_names(func.node, func.frame.root.module):
        value = env.get(name)
        if _may_be_container(value):
            made = copy(value)
            made.leaf = True
            env[name] = made
