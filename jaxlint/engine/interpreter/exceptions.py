"""`try` statements: what their handlers catch of what tracers raise."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text, free_in, walk
from jaxlint.engine.checks.concretization.swallowed_errors import (
    catches,
    types_of,
)
from jaxlint.engine.domain.environment import Frame, join_envs
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import STATIC, LibraryName, Sequence, Value, as_traced, options
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.handlers import Caught
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.attributes import has_attribute
from jaxlint.engine.operations.modules import is_found
from jaxlint.syntax import ir

_SIMPLE = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt, ir.Return)
# Where an expression may leave a part of itself out.
_PARTIAL = (ir.BoolOp, ir.IfExp, ir.Comprehension, ir.Lambda)


def suppressing(machine: Machine, frame: Frame, node: ir.With, kinds: list[ir.Expr]) -> bool:
    """Runs the body of `with contextlib.suppress(...)`."""
    handlers: list[tuple[ir.Expr | None, list[Value], tuple[ir.Stmt, ...]]]
    handlers = [(kind, types_of(machine, frame, kind), ()) for kind in kinds]
    caught = Caught(frozenset().union(*(catches(types, False) for _, types, _ in handlers)))
    before = dict(frame.env)
    with machine.within(caught=(*machine.dynamic.caught, caught)):
        _attempt(machine, frame, node.body, caught)
    if not frame.trace.is_host:
        for heard in machine.checks.handlers:
            heard(machine, frame, caught.hidden, node.body, handlers, True)
    frame.env = join_envs(before, frame.env)
    return True


def try_block(machine: Machine, frame: Frame, node: ir.Try) -> bool:
    before = dict(frame.env)
    kinds = [(h.type, types_of(machine, frame, h.type), h.body) for h in node.handlers]
    caught = Caught(frozenset().union(*(catches(types, h is None) for h, types, _ in kinds)))
    now = machine.dynamic
    doubtful = any(map(_is_of_tracing, (one for _, types, _ in kinds for one in types)))
    with machine.within(caught=(*now.caught, caught), unsure=now.unsure + doubtful):
        falls = _attempt(machine, frame, node.body, caught)
    after = frame.env
    if not frame.trace.is_host:
        for heard in machine.checks.handlers:
            heard(machine, frame, caught.hidden, node.body, kinds, False)
    result: dict[str, Value] | None = None
    if falls:
        falls = machine.block(frame, node.orelse)
        if falls:
            result = frame.env
    found = falls and all(is_found(machine, frame, statement) for statement in node.body)
    complete = not found and _lacks_nothing(machine, frame, node.body)
    for handler in node.handlers if not found else ():
        if complete and dotted_text(handler.type) == "AttributeError":
            continue
        frame.env = join_envs(before, after)
        if handler.name is not None:
            frame.env[handler.name] = _exception(machine, frame, handler.type)
        tested = machine.dynamic.tested
        if dotted_text(handler.type) in ("KeyError", "IndexError", "AttributeError", "NameError"):
            tested |= {name for part in node.body for name in free_in(part)}
        with machine.within(conditions=machine.dynamic.conditions + 1, tested=tested):
            if machine.block(frame, handler.body):
                result = frame.env if result is None else join_envs(result, frame.env)
    frame.env = result if result is not None else join_envs(before, after)
    if not machine.block(frame, node.final):
        return False
    return result is not None


def _is_of_tracing(kind: Value) -> bool:
    """Whether tracers alone raise this error: what handles it asks whether JAX traces, and what
    stands behind the statement that raises it does not run then."""
    return isinstance(kind, LibraryName) and kind.dotted.startswith("jax.errors.")


def _lacks_nothing(machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a body asks a tracer for attributes, and there are all attributes that it names."""
    traced = False
    for node in walk(body, (ir.FunctionDef,)):
        if not isinstance(node, ir.Attribute):
            continue
        owner = peek(machine, frame, node.value)
        if owner is not None and as_traced(owner) is not None:
            traced = True
        elif isinstance(owner, (LibraryName, Module)):
            continue
        if owner is None or any(
            has_attribute(one, node.attr) is not True for one in options(owner)
        ):
            return False
    return traced


def _exception(machine: Machine, frame: Frame, kind: ir.Expr | None) -> Value:
    """What `except kind as name` binds: an exception of Python holds Python values."""
    value = machine.unknown("exception") if kind is None else machine.eval(frame, kind)
    types = value.items or [] if isinstance(value, Sequence) else [value]
    plain = all(isinstance(t, LibraryName) and t.dotted.startswith("builtins.") for t in types)
    return STATIC if plain else machine.unknown("exception")


def _attempt(
    machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...], caught: frozenset[str]
) -> bool:
    """Runs a body up to where it certainly raises something that is caught; False if it ends
    before its last statement."""
    for statement in body:
        demands, home = machine.counters.demands, frame.home()
        returns, exits = len(home.returns), len(home.exits)
        falls = machine.semantics.executors[type(statement)](machine, frame, statement)
        raised = machine.counters.demands > demands and machine.counters.demanded is frame
        if raised and caught >= {"TypeError", "ValueError"} and _is_whole(statement):
            del home.returns[returns:], home.exits[exits:]
            return False
        if not falls:
            return False
    return True


def _is_whole(statement: ir.Stmt) -> bool:
    """Whether a statement evaluates all of itself."""
    return isinstance(statement, _SIMPLE) and not any(
        isinstance(node, _PARTIAL) for node in walk(statement)
    )
