"""Captures of the compiled functions of a file that change: in a loop, or between calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.captures.changed_attributes import of_attribute
from jaxlint.engine.checks.captures.changed_contents import of_contents
from jaxlint.engine.checks.captures.changed_names import of_name, weighed
from jaxlint.engine.checks.captures.changed_unknowns import of_callee, of_unknown
from jaxlint.engine.checks.captures.program_lifetimes import Programs
from jaxlint.engine.checks.captures.staleness import entry_of
from jaxlint.engine.domain.environment import EVER, Frame
from jaxlint.engine.domain.values import Function, Instance, Unknown
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    function_name,
    innermost,
    plain_function,
)
from jaxlint.syntax import ir

# What compiled code reads something of, and the name.
Place = tuple[Any, str]


def after(machine: Machine) -> None:
    """Emits the captures that change, each once: what traced code itself stores is another
    hazard, and what a loop rebinds tells more than that it is bound again."""
    stored = {
        fact.target
        for fact in machine.collected.facts
        if isinstance(fact, facts.Stored) and fact.place in ("global", "nonlocal")
    }
    programs = Programs(machine)
    for record in machine.uses():
        if not record.trace.is_host or record.expected:
            continue
        is_own = _is_own(machine, record)
        late = list(_late(machine, record)) if is_own else []
        for fact in late:
            machine.emit(fact)
        names = {fact.name for fact in late} | stored
        known = () if is_own else machine.loans.before(record, "captures")
        for fact, unsure in _stale(machine, programs, record, is_own, known):
            if fact.name not in names:
                machine.emit(fact, unsure)


def _is_own(machine: Machine, record: TransformUse) -> bool:
    """Whether a transform is applied by code of this file, or to a function of it."""
    func = plain_function(record.func)
    is_applied = record.frame.root is machine.globals and not record.imported
    return is_applied or (func is not None and func.frame.root is machine.globals)


def _stale(
    machine: Machine,
    programs: Programs,
    record: TransformUse,
    is_own: bool,
    known: Collection[Place],
) -> Iterator[tuple[facts.StaleCapture, bool]]:
    """What a compiled function reads once and for all although it changes between calls, and
    whether it may not read it at all. Of what another file compiles, the attributes of objects
    that this file leads it to; `known` are those to which its own file does."""
    if not record.wrapper.compiles:
        return
    for fact in of_callee(machine, record) if is_own else ():
        yield fact, False
    by_age: dict[int, list[tuple[int, int]]] = {}
    for place, (node, value) in record.captures.items():
        owner, name = place
        if not (is_own or isinstance(owner, Instance)) or place in known:
            continue
        # The locals of a call begin with it.
        since = owner.begun if isinstance(owner, Frame) else EVER
        if since not in by_age:
            by_age[since] = programs.spans(record, since)
        spans = by_age[since]
        found: Iterable[facts.StaleCapture] = ()
        if isinstance(owner, Instance):
            found = chain(
                of_attribute(machine, record, owner, name, node, spans),
                of_contents(machine, record, owner, name, node, value, spans),
            )
        elif isinstance(owner, Frame) and value is not None:
            found = of_name(machine, record, owner, name, node, value, spans)
            found = weighed(machine, record, owner, name, value, found)
            if isinstance(value, Unknown):
                found = chain(found, of_unknown(machine, record, owner, name, node))
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
