"""Static arguments of a class that finds different objects equal: JAX then runs a program that
was compiled for another one."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.dataflow.names import free_in, walk
from jaxlint.dataflow.structure import Layout
from jaxlint.engine.checks.recompilation.call_sites import Site
from jaxlint.engine.checks.recompilation.hash_equality import compared, compares, constant_equality
from jaxlint.engine.domain.values import Class, Function, Instance
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.syntax import ir


def confused(
    machine: Machine, layout: Layout, record: TransformUse, sites: list[Site]
) -> Iterator[facts.Unhashable]:
    """A static argument whose class leaves out of `__eq__` what the function reads."""
    func = plain_function(record.func)
    if func is None:
        return
    told: set[int] = set()
    for site in sites:
        for given in site.given:
            value = given.value
            if not given.fixed or not given.name or not isinstance(value, Instance):
                continue
            cls = value.cls
            if id(cls) in told or compares(cls) != "code" or not _differ(machine, layout, cls):
                continue
            told.add(id(cls))
            held = set(value.fields)
            if cls.generic is not None:
                held |= set(cls.generic.fields)
            name = _unseen(cls, _read(func.node, given.name) & held)
            equal = cls.find("__eq__")
            if name and isinstance(equal, Function):
                module = machine.sources.owner(equal.node, machine.module)
                made = facts.Unhashable(module, equal.node, site.frame.name)
                made.kind, made.subject, made.detail = "equality", given.name, f"{cls.name}.{name}"
                made.callee = function_name(record.func)
                yield made


def _unseen(cls: Class, read: set[str]) -> str:
    """An attribute that is read, but not compared."""
    if constant_equality(cls) is not None:
        return min(read, default="")
    seen = compared(cls)
    return "" if seen is None else min(read - seen, default="")


def _read(function: ir.FunctionDef, name: str) -> set[str]:
    """The attributes of a parameter that a function reads."""
    return {
        node.attr
        for node in walk(function.body)
        if isinstance(node, ir.Attribute)
        and isinstance(node.value, ir.Name)
        and node.value.id == name
    }


def _differ(machine: Machine, layout: Layout, cls: Class) -> bool:
    """Whether objects of a class are made in different ways."""
    calls = layout.calls_of(cls.name)
    made = {machine.module.text_of(call) for call in calls}
    return len(made) > 1 or any(_turns(layout, call) for call in calls)


def _turns(layout: Layout, call: ir.Call) -> bool:
    """Whether a loop around passes another value each time."""
    given = {name for one in call.args for name in free_in(one.value)}
    return any(turn.binds(name) for turn in layout.turns(call) for name in given)
