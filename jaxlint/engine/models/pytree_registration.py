"""Classes that are registered as pytrees: which fields their flatten functions give as children."""

from __future__ import annotations

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.library import pytree_round_trips
from jaxlint.engine.checks.library.pytree_contracts import checked_when_made, constructor_takes
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    NONE,
    Class,
    Descriptor,
    Function,
    Instance,
    Mapping,
    Sequence,
    Static,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.declarations import CONSTRUCTED
from jaxlint.syntax import ir

MOST_NESTED = 4
"""How deep the children that a flatten function gives are taken apart."""


def _node(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    cls = args.get(0, "nodetype")
    if isinstance(cls, Class):
        _register(machine, frame, node, cls, args.get(1, "flatten_func"))
        both = args.get(1, "flatten_func"), args.get(2, "unflatten_func")
        pytree_round_trips.check(machine, frame, node, cls, *both)
        checked_when_made(machine, frame, cls, cls.child_fields, both[1])
    return NONE


def _node_with_keys(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    cls = args.get(0, "nodetype")
    if isinstance(cls, Class):
        _register(machine, frame, node, cls, args.get(1, "flatten_with_keys"), keyed=True)
        both = args.get(1, "flatten_with_keys"), args.get(2, "unflatten_func")
        pytree_round_trips.check(machine, frame, node, cls, *both, keyed=True)
        checked_when_made(machine, frame, cls, cls.child_fields, both[1])
    return NONE


def _node_class(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value | None:
    cls = args.get(0, "cls")
    if isinstance(cls, Class):
        _register(machine, frame, node, cls, cls.find("tree_flatten"))
        both = cls.find("tree_flatten"), cls.find("tree_unflatten")
        pytree_round_trips.check(machine, frame, node, cls, *both)
        checked_when_made(machine, frame, cls, cls.child_fields, both[1])
    return cls


def _node_class_with_keys(
    machine: Machine, frame: Frame, node: ir.Expr, args: Args
) -> Value | None:
    cls = args.get(0, "cls")
    if isinstance(cls, Class):
        plain = cls.find("tree_flatten")
        keyed = cls.find("tree_flatten_with_keys")
        _register(machine, frame, node, cls, plain or keyed, keyed=plain is None)
        both = keyed, cls.find("tree_unflatten")
        pytree_round_trips.check(machine, frame, node, cls, *both, keyed=True)
        checked_when_made(machine, frame, cls, cls.child_fields, both[1])
    return cls


def _static(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value | None:
    cls = args.get(0, "cls")
    if isinstance(cls, Class):
        cls.tree = "some"
        cls.child_fields, cls.unclear = set(), set()
    return cls


def _register(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    cls: Class,
    flatten: Value | None,
    keyed: bool = False,
) -> None:
    """Makes a class a pytree through its flatten function. A `keyed` one gives each child with
    its key. Fields are unclear where it is not known which of them are children."""
    cls.tree = "some"
    if isinstance(flatten, Descriptor):
        flatten = flatten.func
    named = children_of(flatten.node) if isinstance(flatten, Function) else set()
    found = named or _given(machine, frame, node, cls, flatten, keyed)
    if found is None:
        cls.unclear |= cls.fields.keys()
    else:
        cls.child_fields |= found
        cls.unclear -= cls.fields.keys()


def children_of(flatten: ir.FunctionDef) -> set[str]:
    """Attributes that a flatten function gives as children: the first part of what it returns."""
    if not flatten.params:
        return set()
    body = list(walk(flatten.body))
    names = {
        one.targets[0].id: one.value
        for one in body
        if isinstance(one, ir.Assign) and isinstance(one.targets[0], ir.Name)
    }
    found: set[str] = set()
    for one in body:
        if isinstance(one, ir.Return) and isinstance(one.value, ir.Sequence) and one.value.items:
            first = one.value.items[0]
            if isinstance(first, ir.Name):
                first = names.get(first.id, first)
            owner = flatten.params[0].name
            found |= {name for part in walk(first) if (name := attribute_of(part, owner))}
    return found


def _given(
    machine: Machine, frame: Frame, node: ir.Expr, cls: Class, flatten: Value | None, keyed: bool
) -> set[str] | None:
    """The fields that a flatten function gives as children of an object, None where it gives
    something else, or it is not known what it gives."""
    if flatten is None:
        return None
    made = Instance(cls, frame.trace, path=frame.path)
    marks = {name: Unknown("field that is flattened") for name in cls.fields}
    made.fields.update(marks)
    with machine.quiet():
        result = machine.call(frame, node, flatten, Args([made]))
    if not isinstance(result, Sequence) or not result.items:
        return None
    parts = _parts(result.items[0], MOST_NESTED)
    if keyed and parts is not None:
        parts = [one for pair in _pairs(result.items[0]) for one in pair[1:]]
    if parts is None:
        return None
    names = {id(mark): name for name, mark in marks.items()}
    found = {names.get(id(part), "") for part in parts if not _is_constant(part)}
    return None if "" in found else found


def _parts(value: Value, depth: int) -> list[Value] | None:
    """What is in a container, None where not all of it is known."""
    if isinstance(value, Sequence):
        inner = value.items
    elif isinstance(value, Mapping):
        inner = None if value.open else list(value.items.values())
    else:
        return [value]
    if inner is None or value.element is not None or not depth:
        return None
    found: list[Value] = []
    for one in inner:
        parts = _parts(one, depth - 1)
        if parts is None:
            return None
        found += parts
    return found


def _pairs(value: Value) -> list[list[Value]]:
    """The children with their keys, each as a list of both."""
    inner = value.items or [] if isinstance(value, Sequence) else []
    return [_parts(one, MOST_NESTED) or [] for one in inner]


def _is_constant(value: Value) -> bool:
    return isinstance(value, Static) and value.known


def register_fields(cls: Class, data: Value | None, meta: Value | None) -> None:
    """`register_dataclass`: all fields are children but the meta fields."""
    cls.tree = "leaves"
    cls.meta |= _names(meta)
    cls.fields = {**cls.fields, **dict.fromkeys(_names(data) - cls.fields.keys(), (None, None))}


def check_dataclass(
    machine: Machine,
    frame: Frame,
    dotted: str,
    cls: Class,
    data: Value | None,
    meta: Value | None,
) -> None:
    """Whether JAX can make objects of a class that a decorator registers: `register_dataclass`, or
    that of a library which makes a dataclass of it too."""
    if dotted not in CONSTRUCTED:
        return
    checked_when_made(machine, frame, cls, cls.fields.keys() - cls.meta)
    if dotted != "jax.tree_util.register_dataclass":
        return
    plain = {name for name, (_, spec) in cls.fields.items() if spec is None}
    constructor_takes(machine, frame, cls, plain if data is None else _names(data) | _names(meta))


def _names(listed: Value | None) -> set[str]:
    """The names in a list of fields, as far as they are known."""
    items = listed.items if isinstance(listed, Sequence) else None
    return {str(one.const) for one in items or () if isinstance(one, Static) and one.known}


REGISTRATIONS = {
    "jax.tree_util.register_pytree_node": _node,
    "jax.tree_util.register_pytree_node_class": _node_class,
    "jax.tree_util.register_pytree_with_keys": _node_with_keys,
    "jax.tree_util.register_pytree_with_keys_class": _node_class_with_keys,
    "jax.tree_util.register_static": _static,
}
"""What registers a class with JAX."""
