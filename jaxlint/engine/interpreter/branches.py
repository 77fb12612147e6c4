"""`if` statements: the paths of a chain of tests, and what holds behind them."""

from __future__ import annotations

from jaxlint.dataflow.idioms import counted_in, found_in, looked_in, read_from
from jaxlint.dataflow.names import dotted_text, free_in
from jaxlint.engine.domain.environment import Frame, diverge, join_envs
from jaxlint.engine.domain.values import Value
from jaxlint.engine.interpreter.undecided_tests import (
    asks_default,
    asks_kind,
    asks_settings,
    is_open,
    leaves_out_axis,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.filled import is_filled
from jaxlint.engine.operations.conditions.narrowing import narrow
from jaxlint.engine.operations.conditions.truth import truth
from jaxlint.engine.operations.containers.dicts import is_looked_up
from jaxlint.syntax import ir


def branch(machine: Machine, frame: Frame, node: ir.If) -> bool:
    """`if`: both paths from copies of the environment, joined; an elif chain is flattened."""
    return _Chain(machine, frame).run(node)


class _Chain:
    """The paths of an `if` statement and its `elif` clauses.

    `result` joins the environments of the paths that fall through, `parted` says that a path which
    may be taken does not, `guarded` that what the analysis does not follow settles a test so far:
    what kind of value something is, or what an object was made with. `looked_up` are memos: behind
    `if key in memo: return ...`, in its `else`, and behind `if memo is not None: return memo`, they
    are filled once.
    """

    __slots__ = ("frame", "guarded", "looked_up", "machine", "parted", "path", "result")

    def __init__(self, machine: Machine, frame: Frame) -> None:
        self.machine, self.frame, self.path = machine, frame, frame.path
        self.result: dict[str, Value] | None = None
        self.parted = self.guarded = False
        self.looked_up: frozenset[str] = frozenset()

    def run(self, node: ir.If) -> bool:
        """Runs all paths; whether one falls through."""
        current: ir.If | None = node
        while current is not None:
            current = self._clause(current)
        if self.result is None:
            return False
        self.frame.env = self.result
        if self.parted:
            diverge(self.frame)
        return True

    def _clause(self, node: ir.If) -> ir.If | None:
        """Runs what stands behind one test; the `elif` that follows is left."""
        machine, frame = self.machine, self.frame
        answer = truth(machine, frame, node.test, "if")
        if answer is None and is_looked_up(machine, frame, node):
            answer = True
        if answer is None and is_filled(frame, node):
            answer = False
        self.looked_up |= looked_in(node.test)
        if node.body and isinstance(node.body[-1], ir.Return):
            self.looked_up |= found_in(node.test)
        tested = machine.dynamic.tested | _asked(frame, node.test)
        with machine.within(tested=tested):
            if answer is False and dotted_text(node.test).endswith("TYPE_CHECKING"):
                _import_types(machine, frame, node.body)
            self.guarded |= answer is None and (
                asks_kind(machine, frame, node.test) or asks_settings(machine, frame, node.test)
            )
            if answer is not False:
                self._body(node, answer)
            if answer is True:
                return None
            frame.env = dict(frame.env)
            frame.env.update(narrow(machine, frame, node.test, False))
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ir.If):
            machine.arrived(frame, node.orelse[0])
            return node.orelse[0]
        self._otherwise(node, answer)
        return None

    def _body(self, node: ir.If, answer: bool | None) -> None:
        """Runs the body of a test that may be true."""
        machine, frame = self.machine, self.frame
        unsure = answer is None
        guarded = self.guarded or (unsure and asks_default(machine, frame, node.test))
        guarded |= unsure and leaves_out_axis(machine, frame, node.orelse)
        before = frame.env
        frame.env = dict(before)
        frame.env.update(narrow(machine, frame, node.test, True))
        if unsure:
            frame.path = object()
        optional = unsure and is_open(machine, frame, node.test)
        falls = self._block(node.body, unsure, optional or guarded)
        frame.doubtful |= (optional or self.guarded) and not falls
        frame.env = before

    def _otherwise(self, node: ir.If, answer: bool | None) -> None:
        """Runs the `else` clause, or what follows where there is none."""
        machine, frame = self.machine, self.frame
        tested = machine.dynamic.tested | self.looked_up
        if not node.orelse:
            machine.go_on_with(tested=tested)
            self._join()
            return
        unsure = answer is None
        guarded = self.guarded or (unsure and leaves_out_axis(machine, frame, node.body))
        if unsure:
            frame.path = object()
        with machine.within(tested=tested):
            self._block(node.orelse, unsure, guarded)

    def _block(self, body: tuple[ir.Stmt, ...], unsure: bool, doubtful: bool) -> bool:
        """Runs one path; whether it falls through."""
        now = self.machine.dynamic
        with self.machine.within(conditions=now.conditions + unsure, unsure=now.unsure + doubtful):
            falls = self.machine.block(self.frame, body)
        self.frame.path = self.path
        self.parted |= unsure and not falls
        if falls:
            self._join()
        return falls

    def _join(self) -> None:
        env = self.frame.env
        self.result = env if self.result is None else join_envs(self.result, env)


def _asked(frame: Frame, test: ir.Expr) -> frozenset[str]:
    """What a test asks about: names, what they stand for, lengths, containers that it looks in."""
    names = free_in(test)
    kept = read_from(frame.home().func)
    behind = frozenset(kept[one] for one in names if one in kept)
    return names | behind | counted_in(test) | {f"in {one}" for one in looked_in(test)}


def _import_types(machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...]) -> None:
    """Annotations name what is imported for type checkers alone."""
    for statement in body:
        if isinstance(statement, (ir.Import, ir.ImportFrom)):
            machine.semantics.executors[type(statement)](machine, frame, statement)
