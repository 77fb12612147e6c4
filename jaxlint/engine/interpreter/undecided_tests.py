"""Tests whose outcome depends on what the analysis does not follow: settings, and the state of
objects that change."""

from __future__ import annotations

from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import is_none_literal, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Function,
    Instance,
    LibraryName,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
    options,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.short_circuit import is_setting
from jaxlint.engine.relations.type_tests import names_arrays
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# How many calls deep the use of an axis is looked for.
_MOST_CALLS = 2
_KINDS = frozenset({"dtype", "ndim", "shape"})
_ASKING = frozenset({"hasattr", "isinstance"})


def is_open(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether the outcome of a test in traced code, which is not known, is settled by values that
    are not followed. The code that it guards may never run."""
    if frame.trace.is_host:
        return False
    return (
        _is_switch(machine, frame, test)
        or _asks_state(machine, frame, test)
        or _asks_presence(machine, frame, test)
    )


def asks_default(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test in traced code asks if a parameter has its default None, which was given a
    value that is not followed, or if what is annotated as an object is None. The code that it
    guards makes what such a caller leaves out."""
    if frame.trace.is_host or not isinstance(test, ir.Compare) or test.ops != ("is",):
        return False
    sides = (test.left, *test.comparators)
    names = [side.id for side in sides if isinstance(side, ir.Name)]
    if len(names) != 1 or not any(map(is_none_literal, sides)):
        return False
    given = peek(machine, frame, next(side for side in sides if isinstance(side, ir.Name)))
    if isinstance(given, Instance):
        return True
    scope = frame.binder(names[0])
    params = () if scope is None or scope.func is None else scope.func.params
    defaults = [param.default for param in params if param.name == names[0]]
    is_left_out = any(map(is_none_literal, defaults))
    may_be_any = isinstance(given, Static) and not given.known and not given.kind
    return is_left_out and (may_be_any or isinstance(given, Unknown))


def asks_kind(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test asks what kind of value something is, by its shape, dtype or type: a function
    of the project does, or `isinstance`, perhaps with more about the same name, or whether it is a
    tracer. The program knows the answer where the analysis does not."""
    if any(_asks_tracer(machine, frame, one) for one in walk(test)):
        return True
    test = test.operand if isinstance(test, ir.UnaryOp) else test
    if isinstance(test, ir.BoolOp):
        told = _names_of_kind(test) & {name.id for name in map(_of_class, test.values) if name}
        return bool(told) or any(_is_of_any_class(machine, frame, one) for one in test.values)
    if not isinstance(test, ir.Call):
        return False
    if _is_of_any_class(machine, frame, test):
        return True
    func = peek(machine, frame, test.func)
    return isinstance(func, Function) and any(
        (isinstance(one, ir.Attribute) and one.attr in _KINDS)
        or (isinstance(one, ir.Name) and one.id == "isinstance")
        for one in walk(func.node.body)
    )


def _of_class(test: ir.Expr) -> ir.Name | None:
    """The name whose class a test asks for."""
    if not isinstance(test, ir.Call) or not isinstance(test.func, ir.Name) or not test.args:
        return None
    subject = test.args[0].value
    return subject if test.func.id in _ASKING and isinstance(subject, ir.Name) else None


def _is_of_any_class(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test asks for the class of a tracer, or of a pytree of them, that may have any.
    Who asks for arrays alone means them."""
    subject = _of_class(test)
    if subject is None or _asks_array(machine, frame, test):
        return False
    value = peek(machine, frame, subject)
    found = () if value is None else options(value)
    return any(isinstance(one, Traced) and not one.leaf for one in found)


def _asks_array(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    if not isinstance(test, ir.Call) or len(test.args) != 2:
        return False
    types = peek(machine, frame, test.args[1].value)
    return types is not None and names_arrays(types)


def _asks_tracer(machine: Machine, frame: Frame, test: ir.Node) -> bool:
    """Whether a test is for tracers alone: code for all else is for calls that are not traced."""
    if not isinstance(test, ir.Call) or _of_class(test) is None or len(test.args) != 2:
        return False
    types = peek(machine, frame, test.args[1].value)
    return isinstance(types, LibraryName) and types.dotted == "jax.core.Tracer"


def _names_of_kind(test: ir.BoolOp) -> set[str]:
    """The names whose shape or dtype a test asks for."""
    asked = (one for one in walk(test) if isinstance(one, ir.Attribute) and one.attr in _KINDS)
    return {one.value.id for one in asked if isinstance(one.value, ir.Name)}


def asks_settings(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test in traced code compares attributes of objects that are not followed, with
    each other or with constants: what the objects were made with settles it."""
    if frame.trace.is_host or not isinstance(test, ir.Compare):
        return False
    sides = [side for side in (test.left, *test.comparators) if not isinstance(side, ir.Const)]
    fields = [side for side in sides if isinstance(side, ir.Attribute)]
    if not fields or len(fields) < len(sides):
        return False
    if any(field.attr in lookup.STATIC_ATTRIBUTES for field in fields):
        return False
    return len(fields) > 1 or isinstance(peek(machine, frame, fields[0]), Unknown)


def goes_by_maker(machine: Machine, frame: Frame, callee: ir.Expr) -> bool:
    """Whether code that tests of an object's attributes lead to calls what another attribute holds:
    what the object was made with settles both, and not all that one stands for goes with all that
    the other does."""
    if frame.path is frame.start and not frame.parted:
        return False
    field = callee
    while isinstance(field, ir.Attribute) and not isinstance(field.value, ir.Name):
        field = field.value
    if not isinstance(field, ir.Attribute) or not isinstance(field.value, ir.Name):
        return False
    owner, func = peek(machine, frame, field.value), frame.home().func
    if not isinstance(owner, Instance) or not owner.generic or field.attr not in owner.fields:
        return False
    tested = _tested_attributes(func.body) if func is not None else frozenset[tuple[str, str]]()
    return any(name == field.value.id and attr != field.attr for name, attr in tested)


@answered_once_of
def _tested_attributes(body: tuple[ir.Stmt, ...]) -> frozenset[tuple[str, str]]:
    """The attributes, with the names of their objects, that tests compare with something else."""
    return frozenset(
        (side.value.id, side.attr)
        for one in walk(body)
        if isinstance(one, (ir.If, ir.IfExp))
        for compared in walk(one.test)
        if isinstance(compared, ir.Compare)
        for side in (compared.left, *compared.comparators)
        if isinstance(side, ir.Attribute) and isinstance(side.value, ir.Name)
    )


def leaves_out_axis(machine: Machine, frame: Frame, other: tuple[ir.Stmt, ...]) -> bool:
    """Whether the other branch of a test in traced code uses the name of a mapped axis: the test
    asks whether the code runs on several devices, and where it is mapped over such an axis, the
    branch that uses none is not taken."""
    if "mapped" not in frame.trace.ways:
        return False
    return _uses_axis(machine, frame, other, _MOST_CALLS)


def _uses_axis(machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...], depth: int) -> bool:
    """Whether a body calls what takes the name of an axis, or a function that does."""
    for call in _calls_in(body):
        func = peek(machine, frame, call.func)
        if isinstance(func, LibraryName) and _takes_axis_name(func.dotted):
            return True
        inside = func.node.body if isinstance(func, Function) and depth else ()
        if isinstance(func, Function) and _uses_axis(machine, func.frame, inside, depth - 1):
            return True
    return False


@answered_once_of
def _calls_in(body: tuple[ir.Stmt, ...]) -> tuple[ir.Call, ...]:
    return tuple(node for node in walk(body) if isinstance(node, ir.Call))


def _takes_axis_name(dotted: str) -> bool:
    spec = lookup.function(dotted) if dotted.startswith("jax.lax.") else None
    return spec is not None and "axis_name" in spec.params


def _is_switch(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test asks an attribute of a settings object of which nothing is known."""
    if not (isinstance(test, ir.Attribute) and isinstance(test.value, ir.Name)):
        return False
    return is_setting(frame, test.value.id) and isinstance(peek(machine, frame, test), Unknown)


def _asks_state(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test compares attributes of an object that changes, or two shapes."""
    compared = [one for one in walk(test, (ir.Compare,)) if isinstance(one, ir.Compare)]
    if isinstance(test, ir.Compare):
        compared.append(test)
    for one in compared:
        sides = [peek(machine, frame, side) for side in (one.left, *one.comparators)]
        if all(isinstance(side, Static) and side.kind == "shape" for side in sides):
            return True
        for side in (one.left, *one.comparators):
            if isinstance(side, ir.Attribute) and _is_state(machine, frame, side):
                return True
    return False


def _asks_presence(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Whether a test asks if an attribute of an object is None, which it is at times."""
    if not isinstance(test, ir.Compare) or test.ops not in (("is",), ("is not",)):
        return False
    sides = (test.left, *test.comparators)
    if not any(map(is_none_literal, sides)):
        return False
    for side in sides:
        if not isinstance(side, ir.Attribute):
            continue
        owner = peek(machine, frame, side.value)
        found = () if owner is None else options(owner)
        held = [one.fields.get(side.attr) for one in found if isinstance(one, Instance)]
        if any(map(_may_be_none, held)):
            return True
    return False


def _may_be_none(value: Value | None) -> bool:
    """Whether an attribute is None at times, or may be."""
    if isinstance(value, Union):
        return any(map(is_none, value.options))
    return isinstance(value, Unknown)


def _is_state(machine: Machine, frame: Frame, node: ir.Attribute) -> bool:
    owner = peek(machine, frame, node.value)
    held = () if owner is None else options(owner)
    fields = [one.fields.get(node.attr) for one in held if isinstance(one, Instance)]
    values = [value for field in fields if field is not None for value in options(field)]
    return any(isinstance(value, Static) and value.kind in ("enum", "Member") for value in values)
