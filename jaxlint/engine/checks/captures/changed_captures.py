"""Captures of the compiled functions of a file that change: in a loop, or between calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from jaxlint import facts
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.captures.changed_attributes import of_attribute
from jaxlint.engine.checks.captures.changed_contents import of_contents
from jaxlint.engine.checks.captures.changed_names import of_name
from jaxlint.engine.checks.captures.program_lifetimes import Programs
from jaxlint.engine.checks.captures.staleness import entry_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function, Instance
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name, innermost
from jaxlint.syntax import ir


def after(machine: Machine) -> None:
    """Emits the captures that change, each once: what traced code itself stores is another
    hazard, and what a loop rebinds tells more than that it is bound again."""
    stored = {
        fact.target
        for fact in machine.collected.facts
        if isinstance(fact, facts.Stored) and fact.place in ("global", "nonlocal")
    }
    programs = Programs(machine)
    for record in machine.program.own_uses(machine.globals):
        late = list(_late(machine, record))
        for fact in late:
            machine.emit(fact)
        names = {fact.name for fact in late} | stored
        for fact, unsure in _stale(machine, programs, record) if record.wrapper.compiles else ():
            if fact.name not in names:
                machine.emit(fact, unsure)


def _stale(
    machine: Machine, programs: Programs, record: TransformUse
) -> Iterator[tuple[facts.StaleCapture, bool]]:
    """What a compiled function reads once and for all although it changes between calls, and
    whether it may not read it at all."""
    if not record.captures:
        return
    spans = programs.spans(record)
    for place, (node, value) in record.captures.items():
        owner, name = place
        found: Iterable[facts.StaleCapture] = ()
        if isinstance(owner, Instance):
            found = chain(
                of_attribute(machine, record, owner, name, node, spans),
                of_contents(machine, record, owner, name, node, value, spans),
            )
        elif isinstance(owner, Frame) and value is not None:
            found = of_name(machine, record, owner, name, node, value, spans)
        for fact in found:
            yield fact, place in record.presumed


def _late(machine: Machine, record: TransformUse) -> Iterator[facts.StaleCapture]:
    """A name that the loop binds again which makes the function and calls it."""
    for name, node in record.late[:1] if record.wrapper.compiles else ():
        func = _definition(record)
        place = _read_of(func, name) if func is not None else None
        yield facts.StaleCapture(
            machine.module,
            place or record.node,
            function_name(record.func),
            entry_of(record),
            kind="loop",
            name=name,
            changed=(node,),
            possible=record.direct and any(call[1] is record.loop for call in record.calls),
        )


def _definition(record: TransformUse) -> ir.FunctionDef | None:
    func = innermost(record.func)
    return func.node if isinstance(func, Function) else None


def _read_of(func: ir.FunctionDef, name: str) -> ir.Node | None:
    return next((n for n in walk(func.body) if isinstance(n, ir.Name) and n.id == name), None)


CHECK = Check("changed-captures", on_finish=after)
