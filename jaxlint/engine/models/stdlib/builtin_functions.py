"""Python's builtin functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import dtype_of, finds_traced, is_number, rank_of
from jaxlint.engine.domain.special_values import EffectfulObject, TracedString
from jaxlint.engine.domain.values import (
    INT,
    NONE,
    STATIC,
    STR,
    Concrete,
    Method,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    join_all,
)
from jaxlint.engine.evaluation.alternatives import each
from jaxlint.engine.inference.dependence import untraced
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.call_effects import effect
from jaxlint.engine.models.stdlib import attribute_functions, iteration
from jaxlint.engine.models.stdlib.container_functions import (
    dict_,
    len_,
    range_,
    slice_,
    to_sequence,
)
from jaxlint.engine.models.stdlib.element_functions import any_all, order
from jaxlint.engine.models.stdlib.reveal import reveal
from jaxlint.engine.models.stdlib.type_functions import (
    callable_,
    descriptor,
    isinstance_,
    issubclass_,
    super_,
    type_,
)
from jaxlint.engine.operations import dunder
from jaxlint.engine.operations.arithmetic import binary
from jaxlint.engine.operations.attributes import attribute
from jaxlint.engine.operations.containers.dicts import from_keys
from jaxlint.engine.operations.scalars import is_large
from jaxlint.engine.relations.identity import Mark
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

Builtin = Callable[[Machine, Frame, ir.Expr, str, Args], Value]
_CASTS: dict[str, Callable[..., Any]] = {"int": int, "float": float, "bool": bool}


def call_builtin(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """The result of calling a builtin."""
    handler = _TABLE.get(name)
    if handler is not None:
        return handler(machine, frame, node, name, args)
    kind = lookup.effect(f"builtins.{name}")
    if kind is not None:
        effect(machine, frame, node, f"builtins.{name}", args, kind)
        if name == "open":
            return EffectfulObject("file", frame.trace, settled=True)
        return NONE if kind == "print" else STR
    if name[:1].isupper():
        return STATIC
    if "." in name and args.positional:
        return _unbound(machine, frame, node, name, args)
    for value in args.values():
        record = getattr(value, "record", None)
        if record is not None:
            machine.borrow(record)
            record.escaped = True
    return machine.unknown(f"builtin {name}")


# Methods that make an object of their class.
_CLASS_METHODS: dict[str, Value] = {
    "bytes.fromhex": Static(kind="bytes"),
    "float.fromhex": Static(kind="float"),
    "int.from_bytes": INT,
    "str.maketrans": STATIC,
}


def _unbound(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`str.upper(text)`: a method taken from its class."""
    if name == "dict.fromkeys":
        return from_keys(machine, frame, node, args)
    if name == "object.__setattr__":
        return attribute_functions.store(machine, frame, node, name, args)
    if name == "object.__getattribute__":
        return attribute_functions.load(machine, frame, node, name, args)
    if name in _CLASS_METHODS:
        return _CLASS_METHODS[name]
    method = attribute(machine, frame, node, args.positional[0], name.partition(".")[2])
    if not isinstance(method, Method):
        return machine.unknown(f"builtin {name}")
    return machine.call(frame, node, method, args.behind(1))


def _cast(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "x")
    result = Static(kind=name if name in ("int", "float", "bool", "complex") else "str")
    if value is None:
        return result
    if name == "bool" and isinstance(value, Question):
        return value
    if isinstance(value, Static) and value.known and name in _CASTS:
        try:
            return Static(_CASTS[name](value.const))
        except (TypeError, ValueError, OverflowError):
            return result
    place = args.node(0, "x", node)
    demand(machine, frame, place, value, "cast", name, f"builtins.{name}")
    return result


def _arithmetic(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`abs`, `round`, `pow` and `divmod` keep a tracer traced."""
    values = args.positional
    if values and isinstance(values[0], Union):
        given = [Args([option, *values[1:]], nodes=args.nodes) for option in values[0].options]
        run = partial(_arithmetic, machine, frame, node, name)
        return join_all(each(machine, given, run))
    if any(isinstance(v, (Traced, Concrete)) for v in values):
        return _of_arrays(machine, frame, node, name, args)
    if not values:
        return machine.unknown(name)
    if all(isinstance(v, Static) for v in values):
        if name == "abs" and isinstance(values[0], Static) and is_number(values[0]):
            if values[0].known:
                return Static(abs(values[0].const))
            return Static(kind="float") if values[0].kind == "complex" else values[0]
        return Static(kind=values[0].kind if isinstance(values[0], Static) else "")
    made = dunder.method(machine, frame, node, values[0], f"__{name}__", *values[1:])
    if made is not None:
        return made
    if all(isinstance(v, (Static, NumPy)) for v in values):
        host = NumPy(dtype_of(values[0]))
        return Sequence("tuple", [host, host], frame.trace) if name == "divmod" else host
    return machine.unknown(name)


def _of_arrays(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """The same of arrays. The modulus of a complex number is real."""
    values = args.positional
    if name in _OPERATORS and len(values) == len(args.nodes) == 2:
        found = [
            binary(machine, frame, node, op, values[0], values[1], *args.nodes)
            for op in _OPERATORS[name]
        ]
        return found[0] if len(found) == 1 else Sequence("tuple", found, frame.trace)
    first = next(v for v in values if isinstance(v, (Traced, Concrete)))
    if name == "round":
        values = [untraced(v) for v in values]
    is_modulus = name == "abs" and dtype_of(first) == "complex"
    dtype = "float" if is_modulus else dtype_of(first)
    return machine.operation(frame, node, values, dtype, rank_of(first))


_OPERATORS = {"divmod": ("//", "%"), "pow": ("**",)}


def _string(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    spec = args.get(1, "") if name == "format" else None
    if isinstance(spec, Static) and isinstance(spec.const, str) and args.nodes:
        for heard in machine.checks.format:
            heard(machine, frame, args.nodes[0], args.positional[0], spec.const, name)
    for value, place in args.pairs():
        traced = finds_traced(value)
        if traced is not None:
            return TracedString(traced, place)
    first = args.get(0, "object")
    if name == "str" and isinstance(first, Static) and isinstance(first.const, (int, str)):
        return STR if is_large(first.const) else Static(str(first.const))
    return STR


def _print(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    effect(machine, frame, node, "builtins.print", args, "print")
    return NONE


def _static(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    return STR if name in ("repr", "ascii") else STATIC


def _object(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    once = frame.kind == "module" and frame.loop is None
    return Static(Mark(node), "object") if once else Static(kind="object")


_TABLE: dict[str, Builtin] = {
    **dict.fromkeys(("int", "float", "bool", "complex", "bin", "hex", "oct", "chr"), _cast),
    "len": len_,
    "range": range_,
    **dict.fromkeys(("min", "max"), order),
    "sorted": order,
    **dict.fromkeys(("any", "all"), any_all),
    "isinstance": isinstance_,
    "issubclass": issubclass_,
    **attribute_functions.TABLE,
    "callable": callable_,
    **dict.fromkeys(("list", "tuple", "set", "frozenset"), to_sequence),
    "dict": dict_,
    "zip": iteration.zip_,
    "enumerate": iteration.enumerate_,
    **dict.fromkeys(("map", "filter"), iteration.map_filter),
    **dict.fromkeys(("reversed", "iter"), iteration.reversed_),
    "next": iteration.next_,
    "sum": iteration.sum_,
    **dict.fromkeys(("abs", "round", "pow", "divmod"), _arithmetic),
    **dict.fromkeys(("str", "format"), _string),
    "print": _print,
    "super": super_,
    **dict.fromkeys(("staticmethod", "classmethod", "property"), descriptor),
    "type": type_,
    "slice": slice_,
    **dict.fromkeys(("id", "hash", "repr", "ascii", "ord", "bytes", "dir"), _static),
    "object": _object,
    **dict.fromkeys(("bytearray", "memoryview"), _static),
    "reveal": reveal,
}
