"""The functions of `operator`: Python's operators, subscripts, attributes and methods."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    BOOL,
    LibraryName,
    Partial,
    Sequence,
    Static,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.stdlib.functional import Handler
from jaxlint.engine.operations.arithmetic import binary, unary
from jaxlint.engine.operations.attributes import attribute
from jaxlint.engine.operations.conditions.truth import compare_pair, truth_of
from jaxlint.engine.operations.subscripts import subscript
from jaxlint.syntax import ir

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "concat": "+",
}


_UNARY = {"neg": "-", "pos": "+", "inv": "~", "invert": "~"}


_COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


_IDENTITY = {"is_": "is", "is_not": "is not"}


GETTERS = {
    "operator.itemgetter": "operator.itemgetter(...)",
    "operator.attrgetter": "operator.attrgetter(...)",
    "operator.methodcaller": "operator.methodcaller(...)",
}


def _operator(name: str) -> Handler:
    def handler(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        needed = 1 if name in _UNARY or name in ("not_", "truth", "abs") else 2
        if len(args.positional) < needed or args.rest is not None:
            return machine.unknown(f"operator {name}")
        places = [args.node(at, "", node) for at in range(2)]
        first, second = args.positional[0], args.positional[-1]
        if name in _BINARY:
            return binary(machine, frame, node, _BINARY[name], first, second, *places)
        if name in _UNARY:
            return unary(machine, frame, node, _UNARY[name], first)
        if name == "abs":
            return machine.call(frame, node, LibraryName("builtins.abs"), args)
        if name in ("not_", "truth"):
            answer = truth_of(machine, frame, places[0], first, "not")
            return BOOL if answer is None else Static(answer is (name == "truth"))
        op = _COMPARE.get(name) or _IDENTITY.get(name) or "in"
        if op == "in":
            first, second, places = second, first, places[::-1]
        test = ir.Compare(node.origin, places[0], (op,), (places[1],))
        return compare_pair(machine, frame, test, op, first, second, *places)

    return handler


def _getitem(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if len(args.positional) != 2:
        return machine.unknown("operator getitem")
    target = ir.Subscript(node.origin, args.node(0, "", node), args.node(1, "", node))
    return subscript(machine, frame, target, *args.positional)


def _getter(dotted: str) -> Handler:
    def handler(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        return Partial(LibraryName(GETTERS[dotted]), tuple(args.positional), dict(args.keywords))

    return handler


def _get_items(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A call of `itemgetter(*keys)`: the keys come before the object."""
    *keys, owner = args.positional
    found = [_getitem(machine, frame, node, Args([owner, key], nodes=[node, node])) for key in keys]
    return found[0] if len(found) == 1 else Sequence("tuple", found, frame.trace)


def _get_attributes(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    *names, owner = args.positional
    found: list[Value] = []
    for name in names:
        value = owner
        text = name.const if isinstance(name, Static) else None
        if not isinstance(text, str):
            return machine.unknown("attribute")
        for part in text.split("."):
            value = attribute(machine, frame, node, value, part)
        found.append(value)
    return found[0] if len(found) == 1 else Sequence("tuple", found, frame.trace)


def _call_method(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A call of `methodcaller(name, *args)`: these come before the object."""
    name, *rest, owner = args.positional
    text = name.const if isinstance(name, Static) else None
    if not isinstance(text, str):
        return machine.unknown("method")
    method = attribute(machine, frame, node, owner, text)
    return machine.call(frame, node, method, Args(rest, args.keywords, nodes=[node] * len(rest)))


TABLE: dict[str, Handler] = {
    **{
        f"operator.{name}": _operator(name)
        for name in (*_BINARY, *_UNARY, *_COMPARE, *_IDENTITY, "not_", "truth", "abs", "contains")
    },
    "operator.getitem": _getitem,
    **{dotted: _getter(dotted) for dotted in GETTERS},
    "operator.itemgetter(...)": _get_items,
    "operator.attrgetter(...)": _get_attributes,
    "operator.methodcaller(...)": _call_method,
}
