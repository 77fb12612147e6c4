"""Recursion that a trace does not end: no value decides in it how deep to go."""

from __future__ import annotations

from jaxlint.engine import facts
from jaxlint.engine.bindings import dotted_text, free_in, walk
from jaxlint.engine.machine import Machine
from jaxlint.engine.refusals import refuse
from jaxlint.engine.state import Frame
from jaxlint.engine.values import Function
from jaxlint.syntax import ir

_TESTS = frozenset({"if", "ifexp", "while", "and", "or", "not", "chain"})
_BRANCHING = (
    ir.If,
    ir.IfExp,
    ir.BoolOp,
    ir.While,
    ir.For,
    ir.Try,
    ir.With,
    ir.Match,
    ir.Comprehension,
    ir.Raise,
    ir.Assert,
)
# So many of the latest facts may have to do with the activation that calls itself.
_RECENT = 12


def check_recursion(machine: Machine, frame: Frame, node: ir.Expr, func: Function) -> None:
    """A function that is running is called again in traced code."""
    if not frame.trace.staged:
        return
    caller = machine.frames[-1].func
    called = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    own = caller is func.node and called.rpartition(".")[2] == func.node.name
    if own and not any(isinstance(n, _BRANCHING) for n in walk(func.node.body)):
        refuse(machine, frame, node, "recursion-endless", func.node.name)
        return
    test = _traced_test(machine, node, func)
    if test is not None:
        refuse(machine, frame, test.node, "recursion-traced", func.node.name, test.text)


def _traced_test(machine: Machine, node: ir.Expr, func: Function) -> facts.Coerced | None:
    """The test on a traced value that was to end the recursion."""
    passed = frozenset(name for given in _arguments(node) for name in free_in(given))
    for fact in reversed(machine.facts[-_RECENT:]):
        if not isinstance(fact, facts.Coerced) or fact.sink not in _TESTS:
            continue
        inside = fact.function == func.node.name and fact.is_certain
        if inside and isinstance(fact.node, ir.Expr) and passed & free_in(fact.node):
            return fact
    return None


def _arguments(node: ir.Expr) -> list[ir.Expr]:
    return [argument.value for argument in node.args] if isinstance(node, ir.Call) else []
