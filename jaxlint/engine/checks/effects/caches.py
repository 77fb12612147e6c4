"""Results that Python keeps: functions behind `functools.cache` and kin, cached properties.

A result that is made while JAX traces is made of tracers. Who keeps it keeps them, and hands them
out again when the trace is over.
"""

from __future__ import annotations

from typing import Any

from jaxlint import facts
from jaxlint.dataflow.idioms import remembered
from jaxlint.dataflow.names import dotted_text, parents, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced, leaks
from jaxlint.engine.domain.values import Function, Instance, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir

# What the objects of these keep while they are traced is theirs to put back.
_FRAMEWORKS = ("equinox.", "flax.", "haiku.")


def called(
    machine: Machine, frame: Frame, node: ir.Expr, func: Function, args: Args, result: Value
) -> None:
    """Traced code calls a function whose results are kept."""
    if frame.trace.is_host:
        return
    if func.frame.trace is frame.trace or machine.dynamic.compile_time:
        return
    if any(finds_traced(value) is not None for value in args.values()):
        return  # Tracers are no keys.
    warm = id(func.node) in machine.program.called
    _kept(machine, frame, node, func.node.name, result, unsure=warm)


def read(machine: Machine, frame: Frame, node: ir.Expr, owner: Instance, result: Value) -> None:
    """Traced code reads a property whose value the object keeps."""
    own = not any(base.startswith(_FRAMEWORKS) for base in owner.cls.externals())
    plain = own and not owner.cls.tree and not owner.cls.opaque
    outlives = plain and owner.born is not frame.trace
    if outlives and not frame.trace.is_host and not machine.dynamic.compile_time:
        _kept(machine, frame, node, dotted_text(node), result)


def after(machine: Machine) -> None:
    """Reports memos that are written by hand: what is stored under a test whether it is there."""
    for fact in list(machine.collected.facts):
        leak = isinstance(fact, facts.Stored) and fact.trail is not None
        if not (leak and isinstance(fact, facts.Stored)) or _root_name(fact):
            continue
        owner = machine.sources.owner(fact.node, fact.module)
        func = _function_around(owner, fact.node)
        if func is not None and _asks_for(func, fact.target):
            made = facts.ContractViolation(
                owner,
                fact.node,
                fact.function,
                fact.entry,
                fact.trail,
                kind="memoised-leak",
                subject=fact.target,
            )
            machine.emit(made)
            made.supposed, made.unsure, made.calls = fact.supposed, fact.unsure, fact.calls


def _root_name(fact: facts.Stored) -> str:
    """The parameter that the stored tracer comes from: then it is no constant."""
    return fact.trail.root().name if fact.trail is not None else ""


def _function_around(module: ir.Module, node: ir.Node) -> ir.FunctionDef | None:
    around = parents(module.body)
    inner: Any = node
    while (outer := around.get(id(inner))) is not None:
        if isinstance(outer, ir.FunctionDef) and any(inner is one for one in outer.body):
            return outer
        inner = outer
    return None


def _asks_for(func: ir.FunctionDef, target: str) -> bool:
    """Whether a function looks for what it keeps before it makes it."""
    attr = target.rpartition(".")[2]
    for one in walk(func.body):
        if isinstance(one, (ir.If, ir.IfExp)):
            for part in walk(one.test):
                if isinstance(part, (ir.Name, ir.Attribute)) and dotted_text(part) == target:
                    return True
                if isinstance(part, ir.Const) and part.value == attr:
                    return True
        elif isinstance(one, ir.Try) and any(
            handler.type is not None and dotted_text(handler.type) in _MISSING
            for handler in one.handlers
        ):
            return True
    return target in remembered(func)


_MISSING = frozenset({"AttributeError", "KeyError", "NameError"})


def _kept(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    subject: str,
    result: Value,
    unsure: bool = False,
) -> None:
    found = leaks(result)
    if found is not None and frame.trace.staged:
        trail = found.trail
        misused(machine, frame, node, "memoised-leak", subject, trail=trail, unsure=unsure)


CHECK = Check(
    "caches",
    on_decorated_result=called,
    on_cached_property=read,
    on_finish=after,
)
