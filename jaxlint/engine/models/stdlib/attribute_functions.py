"""Builtin functions that take the name of an attribute: `getattr`, `hasattr` and kin."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import MOST_CANDIDATES, among
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import (
    BOOL,
    NONE,
    Class,
    Instance,
    Mapping,
    Static,
    Value,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.attribute_stores import remove_field, store_field
from jaxlint.engine.operations.attributes import attribute, has_attribute
from jaxlint.engine.operations.modules import defines, module_frame
from jaxlint.engine.operations.object_attributes import of_instance
from jaxlint.syntax import ir


def _hasattr(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) == 2 and isinstance(args.positional[1], Static):
        subject, attr = args.positional[0], args.positional[1].const
        answer = _has(machine, subject, attr) if isinstance(attr, str) else None
        return BOOL if answer is None else Static(answer)
    return BOOL


def _has(machine: Machine, subject: Value, attr: str) -> bool | None:
    if isinstance(subject, Module):
        return defines(machine, subject, attr)
    return has_attribute(subject, attr)


def _getattr(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) >= 2 and isinstance(args.positional[1], Static):
        attr = args.positional[1].const
        if isinstance(attr, str):
            subject = args.positional[0]
            there = _has(machine, subject, attr) if len(args.positional) > 2 else True
            if there is False:
                return args.positional[2]
            found = attribute(machine, frame, args.node(0, "", node), subject, attr)
            return found if there else join_all([found, args.positional[2]])
    if len(args.positional) >= 2:
        return _some_attribute(machine, frame, args.node(0, "", node), args)
    return machine.unknown("getattr")


def _some_attribute(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`getattr(owner, name)` with a name that is not known: one of the functions and classes that
    the owner defines, as far as their names fit what is known of it."""
    unknown = machine.unknown("getattr")
    begin, end = _ends(args.nodes[1]) if len(args.nodes) > 1 else ("", "")
    owner = args.positional[0]
    if isinstance(owner, Module):
        home = module_frame(machine, owner.place)
        body = () if home is None or home.module is None else home.module.body
    elif isinstance(owner, Instance) and owner.cls.node is not None and begin + end:
        body = owner.cls.node.body
    else:
        return unknown
    names = [one.name for one in body if isinstance(one, (ir.FunctionDef, ir.ClassDef))]
    fitting = [name for name in names if name.startswith(begin) and name.endswith(end)]
    wanted = [name for name in fitting if begin or not name.startswith("_")]
    if len(wanted) > MOST_CANDIDATES:
        return unknown
    return among(unknown, [attribute(machine, frame, node, owner, name) for name in wanted])


def _ends(node: ir.Expr) -> tuple[str, str]:
    """The first and the last letters of a text, as far as its expression tells."""
    parts: tuple[ir.Expr, ...] = ()
    if isinstance(node, ir.JoinedString):
        parts = node.parts
    elif isinstance(node, ir.BinOp) and node.op == "+":
        parts = (node.left, node.right)
    begin, end = (parts[0], parts[-1]) if parts else (None, None)
    return _text(begin), _text(end)


def _text(node: ir.Expr | None) -> str:
    return node.value if isinstance(node, ir.Const) and isinstance(node.value, str) else ""


def _vars(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    owner = args.get(0, "")
    if isinstance(owner, Instance) and not owner.generic and not owner.cls.opaque:
        return Mapping(dict(owner.fields), frame.trace, path=frame.path)
    return machine.unknown(name)


def _delattr(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    owner, attr = args.get(0, ""), args.get(1, "")
    if isinstance(owner, Instance) and isinstance(attr, Static) and isinstance(attr.const, str):
        remove_field(machine, frame, ir.Attribute(node.origin, args.nodes[0], attr.const), owner)
    return NONE


def load(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`object.__getattribute__(owner, "name")`: what the owner has, without its `__getattr__`."""
    if len(args.positional) == 2 and isinstance(args.positional[1], Static):
        owner, attr = args.positional[0], args.positional[1].const
        if isinstance(owner, Instance) and isinstance(attr, str):
            return of_instance(machine, frame, args.node(0, "", node), owner, attr, dynamic=False)
    return _getattr(machine, frame, node, name, args)


def store(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) == 3:
        owner, attr, value = args.positional
        const = attr.const if isinstance(attr, Static) and isinstance(attr.const, str) else ""
        if isinstance(owner, (Instance, Class)) or (isinstance(owner, Module) and const):
            target = ir.Attribute(node.origin, args.nodes[0], const or "...")
            plainly = name != "setattr"
            store_field(machine, frame, target, owner, const or "...", value, "assign", plainly)
    return NONE


TABLE = {
    "delattr": _delattr,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": store,
    "vars": _vars,
}
