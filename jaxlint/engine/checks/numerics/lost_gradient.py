"""Values in which `grad` outside of staged code loses the derivative, and what is made of them.

A tracer of differentiation has a value to give, so `.item()` and set operations without a size
work on it: they go on with the value alone.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Concrete,
    Mapping,
    Method,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    options,
)
from jaxlint.engine.inference.dependence import FLAT
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Builtin functions that give a number from which a derivative would go on.
_SMOOTH = frozenset({"abs", "complex", "divmod", "float", "max", "min", "pow", "sum"})
# Functions of `math` whose results are flat, beside those that arrays have too.
_FLAT_MATH = frozenset({"ceil", "copysign", "floor", "trunc"})
_SHAPED = frozenset({"empty_like", "ones_like", "zeros_like"})
# Operators whose results are flat.
FLAT_OPERATORS = frozenset({"//", "&", "|", "^", "<<", ">>"})


class Lost:
    """Where the derivative of a value was lost: `node` made `value` of a tracer with `trail`."""

    __slots__ = ("callee", "node", "trail")

    def __init__(self, node: ir.Node, trail: Provenance, callee: str) -> None:
        self.node = node
        self.trail = trail
        self.callee = callee


class Number(Static):
    """A Python number that was computed from a tracer, without its derivative."""

    __slots__ = ("lost",)

    def __init__(self, lost: Lost) -> None:
        super().__init__(kind="float")
        self.lost = lost


class Array(Concrete):
    """An array that was computed from a tracer, without its derivative."""

    __slots__ = ("lost",)

    def __init__(self, lost: Lost, dtype: str, rank: int | None) -> None:
        super().__init__(dtype, rank)
        self.lost = lost


class Partly(Traced):
    """A tracer that was computed from another one without the derivative of that."""

    __slots__ = ("lost",)

    def __init__(self, lost: Lost, one: Traced) -> None:
        super().__init__(one.trail, one.kind, one.dtype, one.rank, one.leaf, one.weak)
        self.lost = lost


def item(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, made: Static) -> Value:
    """What `.item()` gives, of a tracer of `grad` a number without its derivative."""
    if not (isinstance(owner, Traced) and owner.kind == "ad") or owner.dtype in WHOLE:
        return made
    return Number(_lose(machine, frame, node, owner, ".item()"))


def unsized(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Lost | None:
    """Where a set operation whose result has as many elements as it finds loses a derivative."""
    spec = lookup.function(dotted)
    if spec is None or spec.family != "set" or "size" in args.keywords or args.more is not None:
        return None
    found = next((v for v in args.values() if isinstance(v, Traced) and v.kind == "ad"), None)
    if found is None or found.dtype in WHOLE:
        return None
    return _lose(machine, frame, node, found, f"`{dotted.replace('jax.numpy', 'jnp')}`")


def _lose(machine: Machine, frame: Frame, node: ir.Expr, owner: Traced, callee: str) -> Lost:
    for trace in frame.trace.around():
        trace.loses = True
    return Lost(node, owner.trail, callee)


def of_call(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, result: Value
) -> Value:
    """What a library function or builtin gives where derivatives may have been lost."""
    module, _, name = dotted.rpartition(".")
    if module == "builtins" and name not in _SMOOTH:
        return result
    if name in FLAT or name in _SHAPED or (module == "math" and name in _FLAT_MATH):
        return result
    lost = unsized(machine, frame, node, dotted, args) if module == "jax.numpy" else None
    if lost is not None and isinstance(result, Sequence):
        items = [_with(lost, one) for one in (result.items or [])[:1]] + (result.items or [])[1:]
        return Sequence(result.kind, items, frame.trace) if items else result
    return carried(result, args.values() if lost is None else [], lost)


def of_method(method: Method, args: Args, result: Value) -> Value:
    """What a method of an array gives where derivatives may have been lost."""
    if method.name in FLAT or not isinstance(method.owner, (Traced, Concrete)):
        return result
    return carried(result, [method.owner, *args.values()])


def bare(value: Value) -> Value:
    """A value without what is known of its derivative."""
    if isinstance(value, Partly):
        return Traced(value.trail, value.kind, value.dtype, value.rank, value.leaf, value.weak)
    if isinstance(value, Array):
        return Concrete(value.dtype, value.rank)
    return Static(kind=value.kind) if isinstance(value, Number) else value


def carried(result: Value, operands: list[Value], lost: Lost | None = None) -> Value:
    """The result of a smooth operation: it goes on without the derivative of an operand."""
    lost = lost or next(filter(None, map(_lost_in, operands)), None)
    return result if lost is None else _with(lost, result)


def _with(lost: Lost, result: Value) -> Value:
    if isinstance(result, Traced):
        return result if result.dtype in WHOLE else Partly(lost, result)
    if isinstance(result, Concrete):
        return result if result.dtype in WHOLE else Array(lost, result.dtype, result.rank)
    if isinstance(result, Static) and result.kind in ("", "float", "complex"):
        return Number(lost)
    return result


def _lost_in(value: Value, depth: int = 2) -> Lost | None:
    if isinstance(value, (Number, Array, Partly)):
        return value.lost
    inner: list[Value] = []
    if isinstance(value, Sequence) and depth:
        inner = value.items or ([] if value.element is None else [value.element])
    elif isinstance(value, Mapping) and depth:
        inner = list(value.items.values())
    return next(filter(None, (_lost_in(one, depth - 1) for one in inner)), None)


def leaves(
    machine: Machine,
    frame: Frame,
    trace: Trace,
    node: ir.Expr,
    func: Value,
    args: Args,
    result: Value,
) -> None:
    """Reports a differentiated function whose value is computed without the whole derivative.

    Of a pair the first is the value; the other one may be what goes along.
    """
    if not trace.loses or trace.kind != "ad" or trace.staged or trace.entry is None:
        return
    if isinstance(result, Sequence) and result.kind == "tuple" and result.items:
        result = result.items[0]
    answers = [_lost_in(one) for one in options(result)]
    lost = next((one for one in answers if one is not None), None)
    if lost is None:
        return
    with machine.one_of(answers if isinstance(result, Union) and None in answers else [lost]):
        around = trace.entry.function, trace.entry
        misused(machine, around, lost.node, "derivative", lost.callee, trail=lost.trail)


CHECK = Check(
    "lost-gradient",
    on_trace_end=leaves,
)
