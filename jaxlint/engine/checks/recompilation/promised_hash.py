"""Static arguments that have no hash as far as the code promises what they are: by an annotation,
by the name of their class, or as one of the values of a registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from jaxlint import facts
from jaxlint.engine.checks.recompilation.hash_equality import (
    compares,
    left_out,
    unhashable,
)
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Class,
    Function,
    LibraryName,
    Mapping,
    Sequence,
    Unknown,
    Value,
    join_all,
    options,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.evaluation.presumed_classes import classes
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.inference.options import static_names
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.requests import Asked, asked_of, asked_within, named_after
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.syntax import ir

_CHANGEABLE: Final = {
    f"{module}.{name}": f"a {name.lower()}"
    for module in ("builtins", "typing")
    for name in ("list", "dict", "set", "List", "Dict", "Set")
}

# What has no hash in a field that others are hashed by.
_IN_FIELDS: Final = {
    **_CHANGEABLE,
    "jax.Array": "a jax array",
    "jax.numpy.ndarray": "a jax array",
    "numpy.ndarray": "a NumPy array",
}
# So many attributes tell a class where neither a name nor an annotation does.
LEAST_READ: Final = 2


def promised(
    machine: Machine,
    frame: Frame,
    value: Value,
    node: ir.Expr,
    taker: tuple[Function | None, str] = (None, ""),
) -> str:
    """What a static argument may be that has no hash, "" where nothing says so; `taker` is the
    function that takes it, and the name of its parameter."""
    if isinstance(node, ir.Subscript):
        return _of_registry(machine, frame, node)
    known = [one for one in options(value) if not isinstance(one, Unknown)]
    if known:
        # What stands in for an object that nobody passes is one of its kind.
        is_open = len(known) < len(options(value))
        return unhashable(machine, frame, join_all(known), None) if is_open else ""
    found = ""
    if isinstance(node, ir.Name):
        param = _parameter(frame, node)
        found = "" if param is None else _of_annotation(machine, frame, param.annotation)
    elif isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name):
        fields = [
            _of_field(machine, one, node.attr) for one in _classes(machine, frame, node.value)
        ]
        found = fields[0] if fields and all(fields) else _of_kind(machine, frame, node)
    return found or _of_taker(machine, frame, *taker)


def declared(machine: Machine, record: TransformUse) -> Iterator[facts.Unhashable]:
    """The static parameters of a function that nothing calls which their annotations give objects
    without a hash."""
    func, statics = plain_function(record.func), static_names(record)
    if func is None or not statics or not record.wrapper.compiles:
        return
    for param in func.node.params:
        if param.name in statics and param.default is None and param.annotation is not None:
            likely = _of_annotation(machine, func.frame, param.annotation)
            if "`" in likely:
                module = machine.sources.owner(param.annotation, machine.module)
                yield facts.Unhashable(
                    module,
                    param.annotation,
                    func.node.name,
                    kind="static-class",
                    subject=param.name,
                    detail=likely,
                    callee=function_name(record.func),
                )


def _of_kind(machine: Machine, frame: Frame, node: ir.Attribute) -> str:
    """The same of an attribute, by the class of what methods assign to it."""
    asked = asked_of(frame, node)
    return "" if asked is None or not asked.kin else _of_classes(machine, frame, asked)


def _of_taker(machine: Machine, frame: Frame, func: Function | None, name: str) -> str:
    """The same by what the function that takes an argument asks of its parameter."""
    if func is None or not name:
        return ""
    asked = asked_within(func.node, None, ir.Name(func.node.origin, name))
    if asked is None or (not asked.kin and len(asked.read) < LEAST_READ):
        return ""
    return _of_classes(machine, func.frame, asked)


def _of_classes(machine: Machine, frame: Frame, asked: Asked) -> str:
    found = [_changeable(machine, one) for one in classes(machine, frame, asked, is_tree=False)]
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
    default = None if param is None else param.default
    # An object that is made for the default says what others pass.
    return param if default is None or isinstance(default, ir.Call) else None


def _of_annotation(machine: Machine, frame: Frame, annotation: ir.Expr | None) -> str:
    """What has no hash that an annotation names."""
    named = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    value = None if named is None else peek(machine, frame.root, named)
    if isinstance(value, LibraryName):
        return _CHANGEABLE.get(value.dotted, "")
    return _changeable(machine, value) if isinstance(value, Class) else ""


def _changeable(machine: Machine, cls: Class) -> str:
    """What has no hash of a class: its objects, or one of the fields that these are hashed by."""
    by_fields = compares(cls)
    if by_fields == "nothing":
        return f"a `{cls.name}`"
    for name, (annotation, default) in cls.fields.items() if by_fields == "fields" else ():
        named = annotation.value if isinstance(annotation, ir.Subscript) else annotation
        value = None if named is None or cls.home is None else peek(machine, cls.home, named)
        what = _IN_FIELDS.get(value.dotted, "") if isinstance(value, LibraryName) else ""
        is_other = isinstance(default, Sequence) and default.kind == "tuple"
        if what and not is_other and not left_out(cls, name):
            return f"a `{cls.name}` with {what} in `{name}`"
    return ""


def _classes(machine: Machine, frame: Frame, node: ir.Name) -> list[Class]:
    """The classes of which an object is by the annotation of a parameter, or by its name."""
    param = _parameter(frame, node)
    if param is None:
        return []
    if param.annotation is not None:
        value = peek(machine, frame.root, param.annotation)
        return [value] if isinstance(value, Class) else []
    alike = named_after(asked_of(frame, node) or Asked(), node.id)
    return [] if alike is None else classes(machine, frame, alike, is_tree=False)


def _of_field(machine: Machine, cls: Class, name: str) -> str:
    """What has no hash that the annotation of a field names."""
    annotation, _ = cls.fields.get(name, (None, None))
    home = cls.home
    return _of_annotation(machine, home, annotation) if home is not None else ""
