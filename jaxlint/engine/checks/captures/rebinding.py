"""Rebindings of a captured name that may leave what is read of it as it was, or come with
arguments for which the function is traced again."""

from __future__ import annotations

from functools import partial
from typing import Any

from jaxlint.dataflow.loop_variance import STAYS, Around, around, variation
from jaxlint.dataflow.names import walk
from jaxlint.dataflow.structure import Layout
from jaxlint.engine.checks.captures.staleness import Change, parent_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_child
from jaxlint.engine.domain.values import Instance, Value, options
from jaxlint.engine.inference.constant_names import dotted, number
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.identity import same_object
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir


def traced_again(machine: Machine, record: TransformUse) -> bool:
    """Whether a call in a loop passes slices whose length may be another in each iteration."""
    module = machine.globals.module
    if module is None:
        return False
    layout = Layout(module.body)
    for site in record.sites:
        if site.frame.root is machine.globals:
            names, counts = partial(dotted, site.frame), partial(number, site.frame)
            at = around(layout, site.node, names, counts, 1)
            if any(one.fixed is False and _may_vary(one.node, at) for one in site.given):
                return True
    return False


def _may_vary(node: Any, at: Around) -> bool:
    """Whether an argument is a slice whose bounds a loop around it may change."""
    if isinstance(node, ir.Name):
        held = [turn.bound[node.id] for turn in at.turns if node.id in turn.bound]
        return bool(held) and any(_may_vary(value, at) for value, _ in held[0])
    if not isinstance(node, ir.Subscript):
        return False
    index = node.index
    parts = index.items if isinstance(index, ir.Sequence) else (index,)
    names = [
        name
        for part in parts
        if isinstance(part, ir.Slice)
        for name in walk((part.lower, part.upper))
        if isinstance(name, ir.Name)
    ]
    return any(variation(name, at) != STAYS for name in names)


def rebindings(machine: Machine, owner: Frame, name: str) -> list[Change]:
    """The bindings of a name but the first: no program has read it before.

    What is known of another module need not begin with the first one, and a parameter is bound
    by the call.
    """
    writes = owner.writes.get(name, [])
    if not _is_first(machine, owner, name):
        return writes
    return [] if binds_one_literal(machine, owner, name) else writes[1:]


def _is_first(machine: Machine, owner: Frame, name: str) -> bool:
    """Whether the first binding of a name that is seen is the first one."""
    if owner.func is not None:
        return all(param.name != name for param in owner.func.params)
    return owner is machine.globals and not owner.stars


def binds_one_literal(machine: Machine, owner: Frame, name: str) -> bool:
    """Whether all bindings of a name bring the number or the text that the first one brought."""
    literals = set()
    for _, node in owner.writes.get(name, ()) if _is_first(machine, owner, name) else ():
        around = parent_of(machine, node)
        value = around.value if isinstance(around, (ir.Assign, ir.AnnAssign)) else None
        if not isinstance(value, ir.Const):
            return False
        literals.add((type(value.value), value.value))
    return len(literals) == 1


def altering(
    machine: Machine, owner: Frame, name: str, changes: tuple[ir.Node, ...]
) -> tuple[ir.Node, ...]:
    """The rebindings of a name that bring another object than an earlier one may have."""
    first: dict[str, int] = {}
    found: set[int] = set()
    for tick, node in owner.writes.get(name, ()):
        source = _source(machine, node)
        since = first.setdefault(source, tick)
        if not source or since == tick or not _stays(owner, source, since, tick):
            found.add(id(node))
    return tuple(node for node in changes if id(node) in found)


def _source(machine: Machine, node: ir.Node) -> str:
    """The name whose object is bound by `target = name`, nothing for another binding."""
    around = parent_of(machine, node)
    value = around.value if isinstance(around, ir.Assign) else None
    return value.id if isinstance(value, ir.Name) else ""


def _stays(owner: Frame, name: str, since: int, until: int) -> bool:
    """Whether a name of a function, or of one around it, is not bound between two moments."""
    scope = owner.binder(name)
    if scope is None:
        return False
    return not any(since < tick < until for tick, _ in scope.writes.get(name, ()))


def keeps_static(old: Value, new: Value | None, keys: frozenset[object] | None) -> bool:
    """Whether only static fields of a pytree are read, none of which is known to be another in
    the object that takes its place: JAX hands these on."""
    if not isinstance(old, Instance) or not old.cls.tree or not keys:
        return False
    cls = old.cls
    declared = cls.fields.keys() | cls.meta
    if not all(key in declared and is_child(cls, str(key)) is False for key in keys):
        return False
    objects = [one for one in options(new) if isinstance(one, Instance)] if new else []
    return not any(_differs(old, one, str(key)) for one in objects for key in keys)


def _differs(old: Instance, new: Instance, field: str) -> bool:
    if field not in old.fields or field not in new.fields:
        return old.cls != new.cls
    return same_object(old.fields[field], new.fields[field]) is False
