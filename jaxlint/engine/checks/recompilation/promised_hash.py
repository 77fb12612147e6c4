"""Static arguments that have no hash as far as the code promises what they are: by an annotation,
by the name of their class, or as one of the values of a registry."""

from __future__ import annotations

from typing import Final

from jaxlint.engine.checks.recompilation.hash_equality import compares, unhashable
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Class, LibraryName, Mapping, Unknown, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.evaluation.presumed_classes import classes
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.requests import Asked, asked_of
from jaxlint.project.class_members import ALIKE, LEAST_WORD, word_of
from jaxlint.syntax import ir

_CHANGEABLE: Final = {
    f"{module}.{name}": f"a {name.lower()}"
    for module in ("builtins", "typing")
    for name in ("list", "dict", "set", "List", "Dict", "Set")
}


def promised(machine: Machine, frame: Frame, value: Value, node: ir.Expr) -> str:
    """What a static argument may be that has no hash, "" where nothing says so."""
    if isinstance(node, ir.Subscript):
        return _of_registry(machine, frame, node)
    if not isinstance(value, Unknown):
        return ""
    if isinstance(node, ir.Name):
        param = _parameter(frame, node)
        return "" if param is None else _of_annotation(machine, frame, param.annotation)
    if not isinstance(node, ir.Attribute) or not isinstance(node.value, ir.Name):
        return ""
    found = [_of_field(machine, one, node.attr) for one in _classes(machine, frame, node.value)]
    return found[0] if found and all(found) else ""


def _of_registry(machine: Machine, frame: Frame, node: ir.Subscript) -> str:
    """What one of the values of a dict is that is asked for a name which is not known."""
    held = peek(machine, frame, node.value)
    if isinstance(node.index, ir.Const) or not isinstance(held, Mapping):
        return ""
    if held.open or held.element is not None:
        return ""
    found = (unhashable(machine, frame, one, None) for one in held.items.values())
    return next(filter(None, found), "")


def _parameter(frame: Frame, node: ir.Name) -> ir.Param | None:
    """The parameter that a name stands for, if the function binds it to nothing else and each call
    passes it."""
    func = frame.home().func
    if func is None or node.id in bindings(func.body):
        return None
    kinds = ("plain", "positional", "keyword")
    found = (one for one in func.params if one.name == node.id and one.kind in kinds)
    param = next(found, None)
    return None if param is None or param.default is not None else param


def _of_annotation(machine: Machine, frame: Frame, annotation: ir.Expr | None) -> str:
    """What has no hash that an annotation names."""
    named = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    value = None if named is None else peek(machine, frame.root, named)
    if isinstance(value, LibraryName):
        return _CHANGEABLE.get(value.dotted, "")
    is_changeable = isinstance(value, Class) and compares(value) == "nothing"
    return f"a `{value.name}`" if is_changeable and isinstance(value, Class) else ""


def _classes(machine: Machine, frame: Frame, node: ir.Name) -> list[Class]:
    """The classes of which an object is by the annotation of a parameter, or by its name."""
    param = _parameter(frame, node)
    if param is None:
        return []
    if param.annotation is not None:
        value = peek(machine, frame.root, param.annotation)
        return [value] if isinstance(value, Class) else []
    asked, word = asked_of(frame, node) or Asked(), word_of(node.id)
    if len(word) < LEAST_WORD or asked.kin:
        return []
    alike = Asked(asked.called, asked.read, asked.calls, ALIKE + word)
    return classes(machine, frame, alike, is_tree=False)


def _of_field(machine: Machine, cls: Class, name: str) -> str:
    """What has no hash that the annotation of a field names."""
    annotation, _ = cls.fields.get(name, (None, None))
    home = cls.home
    return _of_annotation(machine, home, annotation) if home is not None else ""
