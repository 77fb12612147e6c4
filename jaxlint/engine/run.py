"""Runs the abstract tracer over one file: host code first, then every traced entry point."""

from __future__ import annotations

import sys

from jaxlint.engine import bindings, hostfacts
from jaxlint.engine.calls import call, host_result
from jaxlint.engine.contracts import run_entry
from jaxlint.engine.expressions import EVALUATORS
from jaxlint.engine.facts import Fact
from jaxlint.engine.machine import Machine
from jaxlint.engine.statements import EXECUTORS
from jaxlint.syntax import ir

# Deeply nested source is interpreted by Python calls as deep, which take no native stack.
MOST_FRAMES = 60_000


def trace(module: ir.Module) -> Machine:
    """Runs a module; the machine holds the facts, the reveals and what was not known."""
    machine = Machine(module, EVALUATORS, EXECUTORS, call)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, MOST_FRAMES))
    try:
        machine.block(machine.globals, module.body)
        _drain(machine)
        hostfacts.after(machine)
    finally:
        sys.setrecursionlimit(limit)
        bindings.forget()
    return machine


def _drain(machine: Machine) -> None:
    """Functions and entries make new ones, until none is left."""
    entries = 0
    while machine.pending or entries < len(machine.records):
        while machine.pending:
            func = machine.pending.pop(0)
            if (id(func.node), id(func.frame)) not in machine.analysed and func.frame.trace.is_host:
                host_result(machine, func)
        while entries < len(machine.records):
            record = machine.records[entries]
            entries += 1
            run_entry(machine, record)


def analyse(module: ir.Module) -> list[Fact]:
    """Every fact that the abstract tracer finds in a module."""
    return trace(module).facts


def reveal(module: ir.Module) -> list[tuple[ir.Call, str]]:
    """What each `reveal(...)` call in traced code saw: "traced", "static", "unknown", "mixed".

    A transformed function also runs for arguments of any sort: what is unknown there takes
    nothing from what a run for the arguments of a visible call knows.
    """
    seen: dict[int, tuple[ir.Call, set[str]]] = {}
    for node, kind in trace(module).reveals:
        seen.setdefault(id(node), (node, set()))[1].add(kind)
    return [(node, _agreed(kinds)) for node, kinds in seen.values()]


def _agreed(kinds: set[str]) -> str:
    known = kinds - {"unknown"} or kinds
    return known.pop() if len(known) == 1 else "mixed"
