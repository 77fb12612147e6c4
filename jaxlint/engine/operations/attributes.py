"""Attribute access: what `value.name` is for every kind of value."""

from __future__ import annotations

from jaxlint.engine.checks.concretization import host_conversions
from jaxlint.engine.checks.effects import ambient, caches
from jaxlint.engine.checks.immutability import references
from jaxlint.engine.checks.library import removed_names
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.key_identity import Key
from jaxlint.engine.domain.pytrees import is_child
from jaxlint.engine.domain.special_values import (
    At,
    EffectfulObject,
    Module,
    OpaqueArray,
    Structure,
    Super,
)
from jaxlint.engine.domain.values import (
    INT,
    SHAPE,
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
from jaxlint.engine.inference.lengths import shape_of
from jaxlint.engine.machine import guesses
from jaxlint.engine.machine.classes import field_of_any
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import dunder, scalars
from jaxlint.engine.operations.modules import member, module_frame
from jaxlint.engine.operations.narrowing import leaf_of
from jaxlint.engine.summaries.effects import known_field
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.immutability import MISSING_METHODS
from jaxlint.knowledge.host.ambient import OWNERS
from jaxlint.knowledge.host_only import HOST_ATTRIBUTES, is_of_arrays, lacks
from jaxlint.knowledge.transforms import MODULE_BASES
from jaxlint.syntax import ir

_STATIC_KINDS: dict[str, Static] = {
    "shape": SHAPE,
    "ndim": INT,
    "size": INT,
    "nbytes": INT,
    "itemsize": INT,
    "dtype": Static(kind="dtype"),
}
# Attributes that arrays have and ordinary containers do not: reading one tells that a
# parameter is an array.
_TELLING = frozenset(
    {
        "shape",
        "dtype",
        "ndim",
        "astype",
        "reshape",
        "T",
        "mT",
        "ravel",
        "flatten",
        "transpose",
        "squeeze",
        "item",
        "tolist",
        "cumsum",
        "argmax",
        "argmin",
        "argsort",
        "dot",
        "clip",
        "sum",
        "prod",
        "nonzero",
    }
)
_DICT_METHODS = frozenset({"items", "keys", "values", "get", "pop", "setdefault", "update"})


def attribute(machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str) -> Value:
    """The value of `value.attr`."""
    if isinstance(value, LibraryName):
        if attr in ("__name__", "__qualname__", "__module__", "__doc__"):
            return STR
        dotted = f"{value.dotted}.{attr}"
        if value.dotted in OWNERS:
            ambient.attribute(machine, frame, node, dotted)
        if dotted.startswith("jax."):
            removed_names.used(machine, frame, node, dotted)
        return external(machine, dotted)
    if isinstance(value, Module):
        return _of_module(machine, frame, node, value, attr)
    if isinstance(value, (Traced, Concrete, NumPy)):
        return _of_array(machine, frame, node, value, attr)
    if isinstance(value, Instance):
        return of_instance(machine, frame, node, value, attr)
    if isinstance(value, FrameworkObject):
        answer = machine.frameworks.ask("attribute", value, machine, frame, node, value, attr)
        return answer or machine.unknown("attribute of a library object")
    if isinstance(value, Union):
        read = [option for option in value.options if not is_none(option)]
        with machine.quiet(len(read) > 1 and not machine.guesses):
            return join_all([attribute(machine, frame, node, option, attr) for option in read])
    if isinstance(value, OpaqueArray):
        return _of_made(node, value, attr)
    if isinstance(value, Unknown):
        return Unknown(value.reason) if isinstance(value, Key) else value
    if isinstance(value, Class):
        return _of_class(machine, frame, value, attr)
    if isinstance(value, Super):
        return _of_super(machine, frame, value, attr)
    if isinstance(
        value, (Sequence, Mapping, Iterator, EffectfulObject, Transformed, At, Ref, Bound)
    ):
        if isinstance(value, Ref) and attr in lookup.STATIC_ATTRIBUTES:
            return _STATIC_KINDS.get(attr, STATIC)
        if isinstance(value, Bound) and isinstance(value.func, Transformed):
            return Method(value, attr, node)
        if isinstance(value, Sequence) and value.kind == "shape":
            return STATIC
        if type(value) is Sequence and value.kind == "tuple" and not hasattr(tuple, attr):
            return _of_record(machine, node, value, attr)
        return Method(value, attr, node)
    if isinstance(value, Static) and isinstance(value.const, Member):
        return _of_member(machine, frame, node, value, value.const, attr)
    if isinstance(value, Structure) and attr == "unflatten":
        return Method(value, attr, node)
    if isinstance(value, Static):
        return Method(value, attr, node) if scalars.has_method(value, attr) else STATIC
    if isinstance(value, Descriptor) and attr in ("setter", "deleter", "getter"):
        return Method(value, attr, node)
    if isinstance(value, Partial) and attr == "func":
        return value.func
    if isinstance(value, Partial) and attr == "args":
        return Sequence("tuple", list(value.args), frame.trace)
    if isinstance(value, Partial) and attr == "keywords":
        return Mapping(dict(value.keywords), frame.trace)
    if isinstance(value, Function) and attr == "__name__":
        return Static(value.node.name)
    if isinstance(value, Function) and attr == "__wrapped__":
        # Of a decorator that changes nothing for tracing, nothing is seen but the function.
        return value if value.wraps is None else value.wraps
    return machine.unknown("attribute")


def _of_made(node: ir.Expr, value: OpaqueArray, attr: str) -> Value:
    """An attribute of an array of which nothing is known."""
    if attr == "at":
        return At(value)
    if attr in MISSING_METHODS or lookup.method(attr) is not None:
        return Method(value, attr, node)
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


def _of_member(
    machine: Machine, frame: Frame, node: ir.Expr, value: Static, member: Member, attr: str
) -> Value:
    """An attribute of a member of an enumeration."""
    if attr in ("name", "_name_"):
        return Static(member.name)
    if attr in ("value", "_value_"):
        return member.value
    found = member.cls.find(attr)
    if isinstance(found, Function):
        return Bound(found, value, frame.loop)
    if isinstance(found, Descriptor) and found.kind == "property":
        return machine.call(frame, node, found.func, Args([value], nodes=[node]))
    return STATIC if found is None else found


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
    if name == "typing.TYPE_CHECKING":
        return Static(False)
    if lookup.constant(name):
        return Static(kind="float")
    return LibraryName(name)


def _of_array(
    machine: Machine, frame: Frame, node: ir.Expr, value: Traced | Concrete | NumPy, attr: str
) -> Value:
    tree = isinstance(value, Traced) and not value.leaf
    if isinstance(value, Traced) and tree and attr == "at":
        return _updated(machine, frame, node, value)
    if isinstance(value, Traced) and tree and attr in _TELLING:
        value = leaf_of(value)
        tree = False
        refine(frame, node, value)
    if attr == "ndim" and not isinstance(value, NumPy) and value.rank is not None:
        return Static(value.rank)
    if attr == "shape" and not isinstance(value, NumPy) and value.rank == 0:
        return Sequence("tuple", [], frame.trace)
    if attr in lookup.STATIC_ATTRIBUTES:
        return shape_of(value) if attr == "shape" else _STATIC_KINDS.get(attr, STATIC)
    if attr in lookup.ARRAY_ATTRIBUTES and not tree:
        dtype = "float" if attr in ("real", "imag") else value.dtype
        return (
            NumPy(dtype)
            if isinstance(value, NumPy)
            else machine.operation(frame, node, [value], dtype)
        )
    if attr == "at" and not isinstance(value, NumPy):
        return (
            machine.unknown(references.REFERENCE)
            if references.may_be(machine, value)
            else At(value)
        )
    if tree:
        if attr in _DICT_METHODS or lookup.method(attr) is not None:
            return Method(value, attr, node)
        unknown = machine.unknown("field of a pytree parameter")
        return guesses.part(machine, node, value, unknown)
    if attr in HOST_ATTRIBUTES and isinstance(value, Traced):
        host_conversions.attribute_read(machine, frame, node, value, attr)
    elif not isinstance(value, NumPy) and not (is_of_arrays(attr) or attr in MISSING_METHODS):
        # This is something else, which the operator of another object gave.
        return machine.unknown("attribute that no array has")
    return Method(value, attr, node)


def _updated(machine: Machine, frame: Frame, node: ir.Expr, value: Traced) -> Value:
    """`at` of a parameter that may be a pytree: an index tells that it is an array, unless its
    annotation names a class. Objects of several libraries have such an attribute."""
    param = value.trail.node
    if isinstance(param, ir.Param) and _names_class(machine, frame, param.annotation):
        unknown = machine.unknown("field of a pytree parameter")
        return guesses.part(machine, node, value, unknown)
    return At(value)


def _names_class(machine: Machine, frame: Frame, annotation: ir.Expr | None) -> bool:
    """Whether an annotation names one class, perhaps in a string."""
    if isinstance(annotation, ir.Const):
        return isinstance(annotation.value, str)
    if not isinstance(annotation, (ir.Name, ir.Attribute)):
        return False
    with machine.quiet():
        named = machine.eval(frame, annotation)
    return not (isinstance(named, LibraryName) and named.dotted.startswith("typing."))


def refine(frame: Frame, node: ir.Expr, value: Traced) -> None:
    """What a use says of a variable holds for its later uses."""
    base = node.value if isinstance(node, (ir.Attribute, ir.Subscript)) else node
    if isinstance(base, ir.Name) and isinstance(frame.env.get(base.id), Traced):
        frame.env[base.id] = value


def of_instance(machine: Machine, frame: Frame, node: ir.Expr, value: Instance, attr: str) -> Value:
    """An attribute of an object of a class of this file."""
    field = known_field(value, attr)
    if value.generic:
        machine.dynamic.effects.read(value, attr, field)
    compiled = None if frame.trace.is_host else frame.trace.compiled
    if value.generic and compiled is not None and (field is not None or not value.cls.opaque):
        compiled.captured(value, attr, field, node)
        machine.dynamic.effects.capture(compiled, value, attr, field, node)
    if field is None and value.generic:
        field = field_of_any(machine, value, attr)
    if field is not None:
        return field
    found = value.cls.find(attr)
    # What an object sets hides what its class has, also where it is not believed.
    hidden = attr in value.fields and not isinstance(found, Descriptor)
    if found is not None and not hidden:
        return bind_method(machine, frame, node, found, value)
    answer = machine.frameworks.ask("attribute", value, machine, frame, node, value, attr)
    if answer is not None:
        return answer
    for base in value.cls.externals():
        if attr in MODULE_BASES.get(base, ()):
            return Bound(LibraryName(f"{base}.{attr}"), value, frame.loop)
    cls = value.cls
    declared = attr in cls.fields or attr in cls.children
    if value.tree is not None and declared and is_child(cls, attr):
        made = traced_field(value, attr, node)
        value.fields[attr] = made
        return made
    if attr == "__class__":
        return value.cls
    if attr in ("_replace", "_asdict", "replace") and cls.fields and not cls.opaque:
        return Method(value, attr, node)
    dynamic = dunder.method(machine, frame, node, value, "__getattr__", Static(attr))
    return machine.unknown("attribute of an object") if dynamic is None else dynamic


def traced_field(value: Instance, attr: str, node: ir.Node) -> Value:
    """A field of an object rebuilt from traced leaves."""
    tree = value.tree
    assert tree is not None
    trail = Provenance(node, tree.trail, tree.trail.entry)
    return Traced(trail, tree.kind, leaf=False)


def bind_method(
    machine: Machine, frame: Frame, node: ir.Expr, found: Value, owner: Instance
) -> Value:
    """What a class attribute is when it is read through an object."""
    if isinstance(found, Function):
        return Bound(found, owner, frame.loop)
    if isinstance(found, Transformed):
        return Bound(found, owner, frame.loop)
    if isinstance(found, Partial) and isinstance(found.func, LibraryName):
        decorated = found.func.dotted == "contextlib.contextmanager(...)"
        return Bound(found, owner, frame.loop) if decorated else found
    if isinstance(found, Descriptor):
        if found.kind == "static":
            return found.func
        if found.kind == "class":
            return Bound(found.func, owner.cls, frame.loop)
        return _property(machine, frame, node, found, owner)
    return found


def _property(
    machine: Machine, frame: Frame, node: ir.Expr, found: Descriptor, owner: Instance
) -> Value:
    result = machine.call(frame, node, found.func, Args([owner], nodes=[node]))
    if found.kind == "cached" and frame.trace.is_host and isinstance(found.func, Function):
        owner.fields[found.func.node.name] = result
    elif found.kind == "cached":
        caches.read(machine, frame, node, owner, result)
    return result


def _of_class(machine: Machine, frame: Frame, value: Class, attr: str) -> Value:
    found = value.find(attr)
    if found is None:
        if attr == "_fields" and value.fields:
            return Sequence("tuple", [Static(n) for n in value.fields], None)
        if attr == "__name__":
            return Static(value.name)
        answer = machine.frameworks.ask("attribute", value, machine, frame, value.node, value, attr)
        if answer is not None:
            return answer
        return (
            Method(value, attr)
            if attr in ("_make", "_fields")
            else machine.unknown("class attribute")
        )
    if isinstance(found, Descriptor):
        if found.kind == "static":
            return found.func
        if found.kind == "class":
            return Bound(found.func, value, frame.loop)
        return machine.unknown("property of a class")
    if value.opaque and isinstance(found, Static):
        # A metaclass makes members of its constants, as that of enumerations does.
        return machine.unknown("constant in a class with an unknown base")
    return found


def _of_super(machine: Machine, frame: Frame, value: Super, attr: str) -> Value:
    """What the classes behind `value.cls` say, in the order of the object's own class."""
    owner = value.owner
    cls = owner.cls if isinstance(owner, Instance) else owner
    lineage = cls.lineage if isinstance(cls, Class) and cls.derives(value.cls) else None
    lineage = lineage or value.cls.lineage
    for base in lineage[lineage.index(value.cls) + 1 :]:
        found = base.namespace.get(attr)
        if isinstance(found, (Function, Transformed)):
            return Bound(found, owner, frame.loop)
        if isinstance(found, Descriptor) and found.kind == "class":
            return Bound(found.func, owner, frame.loop)
        if found is not None:
            return found.func if isinstance(found, Descriptor) else found
    return (
        LibraryName("builtins.object.__init__") if attr == "__init__" else machine.unknown("super")
    )
