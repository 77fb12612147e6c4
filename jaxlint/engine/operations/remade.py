"""Attributes that get the like of what they hold, each time that a function is traced."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.names import assigned, bound_names, dotted_text, free_in, parents, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import leaks
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    Instance,
    Partial,
    Transformed,
    Unknown,
    Value,
    is_none,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir


def may_hold(
    machine: Machine, frame: Frame, node: ir.Expr, old: Value | None, value: Value
) -> bool:
    """Whether an attribute, `node`, gets an object that each call makes of constants and of its
    owner alone: then it holds the like already, unless what makes the object goes by more."""
    func, root = frame.home().func, dotted_text(node).partition(".")[0]
    if func is None or not isinstance(value, _OBJECTS) or leaks(value) is not None:
        return False
    _, made = assigned(parents(machine.sources.owner(node, machine.module).body).get(id(node)))
    if made is None or dotted_text(node) in map(dotted_text, _reads(func, node)):
        return False
    if old is not None and not all(is_none(one) or _same_place(one, value) for one in options(old)):
        return False
    tests = [it.test for it in walk(func.body) if isinstance(it, ir.If) and _holds(it, node)]
    return all(_is_made_of(func, it, root, frozenset()) for it in (made, *tests))


_OBJECTS = (Bound, FrameworkObject, Function, Instance, Partial, Transformed, Unknown)


def _holds(branch: ir.If, node: ir.Expr) -> bool:
    return any(one is node for one in walk((*branch.body, *branch.orelse)))


def _reads(func: ir.FunctionDef, until: ir.Expr) -> Iterator[ir.Attribute]:
    """The attributes that a function mentions before a place."""
    for one in walk(func.body):
        if one is until:
            return
        if isinstance(one, ir.Attribute):
            yield one


def _is_made_of(func: ir.FunctionDef, made: ir.Expr, root: str, seen: frozenset[str]) -> bool:
    """Whether an expression depends on no parameter of a function but `root`, as far as names
    tell: those that it binds by plain assignments, and the tests around these, count as well."""
    params = {param.name for param in func.params} - {root}
    for name in free_in(made) - seen - {root}:
        if name in params:
            return False
        depends = list(_sources(func, name))
        if not all(it is not None and _is_made_of(func, it, root, seen | {name}) for it in depends):
            return False
    return True


def _sources(func: ir.FunctionDef, name: str) -> Iterator[ir.Expr | None]:
    """What a function binds a name to, and the tests that decide about it; None for bindings of
    another sort than assignments."""
    for one in walk(func.body):
        if isinstance(one, ir.If):
            if any(name in bound_names(it) for it in walk((*one.body, *one.orelse))):
                yield one.test
        elif name in bound_names(one):
            yield assigned(one)[1]


def _same_place(one: Value, other: Value) -> bool:
    if isinstance(one, FrameworkObject) and isinstance(other, FrameworkObject):
        return one.made is other.made
    return one is other
