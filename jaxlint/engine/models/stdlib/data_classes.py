"""Record types of the standard library: dataclasses and named tuples."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import FieldSpec
from jaxlint.engine.domain.traversal import rebuilt
from jaxlint.engine.domain.values import (
    BOOL,
    NONE,
    STATIC,
    Class,
    Instance,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.classes import replaced
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.subscripts import as_tuple
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
# How deep records are taken apart.
MOST_NESTED = 4


def field_spec(args: Args) -> FieldSpec:
    """`dataclasses.field(...)` and kin."""
    metadata = args.keywords.get("metadata")
    factory = args.keywords.get("default_factory") or args.keywords.get("factory")
    converter = args.keywords.get("converter")
    fixed = _is_fixed(args, metadata)
    return passed_as(FieldSpec(fixed, args.get(0, "default"), factory, converter, metadata), args)


def passed_as(made: FieldSpec, args: Args) -> FieldSpec:
    """The field as its constructor takes it."""
    by_name, init = args.keywords.get("kw_only"), args.keywords.get("init")
    made.set_later = isinstance(init, Static) and init.const is False
    made.by_name = made.set_later or (isinstance(by_name, Static) and by_name.const is True)
    return made


def _is_fixed(args: Args, metadata: Value | None) -> bool | None:
    """Whether the arguments of a field make it static, None where that is not known."""
    told: list[bool | None] = []
    for name, static in (("static", True), ("pytree_node", False)):
        told.append(_is_said(args.keywords.get(name), static))
        if isinstance(metadata, Mapping):
            told.append(_is_said(metadata.items.get(name), static))
    if isinstance(metadata, Mapping):
        told.append(None if metadata.open or metadata.element is not None else False)
    else:
        told.append(False if metadata is None else None)
    told.append(None if args.more is not None else False)
    return True if True in told else None if None in told else False


def _is_said(value: Value | None, wanted: bool) -> bool | None:
    """Whether an option is what is wanted, None where it is not known."""
    if value is None:
        return False
    return value.const is wanted if isinstance(value, Static) and value.known else None


def _dataclass(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    cls = args.get(0, "cls")
    if cls is None:
        return Partial(LibraryName("dataclasses.dataclass"), (), dict(args.keywords))
    equality = args.keywords.get("eq")
    if isinstance(cls, Class):
        cls.generates = True
        cls.makes_record()
        cls.compares = not (isinstance(equality, Static) and equality.const is False)
    return cls


def _field(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return field_spec(args)


def _static_field(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`jax.tree.static(...)` and kin: `field`, with metadata that begin with `static`."""
    made, given = field_spec(args), args.keywords.get("metadata")
    if given is None or is_none(given):
        made.fixed, made.metadata = True, Mapping({"static": Static(True)}, frame.trace)
    elif isinstance(given, Mapping) and "static" not in given.items:
        made.fixed = None if given.open or given.element is not None else True
        every: dict[str, Value] = {"static": Static(True), **given.items}
        made.metadata = Mapping(every, frame.trace, given.element, given.open)
    return made


def _replace(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    old = args.get(0, "obj")
    return replaced(frame, old, args) if isinstance(old, Instance) else machine.unknown("replace")


def _taken_apart(machine: Machine, frame: Frame, value: Value, flat: bool, depth: int) -> Value:
    """Records inside records as tuples or dicts."""

    def inside(inner: Value) -> Value:
        return _taken_apart(machine, frame, inner, flat, depth - 1)

    if depth == 0:
        return machine.unknown("deep record")
    if isinstance(value, Instance) and value.cls.compares and not value.generic:
        parts = as_tuple(machine, frame, value)
        items = list(map(inside, parts.items or []))
        if flat:
            return Sequence("tuple", items, frame.trace, None, frame.path)
        named = dict(zip(value.cls.fields, items, strict=True))
        return Mapping(named, frame.trace, path=frame.path)
    if isinstance(value, (Sequence, Mapping)):
        return rebuilt(value, inside, frame.trace, frame.path)
    return machine.unknown("record") if isinstance(value, Instance) else value


def _as_dict(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return _taken_apart(machine, frame, args.get(0, "obj") or NONE, False, MOST_NESTED)


def _as_tuple(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return _taken_apart(machine, frame, args.get(0, "obj") or NONE, True, MOST_NESTED)


def _fields(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`dataclasses.fields(cls)`: objects of which the names and the metadata are known."""
    owner = args.get(0, "class_or_instance")
    cls = owner.cls if isinstance(owner, Instance) else owner
    if not isinstance(cls, Class):
        return Sequence("tuple", None, frame.trace, STATIC)
    made: list[Value] = []
    for name, (_, spec) in cls.fields.items():
        field = Instance(_FIELD, frame.trace)
        field.fields["name"] = Static(name)
        if isinstance(spec, FieldSpec) or not isinstance(spec, Unknown):
            known = spec.metadata if isinstance(spec, FieldSpec) else None
            field.fields["metadata"] = known or Mapping({}, frame.trace, path=frame.path)
        made.append(field)
    return Sequence("tuple", made, frame.trace, None, frame.path)


_FIELD = Class("Field", None, (LibraryName("dataclasses.Field"),))


def _is_dataclass(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return BOOL


# -- named tuples --------------------------------------------------------------------------------


def _named_tuple(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`collections.namedtuple("Name", fields)` and `typing.NamedTuple("Name", pairs)`."""
    names = _field_names(machine, frame, node, args)
    title = args.get(0, "typename")
    if names is None:
        return machine.unknown("named tuple")
    text = title.const if isinstance(title, Static) and isinstance(title.const, str) else "tuple"
    cls = Class(text, None, (LibraryName("typing.NamedTuple"),))
    defaults = args.keywords.get("defaults")
    held = defaults.items or [] if isinstance(defaults, Sequence) else []
    first = len(names) - len(held)
    for at, name in enumerate(names):
        cls.fields[name] = (None, held[at - first] if at >= first else None)
    cls.tree = "leaves"
    cls.compares = True
    machine.program.classes.append(cls)
    return cls


def _field_names(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> list[str] | None:
    given = args.get(1, "field_names")
    if isinstance(given, Static) and isinstance(given.const, str):
        return given.const.replace(",", " ").split()
    if given is None:
        return None
    _, items, _ = iterate(machine, frame, args.node(1, "field_names", node), given, "for")
    names: list[str] = []
    for item in items or []:
        name = item.items[0] if isinstance(item, Sequence) and item.items else item
        if not (isinstance(name, Static) and isinstance(name.const, str)):
            return None
        names.append(name.const)
    return names if items is not None else None


TABLE: dict[str, Handler] = {
    "collections.namedtuple": _named_tuple,
    "typing.NamedTuple": _named_tuple,
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "dataclasses.fields": _fields,
    "dataclasses.is_dataclass": _is_dataclass,
    "dataclasses.replace": _replace,
    "jax.tree.static": _static_field,
}
