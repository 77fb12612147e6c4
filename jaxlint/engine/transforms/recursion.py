"""Recursion that a trace does not end: no value decides in it how deep to go."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import dotted_text, free_in, names_in_loop, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, Function, LibraryName, Static, Transformed, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import is_leaf, refuse
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


def check_recursion(
    machine: Machine, frame: Frame, node: ir.Expr, func: Function, args: Args
) -> None:
    """A function that is running is called again in traced code."""
    if not frame.trace.staged:
        return
    called = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    is_within = _is_within(machine.dynamic.frames[-1], func)
    own = is_within and called.rpartition(".")[2] == func.node.name
    if own and _is_endless(node, func.node, args):
        refuse(machine, frame, node, "recursion-endless", func.node.name)
        return
    test = _traced_test(machine, node, func)
    if test is not None:
        refuse(machine, frame, test.node, "recursion-traced", func.node.name, test.text)


def _is_within(frame: Frame | None, func: Function) -> bool:
    """Whether code is a function's own, or that of one in it, such as a branch of `lax.cond`."""
    while frame is not None:
        if frame.func is func.node:
            return True
        frame = frame.parent
    return False


def _is_endless(node: ir.Expr, function: ir.FunctionDef, args: Args) -> bool:
    """Whether a function calls itself whatever it is called with, with arguments that are no
    smaller: a part of an argument may be the end, where it is of another class or of none."""
    if function.is_generator or _branches(function.body):
        return False
    if args.rest is not None or args.more is not None:
        return False
    rebound = names_in_loop(function.body)
    same = {param.name for param in function.params} - rebound
    return all(_is_undiminished(value, place, same) for value, place in _given(node, args))


@answered_once_of
def _branches(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether something decides what runs of a body, or how often."""
    return any(isinstance(node, _BRANCHING) for node in walk(body))


def _given(node: ir.Expr, args: Args) -> list[tuple[Value, ir.Expr]]:
    """Arguments with their expressions; that of an object is what its method is read from."""
    pairs = args.pairs()
    func = node.func if isinstance(node, ir.Call) else None
    if pairs and pairs[0][1] is node and isinstance(func, ir.Attribute):
        return [(pairs[0][0], func.value), *pairs[1:]]
    return pairs


def _is_undiminished(value: Value, place: ir.Expr, same: set[str]) -> bool:
    """Whether an argument is what the function got itself, or a number or an array that is no
    part of something."""
    if isinstance(place, ir.Name) and place.id in same:
        return True
    if isinstance(place, (ir.Attribute, ir.Subscript)):
        return False
    if isinstance(value, Static):
        return value.kind in ("int", "float", "bool", "complex", "str", "NoneType")
    return is_leaf(value) or isinstance(value, (Class, LibraryName, Function, Transformed))


def _traced_test(machine: Machine, node: ir.Expr, func: Function) -> facts.Concretized | None:
    """The test on a traced value that was to end the recursion."""
    passed = frozenset(name for given in _arguments(node) for name in free_in(given))
    for fact in reversed(machine.collected.facts[-_RECENT:]):
        if not isinstance(fact, facts.Concretized) or fact.sink not in _TESTS:
            continue
        inside = fact.function == func.node.name and fact.is_certain
        if inside and isinstance(fact.node, ir.Expr) and passed & free_in(fact.node):
            return fact
    return None


def _arguments(node: ir.Expr) -> list[ir.Expr]:
    return [argument.value for argument in node.args] if isinstance(node, ir.Call) else []
