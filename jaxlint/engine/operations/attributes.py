"""Attribute access: what `value.name` is for every kind of value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.engine.checks.immutability import references
from jaxlint.engine.domain.dtypes import combined
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.possibilities import Candidates, Element, Field, among
from jaxlint.engine.domain.pytrees import WHOLE, dtype_of, is_inexact, rank_of
from jaxlint.engine.domain.shapes import dims_of, with_dims
from jaxlint.engine.domain.special_values import (
    At,
    EffectfulObject,
    Module,
    OpaqueArray,
    Structure,
    Super,
)
from jaxlint.engine.domain.values import (
    COMPLEX,
    NONE,
    STATIC,
    STR,
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Method,
    NonNone,
    NumPy,
    Partial,
    Ref,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
    join_all,
)
from jaxlint.engine.evaluation import guesses
from jaxlint.engine.inference.extents import STATIC_KINDS, static_of
from jaxlint.engine.machine.by_type import ByType
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import presumptions, scalars
from jaxlint.engine.operations.conditions.narrowing import leaf_of
from jaxlint.engine.operations.evidence import OF_ARRAYS, REFUSED, field_of, refine, refuse, updated
from jaxlint.engine.operations.modules import member, module_frame
from jaxlint.engine.operations.object_attributes import of_class, of_instance, of_member, of_super
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.immutability import MISSING_METHODS
from jaxlint.knowledge.host_only import HOST_ATTRIBUTES, is_of_arrays, lacks
from jaxlint.syntax import ir

# Attributes that arrays have and ordinary containers do not: reading one tells that a
# parameter is an array.
_NAMES = (
    "shape dtype ndim astype reshape T mT ravel flatten transpose squeeze item tolist cumsum "
    "argmax argmin argsort dot clip sum prod nonzero"
)
_TELLING = frozenset(_NAMES.split())
_DICT_METHODS = frozenset({"items", "keys", "values", "get", "pop", "setdefault", "update"})


def attribute(machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str) -> Value:
    """The value of `value.attr`."""
    return _OF[type(value)](machine, frame, node, value, attr)


def _of_library(
    machine: Machine, frame: Frame, node: ir.Expr, value: LibraryName, attr: str
) -> Value:
    if attr in ("__name__", "__qualname__", "__module__", "__doc__"):
        return STR
    dotted = f"{value.dotted}.{attr}"
    for heard in machine.checks.library_attribute:
        heard(machine, frame, node, dotted)
    return external(machine, dotted)


def _of_framework(
    machine: Machine, frame: Frame, node: ir.Expr, value: FrameworkObject, attr: str
) -> Value:
    answer = machine.frameworks.ask("attribute", value, machine, frame, node, value, attr)
    return answer or machine.unknown("attribute of a library object")


def _of_union(machine: Machine, frame: Frame, node: ir.Expr, value: Union, attr: str) -> Value:
    read = [option for option in value.options if not is_none(option)]
    with machine.quiet(len(read) > 1 and not machine.guesses):
        return join_all([attribute(machine, frame, node, option, attr) for option in read])


def _of_candidates(
    machine: Machine, frame: Frame, node: ir.Expr, value: Candidates, attr: str
) -> Value:
    with machine.quiet():
        found = [attribute(machine, frame, node, one, attr) for one in value.options]
    return among(machine.unknown("attribute"), found)


def _presumed(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str
) -> Value | None:
    """An attribute of an object of which nothing is known but what code asks of it."""
    objects = presumptions.objects(machine, frame, node, value, attr)
    found = [attribute(machine, frame, node, one, attr) for one in objects]
    found = [one for one in found if type(one) is not Unknown]
    methods = tuple(one for one in found if isinstance(one, (Bound, Function, Transformed)))
    if methods:
        return Candidates("method of an unknown object", methods)
    return join_all(found) if found else None


def _of_object(machine: Machine, frame: Frame, node: ir.Expr, value: Instance, attr: str) -> Value:
    """An attribute of an object. One that is annotated to be of a class which leaves the method to
    others is of one that derives from it."""
    found = of_instance(machine, frame, node, value, attr)
    if value.tree is None or not isinstance(found, Bound):
        return found
    heirs = presumptions.heirs(machine, frame, node, value, found.func)
    methods = tuple(of_instance(machine, frame, node, one, attr) for one in heirs)
    return Candidates("method of an unknown object", methods) if methods else found


def _of_unknown(machine: Machine, frame: Frame, node: ir.Expr, value: Unknown, attr: str) -> Value:
    is_part = not isinstance(value, NonNone) and attr not in lookup.STATIC_ATTRIBUTES
    plain = value if is_part else Unknown(value.reason)
    if value.reason == COMPLEX:
        plain = machine.unknown("attribute")  # Its parts and its modulus are real.
    return _presumed(machine, frame, node, value, attr) or plain


def _of_sequence(
    machine: Machine, frame: Frame, node: ir.Expr, value: Sequence, attr: str
) -> Value:
    if value.kind == "shape":
        return STATIC
    if attr in REFUSED and type(value) is Sequence:
        return refuse(machine, frame, node)
    if type(value) is Sequence and value.kind == "tuple" and not hasattr(tuple, attr):
        return _of_record(machine, node, value, attr)
    return Method(value, attr, node)


def _of_ref(machine: Machine, frame: Frame, node: ir.Expr, value: Ref, attr: str) -> Value:
    if attr in lookup.STATIC_ATTRIBUTES:
        return STATIC_KINDS.get(attr, STATIC)
    return Method(value, attr, node)


def _method(machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str) -> Value:
    return Method(value, attr, node)


def _of_static(machine: Machine, frame: Frame, node: ir.Expr, value: Static, attr: str) -> Value:
    if isinstance(value.const, Member):
        return of_member(machine, frame, node, value, value.const, attr)
    if isinstance(value, Structure) and attr == "unflatten":
        return Method(value, attr, node)
    if not value.kind and not value.known:
        presumed = _presumed(machine, frame, node, value, attr)
        if presumed is not None:
            return presumed
    return Method(value, attr, node) if scalars.has_method(value, attr) else STATIC


def _of_descriptor(
    machine: Machine, frame: Frame, node: ir.Expr, value: Descriptor, attr: str
) -> Value:
    if attr in ("setter", "deleter", "getter"):
        return Method(value, attr, node)
    return machine.unknown("attribute")


def _of_partial(machine: Machine, frame: Frame, node: ir.Expr, value: Partial, attr: str) -> Value:
    if attr == "func":
        return value.func
    if attr == "args":
        return Sequence("tuple", list(value.args), frame.trace)
    if attr == "keywords":
        return Mapping(dict(value.keywords), frame.trace)
    return machine.unknown("attribute")


def _of_function(
    machine: Machine, frame: Frame, node: ir.Expr, value: Function, attr: str
) -> Value:
    if attr == "__name__":
        return Static(value.node.name)
    if attr == "__wrapped__":
        # Of a decorator that changes nothing for tracing, nothing is seen but the function.
        return value if value.wraps is None else value.wraps
    return machine.unknown("attribute")


def _of_other(machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str) -> Value:
    return machine.unknown("attribute")


def _of_made(machine: Machine, frame: Frame, node: ir.Expr, value: OpaqueArray, attr: str) -> Value:
    """An attribute of an array of which nothing is known but its dtype and rank."""
    if attr == "at":
        return At(value)
    if attr == "ndim" and value.rank is not None:
        return Static(value.rank)
    if attr in lookup.ARRAY_ATTRIBUTES:
        real = attr in ("real", "imag") and is_inexact(value)
        dtype, strong = "float" if real else value.dtype, bool(value.strong)
        return OpaqueArray(value.reason, dtype, value.rank, strong)
    if attr in MISSING_METHODS or lookup.method(attr) is not None:
        return Method(value, attr, node)
    for heard in () if is_of_arrays(attr) else machine.checks.array_attribute:
        heard(machine, frame, node, value, attr)
    return Unknown(value.reason)


def _of_record(machine: Machine, node: ir.Expr, value: Sequence, attr: str) -> Value:
    """A tuple with attributes is a named one: its fields are among its elements."""
    if attr == "_replace":
        return Method(value, attr, node)
    if attr.startswith("_"):
        return machine.unknown("attribute of a tuple")
    if value.items is None and value.element is not None:
        return value.element
    return machine.unknown("field of a tuple")


def has_attribute(value: Value, attr: str) -> bool | None:
    """Whether an object has an attribute, None where that is not known."""
    if isinstance(value, Traced) and value.leaf:
        if lacks(attr):
            return False
        known = attr in lookup.STATIC_ATTRIBUTES or attr in lookup.ARRAY_ATTRIBUTES
        if known or attr == "at" or lookup.method(attr) is not None:
            return True
        return None if is_of_arrays(attr) else False
    if isinstance(value, Instance) and not (value.generic or value.cls.opaque or value.tree):
        if attr in value.fields or value.cls.find(attr) is not None:
            return True
        dynamic = attr.startswith("__") or value.cls.find("__getattr__") is not None
        return None if dynamic or not _is_closed(value.cls) else False
    if isinstance(value, Class) and not value.opaque and _is_closed(value):
        return value.find(attr) is not None or (None if attr.startswith("__") else False)
    return scalars.has_attribute(value, attr) if isinstance(value, Static) else None


def _is_closed(cls: Class) -> bool:
    """Whether a class has the attributes of its file and no others."""
    return all(name == "builtins.object" for name in cls.externals())


def _of_module(machine: Machine, frame: Frame, node: ir.Expr, value: Module, attr: str) -> Value:
    """A name of another module of the project, which traced code captures."""
    if attr in ("__name__", "__file__", "__doc__"):
        return STR
    found = member(machine, value, attr)
    scope = module_frame(machine, value.place)
    if scope is not None and attr in scope.env and not frame.trace.is_host:
        machine.captured(frame, scope, attr, found, node)
    return found


def external(machine: Machine, dotted: str) -> Value:
    """A dotted library name as a value: a constant where it is known to be one."""
    name = machine.canonical(dotted)
    if name in lookup.FALSE_WHILE_TRACED:
        return Static(False)
    kind = lookup.constant(name)
    if kind == "NoneType":
        return NONE
    return LibraryName(name) if kind is None else Static(kind=kind)


def _of_array(
    machine: Machine, frame: Frame, node: ir.Expr, value: Traced | Concrete | NumPy, attr: str
) -> Value:
    tree = isinstance(value, Traced) and not value.leaf
    if isinstance(value, Traced) and tree and attr == "at":
        return updated(machine, frame, node, value)
    if isinstance(value, Traced) and tree and attr in _TELLING:
        value = leaf_of(value)
        tree = False
        refine(frame, node, value)
    if attr in lookup.STATIC_ATTRIBUTES:
        return static_of(machine, frame, value, attr)
    if tree:
        return _presumed(machine, frame, node, value, attr) or _of_tree(machine, node, value, attr)
    if attr in lookup.ARRAY_ATTRIBUTES:
        real = attr in ("real", "imag") and dtype_of(value) not in WHOLE
        dtype = "float" if real else value.dtype
        if isinstance(value, NumPy):
            return NumPy(dtype)
        made = machine.operation(frame, node, [value], dtype, rank_of(value))
        dims = dims_of(value)
        turned = dims[::-1] if dims and attr in ("T", "mT") and len(dims) == 2 else None
        shape = dims if attr in ("real", "imag") else turned
        return with_dims(combined("", value, value, made), shape)
    if attr == "at" and not isinstance(value, NumPy):
        if references.may_be(machine, value):
            return machine.unknown(references.REFERENCE)
        return At(value)
    if attr in HOST_ATTRIBUTES and isinstance(value, Traced):
        for heard in machine.checks.host_attribute:
            heard(machine, frame, node, value, attr)
    elif not isinstance(value, NumPy) and not (is_of_arrays(attr) or attr in MISSING_METHODS):
        for heard in machine.checks.array_attribute:
            heard(machine, frame, node, value, attr)
        # This is something else, which the operator of another object gave.
        return machine.unknown("attribute that no array has")
    return Method(value, attr, node)


def _of_tree(machine: Machine, node: ir.Expr, value: Value, attr: str) -> Value:
    """An attribute of a parameter that may be a pytree."""
    if attr in _DICT_METHODS or lookup.method(attr) is not None:
        return Method(value, attr, node)
    unknown = machine.unknown("field of a pytree parameter")
    if machine.guesses or not isinstance(value, Traced):
        return guesses.part(machine, node, value, unknown)
    return field_of(node, value, unknown.reason)


def _of_field(machine: Machine, frame: Frame, node: ir.Expr, value: Field, attr: str) -> Value:
    """An attribute of a field: a method that arrays alone have tells what it is."""
    if attr in OF_ARRAYS:
        return _of_array(machine, frame, node, value.leaf, attr)
    machine.unknown(value.reason)
    presumed = _presumed(machine, frame, node, value.tree, attr)
    return presumed or field_of(node, value.leaf, value.reason)


def _of_element(machine: Machine, frame: Frame, node: ir.Expr, value: Element, attr: str) -> Value:
    """An attribute of an element, which may be an object as what holds it may be one."""
    return _presumed(machine, frame, node, value.tree, attr) or _of_unknown(
        machine, frame, node, value, attr
    )


_Attribute = Callable[[Machine, Frame, ir.Expr, Any, str], Value]
_OF: ByType[_Attribute] = ByType(
    (
        (LibraryName, _of_library),
        (Module, _of_module),
        (Traced, _of_array),
        (Concrete, _of_array),
        (NumPy, _of_array),
        (Instance, _of_object),
        (FrameworkObject, _of_framework),
        (Union, _of_union),
        (OpaqueArray, _of_made),
        (Candidates, _of_candidates),
        (Field, _of_field),
        (Element, _of_element),
        (Unknown, _of_unknown),
        (Class, of_class),
        (Super, of_super),
        (Sequence, _of_sequence),
        (Mapping, _method),
        (Iterator, _method),
        (EffectfulObject, _method),
        (Transformed, _method),
        (At, _method),
        (Ref, _of_ref),
        (Bound, _method),
        (Static, _of_static),
        (Descriptor, _of_descriptor),
        (Partial, _of_partial),
        (Function, _of_function),
    ),
    _of_other,
)
