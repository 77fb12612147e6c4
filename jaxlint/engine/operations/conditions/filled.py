"""Attributes that are filled where they are first asked for, and are asked for by the constructor:
`if self._nodes is None: self._nodes = ...` in a property that `__init__` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.dataflow.first_values import is_missing_if
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import assigned, dotted_text, is_none_literal, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, Descriptor, Function, Instance
from jaxlint.syntax import ir

_STRAIGHT = (ir.AnnAssign, ir.Assign, ir.AugAssign, ir.ExprStmt, ir.Return)
_MAKERS = ("__init__", "__post_init__")


def is_filled(frame: Frame, node: ir.If) -> bool:
    """Whether a test in traced code asks for what the constructor of a host object filled."""
    if frame.trace.is_host or frame.home().func is None:
        return False
    return any(
        is_missing_if(node.test, target) and _is_attribute_filled(frame, target)
        for target in _bound_in(node.body)
    )


def _is_attribute_filled(frame: Frame, target: str) -> bool:
    """Whether the running method is one that the constructor runs, and no other empties what it
    fills."""
    root, _, attr = target.partition(".")
    owner, func = frame.home().env.get(root), frame.home().func
    if func is None or not attr or not isinstance(owner, Instance):
        return False
    if not owner.born.is_host or owner.tree is not None:
        return False
    return func.name in _reached(owner.cls) and not _is_reset(owner.cls, attr)


def _bound_in(body: tuple[ir.Stmt, ...]) -> set[str]:
    return {dotted_text(target) for one in body for target in assigned(one)[0]}


def _reached(cls: Class) -> set[str]:
    """The methods and properties that making an object runs, whatever it is given."""
    found: set[str] = set()
    waiting = [name for name in _MAKERS if cls.find(name) is not None]
    while waiting:
        name = waiting.pop()
        held = cls.find(name)
        func = held.func if isinstance(held, Descriptor) else held
        if name not in found and isinstance(func, Function):
            found.add(name)
            waiting += _read_by(func.node)
    return found


@answered_once
def _read_by(func: ir.FunctionDef) -> tuple[str, ...]:
    """The attributes of its object that a method reads in any case, before it may return."""
    own = func.params[0].name if func.params else ""
    return tuple(
        one.attr
        for statement in _straight(func.body)
        for one in walk(statement, (ir.IfExp, ir.BoolOp, ir.Lambda))
        if isinstance(one, ir.Attribute) and isinstance(one.value, ir.Name) and one.value.id == own
    )


def _straight(body: tuple[ir.Stmt, ...]) -> Iterator[Any]:
    for one in body:
        if isinstance(one, _STRAIGHT):
            yield one
        elif any(isinstance(it, (ir.Return, ir.Raise)) for it in walk(one)):
            return


def _is_reset(cls: Class, attr: str) -> bool:
    """Whether another method than a constructor takes away what an attribute holds."""
    for one in cls.lineage:
        members = (it.func if isinstance(it, Descriptor) else it for it in one.namespace.values())
        others = [it.node for it in members if isinstance(it, Function)]
        if any(it.name not in _MAKERS and attr in _emptied_by(it) for it in others):
            return True
    return False


@answered_once
def _emptied_by(func: ir.FunctionDef) -> frozenset[str]:
    """The attributes that a function sets to None."""
    return frozenset(
        target.attr
        for one in walk(func.body)
        if is_none_literal(assigned(one)[1])
        for target in assigned(one)[0]
        if isinstance(target, ir.Attribute)
    )
