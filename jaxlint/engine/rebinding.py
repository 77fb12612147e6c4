"""Rebindings of a captured name that may leave what is read of it as it was."""

from __future__ import annotations

from jaxlint.engine.bindings import parents
from jaxlint.engine.machine import Machine
from jaxlint.engine.sameness import same_object
from jaxlint.engine.state import Frame
from jaxlint.engine.values import Instance, Value, options
from jaxlint.syntax import ir


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
    for module in machine.sources.modules:
        around = parents(module.body).get(id(node))
        if isinstance(around, ir.Assign) and isinstance(around.value, ir.Name):
            return around.value.id
    return ""


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
    static = cls.meta if cls.tree == "leaves" else cls.fields.keys() - cls.children
    if not keys <= static:
        return False
    objects = [one for one in options(new) if isinstance(one, Instance)] if new else []
    return not any(_differs(old, one, str(key)) for one in objects for key in keys)


def _differs(old: Instance, new: Instance, field: str) -> bool:
    if field not in old.fields or field not in new.fields:
        return old.cls is not new.cls
    return same_object(old.fields[field], new.fields[field]) is False
