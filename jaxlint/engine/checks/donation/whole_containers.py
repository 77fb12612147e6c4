"""Containers that were given away whose arrays are not told apart: lists of any length, dicts and
objects with values of which nothing is known. They are found by the names that hold them."""

from __future__ import annotations

from collections.abc import Iterator as Iterates

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import targets_of, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Instance, Mapping, Sequence, Union, Unknown, Value
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_CHANGING = frozenset({"append", "clear", "extend", "insert", "pop", "popitem", "update"})
_MOST_OPTIONS = 8
# How deep containers are looked into.
_DEEPEST = 3


def is_undivided(value: Value, depth: int = _DEEPEST) -> bool:
    """Whether a value is a list, a dict or an object with buffers that are no known arrays."""
    if isinstance(value, Union):
        return any(is_undivided(one, depth) for one in value.options[:_MOST_OPTIONS])
    if isinstance(value, Instance) and depth:
        held = [value.fields[name] for name in value.fields if _is_leaf(value, name)]
        return any(isinstance(one, Unknown) or is_undivided(one, depth - 1) for one in held)
    if not isinstance(value, (Sequence, Mapping)) or not depth:
        return False
    parts = value.children()
    return value.element is not None or any(
        isinstance(one, Unknown) or is_undivided(one, depth - 1) for one in parts
    )


def _is_leaf(owner: Instance, name: str) -> bool:
    """Whether a field of an object is one of a pytree that JAX takes apart."""
    return bool(owner.cls.tree) and not owner.generic and name not in owner.cls.meta


def is_kept(frame: Frame, node: ir.Expr, value: Value) -> bool:
    """Whether an expression is a local name whose elements the function never changes."""
    home = frame.home()
    if not isinstance(node, ir.Name) or home.func is None or home.env.get(node.id) is not value:
        return False
    return node.id not in _changed(home.func)


@answered_once
def _changed(func: ir.FunctionDef) -> frozenset[str]:
    """The names of a function whose elements it sets, adds or deletes."""
    found: set[str] = set()
    for one in walk(func.body):
        stored = one.targets if isinstance(one, ir.Delete) else targets_of(one)
        found |= {name for target in stored if (name := _inside(target))}
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attribute):
            name = one.func.value.id if isinstance(one.func.value, ir.Name) else ""
            found |= {name} if one.func.attr in _CHANGING else set()
    return frozenset(found)


def _inside(target: ir.Node) -> str:
    """The name of which an assignment changes a part, "" if it binds a name."""
    node, is_part = target, False
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node, is_part = node.value, True
    return node.id if is_part and isinstance(node, ir.Name) else ""


def around(frame: Frame, node: ir.Expr) -> Iterates[Value]:
    """The container of which an expression reads an element, or a part of one: `params["w"]`."""
    name, is_part = "", False
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        if isinstance(node, ir.Attribute) and node.attr in lookup.STATIC_ATTRIBUTES:
            return
        name = node.attr if isinstance(node, ir.Attribute) else ""
        node, is_part = node.value, True
    if not is_part or not isinstance(node, ir.Name):
        return
    scope: Frame | None = frame
    while scope is not None and scope.kind == "comprehension" and node.id not in scope.env:
        scope = scope.parent
    held = None if scope is None else scope.env.get(node.id)
    if isinstance(held, Instance):
        part = held.fields.get(name) if _is_leaf(held, name) else None
        if part is not None and (isinstance(part, Unknown) or is_undivided(part)):
            yield held
    elif isinstance(held, (Mapping, Sequence, Union)):
        yield held


def operands(node: ir.Node) -> list[ir.Expr]:
    """The expressions of what an operator or a call computes with."""
    if isinstance(node, ir.BinOp):
        return [node.left, node.right]
    return [one.value for one in node.args] if isinstance(node, ir.Call) else []
