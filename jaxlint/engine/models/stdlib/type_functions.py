"""Builtin functions that ask for types and classes, and that define members of classes."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.objects import DescriptorKind
from jaxlint.engine.domain.special_values import Super, TracerType
from jaxlint.engine.domain.values import (
    BOOL,
    STATIC,
    Descriptor,
    Instance,
    LibraryName,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    join_all,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.tracer_tests import of_type
from jaxlint.engine.relations.type_tests import is_callable, type_answer
from jaxlint.syntax import ir


def isinstance_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) < 2:
        return BOOL
    subject, types = args.positional[0], args.positional[1]
    answers = {
        type_answer(o, types)
        for o in (subject.options if isinstance(subject, Union) else (subject,))
    }
    answer = answers.pop() if len(answers) == 1 else None
    return (of_type(subject, types) or BOOL) if answer is None else Static(answer)


def issubclass_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`issubclass(type(x), types)` asks what `isinstance(x, types)` does."""
    kind = args.get(0, "")
    if not isinstance(kind, TracerType):
        return BOOL
    inside = Args([kind.traced, *args.positional[1:]])
    return isinstance_(machine, frame, node, name, inside)


def callable_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    answers = {is_callable(option) for option in options(args.get(0, "") or STATIC)}
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Static(answer)


def super_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    scope: Frame | None = frame.home()
    while scope is not None and scope.cls is None:
        scope = scope.parent
    if scope is None or scope.cls is None or scope.func is None or not scope.func.params:
        return machine.unknown("super")
    owner = scope.env.get(scope.func.params[0].name)
    return Super(scope.cls, owner) if owner is not None else machine.unknown("super")


def descriptor(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    return (
        Descriptor(_DESCRIPTORS[name], args.positional[0])
        if args.positional
        else machine.unknown(name)
    )


_DESCRIPTORS: dict[str, DescriptorKind] = {
    "staticmethod": "static",
    "classmethod": "class",
    "property": "property",
}


def type_(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "")
    if len(args.positional) != 1 or value is None:
        return STATIC
    return join_all([_type_of(o) for o in options(value)])


def _type_of(value: Value) -> Value:
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Traced):
        return TracerType(value)
    if isinstance(value, Static) and value.known:
        return LibraryName(f"builtins.{type(value.const).__name__}")
    if isinstance(value, Sequence) and value.kind in ("list", "tuple", "set"):
        return LibraryName(f"builtins.{value.kind}")
    return STATIC
