"""When a capture goes stale: changes between the calls of a program, and the fact about them."""

from __future__ import annotations

from typing import Any

from jaxlint import facts
from jaxlint.engine.domain.values import (
    Function,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.facts.provenance import TraceEntry
from jaxlint.syntax import ir

Change = tuple[int, ir.Node]


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


def sets_module_up(machine: Machine, func: ir.FunctionDef) -> bool:
    """Whether the module itself calls a function, and nothing else does."""
    return id(func) in machine.program.called_outside - machine.program.called_inside
