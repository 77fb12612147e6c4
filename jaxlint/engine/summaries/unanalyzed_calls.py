"""What a call may have changed whose function was not run: the containers that it fills, and the
attributes that it sets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.values import (
    Class,
    Function,
    Instance,
    Mapping,
    Sequence,
    Unknown,
    Value,
)
from jaxlint.syntax import ir

MUTATORS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
        "sort",
        "reverse",
        "appendleft",
        "extendleft",
        "popleft",
        "rotate",
        "move_to_end",
        "subtract",
        "intersection_update",
        "difference_update",
        "symmetric_difference_update",
        "__setitem__",
        "__delitem__",
    }
)
"""The methods that change a container."""


def forget(machine: Any, node: ir.FunctionDef, env: dict[str, Value], unknown: Unknown) -> None:
    """Forgets what the containers hold whose elements a function changes, and the attributes that
    it sets of objects."""
    for name in changed(node):
        value = env.get(name)
        machine.borrow(value)
        if isinstance(value, Mapping):
            value.items = dict.fromkeys(value.items, unknown)
            value.element, value.open = unknown, True
        elif isinstance(value, Sequence) and value.kind != "tuple":
            value.items, value.element, value.holds = None, unknown, None
    for name, value in env.items():
        if isinstance(value, Instance):
            attributes = set_of(value.cls, node, name)
            if attributes:
                machine.borrow(value)
                value.fields.update(dict.fromkeys(sorted(attributes), unknown))


def set_of(cls: Class, node: ir.FunctionDef, owner: str) -> set[str]:
    """The attributes that a function sets of an object of a class, its parameter `owner`: by itself
    and by the methods of the object that it calls."""
    found: set[str] = set()
    waiting, seen = [(node, owner)], {id(node)}
    while waiting:
        attributes, methods = _of_owner(*waiting.pop())
        found |= attributes
        for method in _definitions(cls, methods):
            if id(method) not in seen:
                seen.add(id(method))
                waiting.append((method, method.params[0].name))
    return found


def _definitions(cls: Class, names: frozenset[str]) -> Iterator[ir.FunctionDef]:
    """All methods of these names, of a class and of those that it inherits from."""
    for one in cls.lineage if names else ():
        for name in names:
            value = one.namespace.get(name)
            if isinstance(value, Function) and value.node.params:
                yield value.node


@lru_cache(maxsize=4096)
def _of_owner(node: ir.FunctionDef, owner: str) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes that a function itself sets of a parameter, and the names of the methods of
    the parameter that it calls, by `super()` too."""
    attributes, methods = set[str](), set[str]()
    for one in walk(node.body):
        if isinstance(one, (ir.Assign, ir.AugAssign, ir.AnnAssign)):
            targets = one.targets if isinstance(one, ir.Assign) else (one.target,)
            attributes.update(attribute_of(part, owner) for part in walk(targets))
        elif isinstance(one, ir.Call):
            methods.add(attribute_of(one.func, owner))
            if isinstance(one.func, ir.Attribute) and _is_super(one.func.value):
                methods.add(one.func.attr)
    return frozenset(filter(None, attributes)), frozenset(filter(None, methods))


def _is_super(value: ir.Expr) -> bool:
    func = value.func if isinstance(value, ir.Call) else None
    return isinstance(func, ir.Name) and func.id == "super"


@lru_cache(maxsize=1024)
def changed(node: ir.FunctionDef) -> frozenset[str]:
    """The parameters whose elements a function stores or removes."""
    params = {param.name for param in node.params}
    return frozenset(params.intersection(_changed(node)))


def _changed(node: ir.FunctionDef) -> Iterator[str]:
    for one in walk(node.body):
        places: tuple[ir.Expr, ...] = ()
        if isinstance(one, (ir.Assign, ir.Delete)):
            places = one.targets
        elif isinstance(one, ir.AugAssign):
            places = (one.target,)
        elif isinstance(one, ir.Call):
            places = (one.func,)
        for place in places:
            is_method = isinstance(place, ir.Attribute) and place.attr in MUTATORS
            if isinstance(place, ir.Subscript) or is_method:
                assert isinstance(place, (ir.Subscript, ir.Attribute))
                if isinstance(place.value, ir.Name):
                    yield place.value.id
