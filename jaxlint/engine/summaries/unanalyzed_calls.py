"""What a call may have changed whose function was not run: the containers that it fills, and the
attributes that it sets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.methods import called_of, methods_run, set_of
from jaxlint.engine.domain.values import (
    Class,
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
            attributes = _set_by_call(value.cls, node, name)
            if attributes:
                machine.borrow(value)
                value.fields.update(dict.fromkeys(sorted(attributes), unknown))


def _set_by_call(cls: Class, node: ir.FunctionDef, owner: str) -> frozenset[str]:
    """The attributes that a call sets of an object of a class, its parameter `owner`: by itself and
    by the methods of the object that it calls."""
    methods = methods_run(cls, called_of(node, owner))
    return set_of(node, owner).union(*(set_of(one, one.params[0].name) for one in methods))


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
