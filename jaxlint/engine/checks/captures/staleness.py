"""When a capture goes stale: changes between the calls of a program, and the fact about them."""

from __future__ import annotations

from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import assigned, parents, targets_of, updates, walk
from jaxlint.engine.domain.values import (
    Function,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.facts.provenance import TraceEntry
from jaxlint.syntax import ir

Change = tuple[int, ir.Node]

_SETS_UP = ("init", "setup", "main", "configure", "test")


def parent_of(machine: Machine, node: ir.Node) -> ir.Node | None:
    """The node directly around one, in whichever file it stands."""
    module = machine.sources.owner(node, machine.module)
    found: ir.Node | None = parents(module.body).get(id(node))
    return found


def entry_of(record: TransformUse) -> TraceEntry:
    """The entry that messages name for a compiled function."""
    node = record.definition or record.node
    return TraceEntry(node, record.wrapper.application, function_name(record.func))


def between(changes: list[Change], spans: list[tuple[int, int]]) -> tuple[ir.Node, ...]:
    return tuple(n for tick, n in changes if any(a < tick < b for a, b in spans))


def fact_of(
    machine: Machine,
    record: TransformUse,
    node: ir.Node,
    kind: Any,
    name: str,
    changed: tuple[ir.Node, ...],
    possible: bool = False,
) -> facts.StaleCapture:
    return facts.StaleCapture(
        machine.sources.owner(node, machine.module),
        node,
        function_name(record.func),
        entry_of(record),
        kind=kind,
        name=name,
        changed=changed,
        possible=possible,
    )


def is_made_per_call(record: TransformUse) -> bool:
    """Whether the compiled function lives in one call of a function: the next one traces anew.

    The programs of a function from outside are found again, whoever jits it.
    """
    home, func = record.frame.home(), record.func
    if isinstance(func, Function) and func.frame.home() is not home:
        return False
    return home.kind == "function" and not record.escaped


def is_set_up_by(func: ir.FunctionDef) -> bool:
    """Whether a function is named as those are that run before all others."""
    return func.name.lstrip("_").startswith(_SETS_UP)


def sets_module_up(machine: Machine, func: ir.FunctionDef) -> bool:
    """Whether the module itself calls a function, and nothing else does."""
    return id(func) in machine.program.called_outside - machine.program.called_inside


def goes_by_itself(statement: ir.Stmt, target: ir.Expr) -> bool:
    """Whether what a statement binds goes by what its target held before."""
    if isinstance(statement, ir.AugAssign):
        return True
    _, value = assigned(statement)
    return value is not None and updates(value, target)


def statement_of(func: ir.FunctionDef, target: ir.Node) -> ir.Stmt | None:
    """The statement of a function that binds a target."""
    binding = (one for one in walk(func.body) if any(it is target for it in targets_of(one)))
    return next((one for one in binding if isinstance(one, ir.Stmt)), None)
