"""Arrays that certainly have another shape than those that they are made of, whatever that is: what
is put together is longer than each part, a reduced array has fewer axes."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.ranks import Bound, rank_of
from jaxlint.engine.domain.values import NONE, Sequence, Static, Traced, Value, is_none
from jaxlint.knowledge.arrays.ranks import REDUCTIONS
from jaxlint.knowledge.arrays.shapes import JOINING, WITH_AXES
from jaxlint.syntax import ir

_CHANGED_BY = {"pad": ("pad_width", 0), "repeat": ("repeats", 1), "tile": ("reps", 1)}
_NAMES = {*REDUCTIONS, *JOINING, *WITH_AXES, *_CHANGED_BY, "diff"}


def made_of(name: str, bound: Bound, result: Value) -> Value:
    """The result of a function, marked where its shape is not that of an operand."""
    if name in _NAMES and isinstance(result, Traced):
        operand = bound.get("self") or next(iter(bound.values()), (NONE, None))
        alone = (operand[0],) if name not in JOINING and _changes(name, bound) else ()
        _mark(result, _joined(bound) if name in JOINING else alone)
    return result


def _mark(result: Traced, operands: tuple[Value, ...]) -> None:
    result.trail.unlike = tuple(one.trail for one in operands if isinstance(one, Traced))


def _changes(name: str, bound: Bound) -> bool:
    """Whether a function of one array gives one of another shape."""
    if name in REDUCTIONS:
        axis, keeps = _given(bound, "axis"), _given(bound, "keepdims")
        plain = is_none(keeps) or (isinstance(keeps, Static) and keeps.const is False)
        return plain and (_is_whole(axis) or (isinstance(axis, Sequence) and bool(axis.items)))
    if name in _CHANGED_BY:
        option, neutral = _CHANGED_BY[name]
        return any(number > neutral for number in _numbers(_given(bound, option)))
    if name == "diff":
        return not bound.keys() & {"n", "prepend", "append"}
    return True


def _given(bound: Bound, name: str) -> Value:
    return bound[name][0] if name in bound else NONE


def _is_whole(value: Value) -> bool:
    return isinstance(value, Static) and type(value.const) is int


def _numbers(value: Value, depth: int = 2) -> list[int]:
    """The whole numbers that are written as one or in a tuple."""
    if isinstance(value, Sequence) and depth:
        return [number for one in value.items or () for number in _numbers(one, depth - 1)]
    const = value.const if isinstance(value, Static) else None
    return [const] if type(const) is int else []


def _joined(bound: Bound) -> tuple[Value, ...]:
    """The arrays that one is put together of, none if that may be one alone."""
    values = [value for name, (value, _) in bound.items() if name not in ("axis", "dtype")]
    if len(values) == 1 and isinstance(values[0], Sequence):
        values = values[0].items or []
    return tuple(values) if len(values) > 1 and not any(map(_is_empty, values)) else ()


def _is_empty(value: Value) -> bool:
    """Whether an array is made without elements: `jnp.array([])`, `jnp.zeros((0, 3))`."""
    node = value.trail.node if isinstance(value, Traced) else None
    if not isinstance(node, ir.Call) or not node.args:
        return False
    given = node.args[0].value
    parts = given.items if isinstance(given, ir.Sequence) else (given,)
    if dotted_text(node.func).rpartition(".")[2] in ("array", "asarray"):
        return not parts
    return any(isinstance(one, ir.Const) and one.value == 0 for one in parts)


def indexed(array: Value, index: Value, result: Value) -> Value:
    """The result of `array[index]`, marked where its shape is not that of the array."""
    if isinstance(result, Traced) and _index_changes(index):
        _mark(result, (array,))
    return result


def _index_changes(index: Value) -> bool:
    """Whether `x[index]` has another shape than `x`, an array that is not empty: as many axes and
    fewer rows, or more or fewer axes."""
    parts = index.items if isinstance(index, Sequence) and index.kind == "tuple" else [index]
    more = sum(map(is_none, parts or ()))
    fewer = sum(map(_is_number, parts or ()))
    others = [one for one in parts or () if not is_none(one) and not _is_number(one)]
    if not all(_is_slice(one) or (isinstance(one, Static) and one.const is ...) for one in others):
        return False
    return more != fewer or (not more and any(map(_cuts, others)))


def _is_number(part: Value) -> bool:
    """Whether a part of an index takes an axis away."""
    return rank_of(part) == 0 and dtype_of(part) == "int"


def _is_slice(part: Value) -> bool:
    return isinstance(part, Sequence) and part.kind == "slice"


def _cuts(part: Value) -> bool:
    """Whether a slice leaves something out of every axis: `1:`, `:-1`."""
    if not _is_slice(part) or not isinstance(part, Sequence) or part.items is None:
        return False
    start, stop, step = part.items
    first, last = _numbers(start), _numbers(stop)
    if not is_none(step) and _numbers(step) != [1]:
        return False
    return (bool(first) and first[0] > 0) or (bool(last) and last[0] < 0)
