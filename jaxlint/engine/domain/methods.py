"""What methods of a class do with their own object, and which methods run with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.values import Class, Function
from jaxlint.syntax import ir


def methods_run(cls: Class, names: Iterable[str]) -> Iterator[ir.FunctionDef]:
    """The methods of these names, those of the same object that they call, and so on. A name stands
    for the methods of the class and of all classes that it inherits from."""
    seen: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for one in cls.lineage:
            value = one.namespace.get(name)
            if isinstance(value, Function) and value.node.params:
                yield value.node
                waiting += called_of(value.node, value.node.params[0].name)


@lru_cache(maxsize=4096)
def called_of(node: ir.FunctionDef, owner: str) -> frozenset[str]:
    """The names of the methods that a function calls of one of its parameters, or by `super()`."""
    found: set[str] = set()
    for one in walk(node.body):
        if isinstance(one, ir.Call):
            found.add(attribute_of(one.func, owner))
            if isinstance(one.func, ir.Attribute) and is_super(one.func.value):
                found.add(one.func.attr)
    return frozenset(filter(None, found))


def is_super(value: ir.Node | None) -> bool:
    """Whether an expression is a call of `super`."""
    func = value.func if isinstance(value, ir.Call) else None
    return isinstance(func, ir.Name) and func.id == "super"
