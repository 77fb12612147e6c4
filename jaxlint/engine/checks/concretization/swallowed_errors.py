"""Handlers that hide what tracers raise, and handlers that wait for what JAX never raises."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import is_none_literal, targets_of, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Concrete,
    LibraryName,
    NumPy,
    Sequence,
    Static,
    Value,
    as_traced,
)
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# The builtin classes of the errors that tracers and arrays raise.
TRACE_ERRORS = frozenset(
    {
        "AttributeError",
        "IndexError",
        "NotImplementedError",
        "RuntimeError",
        "TypeError",
        "ValueError",
    }
)
# Classes above them: a handler of one catches all that derive from it.
_ABOVE = {
    "LookupError": frozenset({"IndexError"}),
    "RuntimeError": frozenset({"NotImplementedError", "RuntimeError"}),
}
_EVERYTHING = ("Exception", "BaseException")
# What Python raises for numbers, and JAX never: its results are infinite, or not a number.
_ARITHMETIC = frozenset(
    {"ArithmeticError", "FloatingPointError", "OverflowError", "ZeroDivisionError"}
)
_DIVISIONS = frozenset({"/", "//", "%"})
# Nodes that an expression without effects, which may be evaluated once more, does not have.
_EFFECTS = (ir.Call, ir.NamedExpr, ir.Await, ir.Yield, ir.Comprehension, ir.Lambda)


def types_of(machine: Machine, frame: Frame, kind: ir.Expr | None) -> list[Value]:
    """The classes that a handler names."""
    if kind is None:
        return []
    value = machine.eval(frame, kind)
    return value.items or [] if isinstance(value, Sequence) else [value]


def catches(types: list[Value], is_bare: bool) -> frozenset[str]:
    """What a handler may catch of what tracers raise, by the builtin classes."""
    if is_bare:
        return TRACE_ERRORS
    found: frozenset[str] = frozenset()
    for one in types:
        if not isinstance(one, LibraryName):
            return TRACE_ERRORS
        name = one.dotted.rpartition(".")[2]
        if not one.dotted.startswith("builtins.") or name in _EVERYTHING:
            return TRACE_ERRORS
        found |= _ABOVE.get(name, frozenset({name} & TRACE_ERRORS))
    return found


def _surely_catches(types: list[Value], is_bare: bool) -> frozenset[str]:
    """What a handler catches without meaning tracers: nothing where it names other classes than
    those of Python."""
    names = [one.dotted if isinstance(one, LibraryName) else "" for one in types]
    plain = all(name.startswith("builtins.") for name in names)
    return catches(types, is_bare) if plain else frozenset()


def report(
    machine: Machine,
    frame: Frame,
    hidden: list[facts.Fact],
    attempted: tuple[ir.Stmt, ...],
    kinds: list[tuple[ir.Expr | None, list[Value], tuple[ir.Stmt, ...]]],
) -> None:
    """Reports the first error that one of the handlers catches and does not raise again.

    `attempted` is what they are for, `kinds` are the handlers: what they name, as written and as
    values, and their bodies.
    """
    for fact in hidden:
        for written, types, body in kinds:
            if not fact.raises & catches(types, written is None):
                continue
            sure = _surely_catches(types, written is None)
            if (fact.raises <= sure or _is_bound(fact, sure)) and not _raises(body):
                handler = "" if written is None else machine.module.text_of(written)
                idle = not body and _is_idle(frame, attempted)
                _emit(machine, fact, handler, idle, _answers(machine, body))
                return
            break


def _is_bound(fact: facts.Fact, caught: frozenset[str]) -> bool:
    """Whether a fact is about the bounds of a slice: these raise `IndexError`."""
    return isinstance(fact, facts.ShapeNeeded) and fact.need == "slice" and "IndexError" in caught


def _raises(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a handler raises something, be it on one path alone."""
    return any(isinstance(node, ir.Raise) for node in walk(body))


def _answers(machine: Machine, body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a handler says that a value cannot be read: it returns from a function that traced
    code calls, or binds `None`."""
    gives_none = any(
        isinstance(one, ir.Assign) and is_none_literal(one.value) for one in walk(body)
    )
    returns = any(isinstance(one, ir.Return) for one in walk(body))
    return gives_none or (returns and bool(machine.dynamic.calls))


def _is_idle(frame: Frame, body: tuple[ir.Stmt, ...]) -> bool:
    """Whether nothing that a body computes is used outside of it."""
    inside = list(walk(body))
    if any(isinstance(node, (ir.Return, ir.Yield, ir.Break, ir.Continue)) for node in inside):
        return False
    bound: set[str] = set()
    for node in inside:
        targets = targets_of(node)
        if not all(isinstance(target, ir.Name) for target in targets):
            return False
        bound.update(target.id for target in targets if isinstance(target, ir.Name))
    home = frame.home().func
    if home is None:
        return False
    own = {id(node) for node in inside}
    names = (node for node in walk(home.body) if isinstance(node, ir.Name))
    return not any(node.id in bound and id(node) not in own for node in names)


def _emit(machine: Machine, fact: facts.Fact, handler: str, idle: bool, answered: bool) -> None:
    machine.emit(
        facts.Swallowed(
            fact.module,
            fact.node,
            fact.function,
            fact.entry,
            fact.trail,
            handler=handler,
            idle=idle,
            answered=answered,
        )
    )


# -- handlers of errors that never come ---------------------------------------------------------


def check_waiting(
    machine: Machine,
    frame: Frame,
    body: tuple[ir.Stmt, ...],
    kinds: list[tuple[ir.Expr | None, list[Value], tuple[ir.Stmt, ...]]],
) -> None:
    """Reports a handler of division by zero around a division of traced values alone."""
    for written, types, handler in kinds:
        names = {
            one.dotted.removeprefix("builtins.") for one in types if isinstance(one, LibraryName)
        }
        if not names or len(names) < len(types) or not names <= _ARITHMETIC:
            continue
        divisions = _divisions(body)
        if written is None or not divisions or _raises(handler):
            return
        values = [_known(machine, frame, node.right) for node in divisions]
        traced = [None if value is None else as_traced(value) for value in values]
        if any(isinstance(value, (Static, NumPy)) or value is None for value in values):
            return
        first = next((t for t in traced if t is not None), None)
        if first is None or not all(_is_array(value) for value in values if value is not None):
            return
        machine.emit(
            facts.Swallowed(
                machine.module,
                divisions[0],
                frame.name,
                frame.trace.entry,
                first.trail,
                kind="never",
                handler=machine.module.text_of(written),
            )
        )
        return


def _is_array(value: Value) -> bool:
    return isinstance(value, Concrete) or as_traced(value) is not None


def _divisions(body: tuple[ir.Stmt, ...]) -> list[ir.BinOp]:
    """The divisions of a body that calls nothing and does nothing else that may fail so."""
    found: list[ir.BinOp] = []
    for node in walk(body):
        if isinstance(node, (*_EFFECTS, ir.AugAssign)):
            return []
        if isinstance(node, ir.BinOp) and node.op == "**":
            return []
        if isinstance(node, ir.BinOp) and node.op in _DIVISIONS:
            found.append(node)
    return found


def _known(machine: Machine, frame: Frame, node: ir.Expr) -> Value | None:
    """The value of an expression that has been evaluated before, without reports."""
    with machine.quiet():
        return machine.eval(frame, node)


def examine(
    machine: Machine,
    frame: Frame,
    hidden: list[facts.Fact],
    body: tuple[ir.Stmt, ...],
    handlers: list[tuple[ir.Expr | None, list[Value], tuple[ir.Stmt, ...]]],
    suppresses: bool,
) -> None:
    """Traced code ran in a body with handlers, which hid some facts."""
    report(machine, frame, hidden, body, handlers)
    if not suppresses:
        check_waiting(machine, frame, body, handlers)


CHECK = Check(
    "swallowed-errors",
    on_handlers=examine,
)
