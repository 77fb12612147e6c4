"""Calls of NumPy's functions on tracers, arrays of JAX and values of the host."""

from __future__ import annotations

import math
from collections.abc import Callable

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization import host_conversions
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import kind_of_dtype, named_dtype, promoted
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced, strongest
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.values import (
    NONE,
    STATIC,
    Concrete,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Union,
    Unknown,
    Value,
    as_traced,
)
from jaxlint.engine.inference.dependence import depends_on
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.array_functions import (
    STATIC_RESULTS,
)
from jaxlint.engine.models.call_effects import effect
from jaxlint.engine.models.stdlib.random_numbers import drawn_array
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.ranks import AXES
from jaxlint.knowledge.transforms import (
    HOST_OBJECTS,
)
from jaxlint.syntax import ir

# What a NumPy function that leaves its work to the operand may be given without telling its result.
_UNKNOWN_OPERANDS = (Unknown, Union, Mapping, Instance)


def call_numpy(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    kind = lookup.effect(dotted)
    if kind is not None:
        effect(machine, frame, node, dotted, args, kind)
        return drawn_array(dotted.rpartition(".")[2], args) if kind == "rng" else NONE
    if dotted in HOST_OBJECTS:
        return STATIC
    made = lookup.constructed_kind(dotted)
    if made is not None:
        return EffectfulObject(made, frame.trace, settled=made == "rng" and bool(args.values()))
    behaviour = lookup.numpy_function(dotted)
    if lookup.is_dtype(dotted):
        behaviour = "raises"
    found = _traced_argument(args)
    if found is not None and not frame.trace.is_host:
        result = _of_traced(machine, frame, node, dotted, args, behaviour, found)
        if result is not None:
            return result
    if behaviour == "delegates":
        return _delegated(machine, frame, node, dotted, args)
    if behaviour == "static":
        scalar = dotted == "numpy.isscalar" and found is not None
        return Static(False) if scalar else STATIC_RESULTS.get(dotted.rpartition(".")[2], STATIC)
    if behaviour is None or (behaviour == "other" and found is not None):
        return machine.unknown("NumPy function")
    if behaviour == "swallows":
        return host_conversions.compared(machine, frame, node, dotted, found)
    return _computed(frame, dotted, args)


def _of_traced(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    args: Args,
    behaviour: str | None,
    found: tuple[Value, ir.Expr],
) -> Value | None:
    """The result in a trace of a function that takes a tracer as an array; None for the others."""
    value, place = found
    if behaviour == "raises":
        callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
        kind = value.kind if isinstance(value, Sequence) else ""
        demand(machine, frame, place, value, "numpy", callee, dotted, kind)
        return NumPy()
    if behaviour in ("delegates", "other"):
        for heard in machine.checks.numpy_call:
            heard(machine, frame, node, dotted, found)
    if behaviour != "delegates":
        return None
    traced = strongest([value])
    operands: list[Value] = [traced] if traced is not None else args.values()
    if not frame.trace.staged:
        operands = depends_on(dotted.rpartition(".")[2], operands)
    return _parts(frame, dotted, machine.operation(frame, node, operands))


def _delegated(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of a function that leaves its work to a method of its operand."""
    if args.positional and isinstance(args.positional[0], Concrete):
        return _parts(frame, dotted, machine.operation(frame, node, args.values()))
    if any(isinstance(v, _UNKNOWN_OPERANDS) for v in args.values()):
        return machine.unknown("NumPy function of an unknown value")
    return _computed(frame, dotted, args)


def _computed(frame: Frame, dotted: str, args: Args) -> Value:
    """What NumPy computes from values of the host."""
    if (number := _folded(dotted, args)) is not None:
        return number
    name = dotted.rpartition(".")[2]
    return _parts(frame, dotted, NumPy(_array_dtype(name, args), _has_axes(name, args)))


def _has_axes(name: str, args: Args) -> bool:
    """Whether the result of a NumPy function is certainly no scalar."""
    given = args.positional
    if name in AXES:
        return True
    if name in lookup.CONVERTERS and given:
        return has_axes(given[0])
    shape = args.get(0, "shape") if name in _FILLED else None
    items = shape.items if isinstance(shape, Sequence) else None
    return bool(items) or (isinstance(shape, Static) and shape.kind == "int")


def has_axes(value: Value) -> bool:
    """Whether what NumPy makes of a value certainly has an axis."""
    if isinstance(value, NumPy):
        return value.axes
    return isinstance(value, (Sequence, Concrete, Static)) and bool(rank_of(value))


def _parts(frame: Frame, dotted: str, part: Value) -> Value:
    """The result of a NumPy function: some give several arrays, as their namesakes in JAX do."""
    spec = lookup.function(f"jax.{dotted}")
    if spec is None or spec.restructures or spec.result not in ("list", "tuple"):
        return part
    return Sequence(spec.result, None, frame.trace, part, frame.path)


def _folded(dotted: str, args: Args) -> Static | None:
    """What a NumPy function makes of one number that is known."""
    function = _FOLD.get(dotted.removeprefix("numpy."))
    value = args.positional[0] if len(args.positional) == 1 and not args.keywords else None
    if function is None or not isinstance(value, Static):
        return None
    if not isinstance(value.const, (int, float)):
        return None
    try:
        return Static(function(value.const))
    except (ArithmeticError, ValueError):
        return None


_FOLD: dict[str, Callable[[float], float]] = {
    **dict.fromkeys(("abs", "absolute"), abs),
    **{name: getattr(math, name) for name in ("fabs", "sqrt", "exp", "log", "log2", "log10")},
}


def _array_dtype(name: str, args: Args) -> str:
    """The dtype of a NumPy function's result, as far as it is needed to tell masks."""
    if name.startswith(("is", "logical_")) or name in _MASKS:
        return "bool"
    asked = args.keywords.get("dtype")
    if asked is None and name in _FILLED and len(args.positional) == _FILLED[name]:
        asked = args.positional[-1]
    if asked is not None:
        return named_dtype(asked)
    if name in _FILLED:
        return "float" if name != "full" else ""
    if len(args.positional) == 1 and not args.keywords and name in ("array", "asarray", "copy"):
        return kind_of_dtype(args.positional[0])
    if name == "arange" and len(args.positional) <= _ENDS:
        return promoted(map(kind_of_dtype, args.positional)) if not args.keywords else ""
    return "float" if name in _FLOATS and len(args.positional) <= _FLOATS[name] else ""


_MASKS = frozenset(
    {"all", "any", "equal", "greater", "greater_equal", "less", "less_equal", "not_equal"}
)


# As many arguments of `arange` are numbers. Of other functions, those in front of the dtype.
_ENDS = 3
_FLOATS = {"linspace": 3, "logspace": 3, "geomspace": 3, "eye": 3, "identity": 1}
# NumPy constructors by the number of arguments with which the last is the dtype.
_FILLED = {"zeros": 2, "ones": 2, "empty": 2, "full": 3}


def _traced_argument(args: Args) -> tuple[Value, ir.Expr] | None:
    """The first argument that is traced, or a list or tuple with a tracer in it."""
    for value, place in args.pairs():
        if as_traced(value) is not None:
            return value, place
        if isinstance(value, Sequence):
            found = finds_traced(value, 2)
            if found is not None:
                return found, place
    return None
