"""Attributes of an object that one of its methods leaves as they are."""

from __future__ import annotations

from jaxlint.dataflow.idioms import attributes_set
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import leading_to, walk
from jaxlint.syntax import ir


@answered_once
def keeps(method: ir.FunctionDef, attr: str, module: ir.Module) -> bool:
    """Whether nothing sets an attribute of its object while a method runs: the method itself does
    not, gives the object to nobody, and uses no other method of the module that may. Code that runs
    between the parts of a generator may do anything."""
    if method.is_generator or method.is_async or not method.params:
        return False
    owner, setters = method.params[0].name, changing(module, attr)
    parts: set[int] = set()
    for node in walk(method.body):
        if attr in attributes_set(node):
            return False
        if isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name):
            parts.add(id(node.value))
            if node.value.id == owner and node.attr in setters:
                return False
        elif isinstance(node, ir.Name) and node.id == owner and id(node) not in parts:
            return False
    return True


@answered_once
def changing(module: ir.Module, attr: str) -> frozenset[str]:
    """The names of functions that may set an attribute, themselves or by others that they name."""
    return leading_to(
        module,
        frozenset(
            one.name
            for one in walk(module.body)
            if isinstance(one, ir.FunctionDef)
            and any(attr in attributes_set(node) for node in walk(one.body))
        ),
    )
