"""Classes of attrs: their fields, and what their constructors make of arguments.

Source: attrs documentation, "Initialization" and "API Reference": a constructor takes each field by
its name without leading underscores, converts it, and calls `__attrs_post_init__` at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import FieldSpec
from jaxlint.engine.domain.values import (
    Class,
    Instance,
    LibraryName,
    Partial,
    Static,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.classes import replaced
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.stdlib.data_classes import field_spec
from jaxlint.knowledge.attrs import COPIES, DECORATORS, FACTORY, FIELDS
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]


def _decorator(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    cls = args.get(0, "maybe_cls")
    if cls is None or is_none(cls):
        return Partial(LibraryName("attr.attrs"), (), dict(args.keywords))
    if not isinstance(cls, Class):
        return cls
    specs = {name: v for name, v in cls.namespace.items() if isinstance(v, FieldSpec)}
    for name, spec in specs.items():
        cls.fields.setdefault(name, (None, spec))
        del cls.namespace[name]
    cls.converts = cls.generates = True
    cls.makes_record()
    cls.compares = _option(args, "eq") is not False and _option(args, "cmp") is not False
    return cls


def _option(args: Args, name: str) -> object:
    """The constant that an option is, None where it is not given or not known."""
    value = args.keywords.get(name)
    return value.const if isinstance(value, Static) and value.known else None


def _field(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    made = field_spec(args)
    default = made.default
    if isinstance(default, Partial) and getattr(default.func, "dotted", "") == FACTORY:
        made.default, made.factory = None, default.args[0]
    return made


def _factory(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    made = args.get(0, "factory")
    return (
        machine.unknown("default") if made is None else Partial(LibraryName(FACTORY), (made,), {})
    )


def _copy(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    old = args.get(0, "inst")
    return replaced(frame, old, args) if isinstance(old, Instance) else machine.unknown("copy")


TABLE: dict[str, Handler] = {
    **dict.fromkeys(DECORATORS, _decorator),
    **dict.fromkeys(FIELDS, _field),
    **dict.fromkeys(COPIES, _copy),
    FACTORY: _factory,
    "attrs.Factory": _factory,
}
